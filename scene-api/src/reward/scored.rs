//! What measuring a file comes to: gates and components, as far as it gets.

use super::aggregate::{Graded, renormalised};
use super::delivered::{Delivered, Maker};
use super::evidence::worst;
use super::input::Input;
use super::profile::{GateKind, Measure, Profile, Weighted};
use super::sight::{OVER_BUDGET, Sight};
use super::thresholds::Thresholds;
use super::{components, gates, predicates};
use crate::picture_work::within_reach;
use crate::task::SceneTask;
use rl_protocol::{Component, Evidence, FailureClass, Gate, Unscorable};
use scene_document::gltf::{Import, Limits, ReadError, Resolve, read};
use scene_document::{Baked, Scene};

pub(super) struct Scored {
    /// All but the renderer's where that is to be asked.
    pub(super) gates: Vec<Gate>,
    pub(super) components: Vec<Component>,
    /// `None` where a gate failed before anything could be measured.
    pub(super) graded: Option<Graded>,
    /// `None` where the profile asks no renderer, or a gate has failed already.
    pub(super) undrawn: Option<Undrawn>,
}

/// Of the picture for which a renderer's work is reckoned; its own need not be as large.
const RENDERED_PX: (u32, u32) = (256, 192);

/// What a renderer is still to draw, and the evidence, without a message, where that shows nothing.
pub(super) struct Undrawn {
    pub(super) scene: Scene,
    pub(super) scene_hash: [u8; 32],
    pub(super) blank: Evidence,
}

/// Why nothing can be measured.
enum Stop {
    /// By the file: the last of these gates has failed.
    Failed(Vec<Gate>),
    Unscorable(Unscorable),
}

/// `maker` is the episode that made the file, where one did; `task` is there where the profile needs one.
pub(super) fn scored(
    glb: &[u8],
    resolve: Resolve<'_>,
    maker: Option<Maker<'_>>,
    task: Option<&SceneTask>,
    profile: &Profile,
    seed: u64,
) -> Result<Scored, Unscorable> {
    let has_task = task.is_some();
    let found = imported(glb, resolve, has_task, &profile.thresholds).and_then(|import| {
        let export = gates::export(&import, has_task, &profile.thresholds);
        let import = Delivered::new(import, maker);
        if !has_task && export.passed {
            with_a_mesh(&import)?;
        }
        let baked = import.scene.bake();
        let first = measurable(&import, &baked, export, profile)?;
        Ok(measured(&import, baked, task, profile, seed, first))
    });
    match found {
        Ok(scored) => Ok(scored),
        Err(Stop::Failed(gates)) => Ok(stopped(profile, gates)),
        Err(Stop::Unscorable(why)) => Err(why),
    }
}

/// Nothing could be measured past these gates: the others count as failed.
fn stopped(profile: &Profile, mut gates: Vec<Gate>) -> Scored {
    let others = profile.gates.iter().skip(gates.len());
    gates.extend(others.map(|kind| gates::not_reached(*kind, &profile.thresholds)));
    Scored { gates, components: Vec::new(), graded: None, undrawn: None }
}

fn unscorable(class: FailureClass, code: &str, message: String) -> Stop {
    Stop::Unscorable(Unscorable { class, code: code.into(), message, retryable: false })
}

fn imported(glb: &[u8], resolve: Resolve<'_>, has_task: bool, t: &Thresholds) -> Result<Import, Stop> {
    let limits = Limits { bytes: t.export_bytes_max, ..Limits::default() };
    read(glb, resolve, &limits).map_err(|error| match error {
        ReadError::Unsupported { what, pointer } if !has_task => {
            unscorable(FailureClass::Task, "UNSUPPORTED", format!("{what} at {pointer} is not supported"))
        }
        ReadError::Panicked { what } => {
            unscorable(FailureClass::Verifier, "READER_PANICKED", format!("the reader failed: {what}"))
        }
        error => Stop::Failed(vec![gates::unreadable(&error, t)]),
    })
}

fn with_a_mesh(import: &Delivered) -> Result<(), Stop> {
    if import.scene.nodes().values().any(|node| node.mesh.is_some()) {
        return Ok(());
    }
    let message = "the file has no mesh in its scene, so there is nothing to measure";
    Err(unscorable(FailureClass::Task, "NO_MESH", message.into()))
}

/// The first gates: what is not finite or too large is not measured.
fn measurable(import: &Delivered, baked: &Baked, export: Gate, profile: &Profile) -> Result<Vec<Gate>, Stop> {
    let t = &profile.thresholds;
    let mut first = vec![export];
    for kind in profile.gates.iter().skip(first.len()) {
        let gate = match kind {
            GateKind::Finite => gates::finite(import, baked, t),
            GateKind::Integrity => gates::integrity(import, baked, t),
            _ => break,
        };
        let passed = gate.passed;
        first.push(gate);
        if !passed {
            return Err(Stop::Failed(first));
        }
    }
    Ok(first)
}

fn measured(
    import: &Delivered,
    baked: Baked,
    task: Option<&SceneTask>,
    profile: &Profile,
    seed: u64,
    first: Vec<Gate>,
) -> Scored {
    // Before the input is made, which lacks what cannot be seen.
    let too_heavy = profile.needs_renderer() && {
        let (view, _) = baked.view(RENDERED_PX.0, RENDERED_PX.1);
        within_reach(&baked, &view, true).is_err()
    };
    let input = Input::new(import, baked, task, profile);
    let sight = if profile.looks() { Sight::new(&input, seed) } else { Sight::none() };
    let mut gates = all_gates(profile, &input, &sight, first);
    let open = profile.needs_renderer() && gates.iter().all(|gate| gate.passed);
    let mut undrawn = open.then(|| Undrawn {
        scene: import.scene.clone(),
        scene_hash: import.scene.state_hash().0,
        blank: gates::blank(&input, &sight),
    });
    if let Some(Undrawn { blank, .. }) = undrawn.take_if(|_| too_heavy) {
        let evidence = Evidence { message: OVER_BUDGET.into(), ..blank };
        gates.push(gates::renderability(Some(evidence), &profile.thresholds));
    }
    let (components, graded) = graded(profile, &input, &sight);
    Scored { gates, components, graded: Some(graded), undrawn }
}

/// The first ones and those that look at the scene.
fn all_gates(profile: &Profile, input: &Input<'_>, sight: &Sight, mut gates: Vec<Gate>) -> Vec<Gate> {
    for kind in profile.gates.iter().skip(gates.len()) {
        gates.push(match kind {
            // The first ones.
            GateKind::Export | GateKind::Finite | GateKind::Integrity => continue,
            GateKind::Present => gates::present(input),
            GateKind::Scale => gates::scale(input),
            GateKind::Foreground => gates::foreground(input, sight),
            // Not asked for what has failed already.
            GateKind::Renderability if gates.iter().all(|gate| gate.passed) => continue,
            GateKind::Renderability => gates::not_reached(*kind, &profile.thresholds),
        });
    }
    gates
}

fn graded(profile: &Profile, input: &Input<'_>, sight: &Sight) -> (Vec<Component>, Graded) {
    let in_force: Vec<Weighted> =
        profile.measures.iter().copied().filter(|weighted| applies(weighted.measure, input)).collect();
    let mut components = Vec::new();
    let mut measures = Vec::new();
    for Weighted { measure, weight } in renormalised(&in_force) {
        let found = components::measure(measure, input, sight);
        let (evidence, cut) = worst(found.findings);
        measures.push((measure, weight, found.value));
        components.push(Component {
            name: measure.name().into(),
            value: found.value,
            weight,
            uncertainty: found.uncertainty,
            evidence,
            truncated: cut || found.truncated,
            thresholds: profile.thresholds.of_measure(measure, &input.tolerances),
        });
    }
    let task = predicates::measure(input);
    let graded = Graded { task: task.as_ref().map_or(1.0, |component| component.value), measures };
    components.extend(task);
    (components, graded)
}

/// A file need not be lit; a task's scene must be.
fn applies(measure: Measure, input: &Input<'_>) -> bool {
    measure != Measure::Lighting || input.task.is_some() || !input.baked.lights.is_empty()
}
