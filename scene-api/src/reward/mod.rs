//! The reward: a pure function of (artifact, task, profile, seed). `reward.md` of the design is the specification.

mod aggregate;
mod color;
mod components;
mod delivered;
mod evidence;
mod fix;
mod gates;
mod input;
mod judged;
mod predicates;
mod profile;
mod sheet;
mod sight;
mod thresholds;
mod turned;

pub(crate) use judged::Judged;
pub use profile::Profile;

use crate::studio::Rendered;
use crate::task::SceneTask;
use aggregate::{Graded, renormalised};
use delivered::Delivered;
use evidence::worst;
use input::Input;
use judged::Unrendered;
use profile::{GateKind, Measure, Weighted};
use rl_protocol::{Component, Evidence, FailureClass, Gate, Outcome, Reward, Unscorable};
use scene_document::gltf::{Limits, ReadError, Resolve, read};
use scene_document::{Baked, NodeId};
use sight::Sight;
use std::sync::Arc;

/// Scores a GLB or glTF file as delivered. `seed` decides where the hidden cameras stand: the group's, or
/// `stand_alone_seed`. Without a task the profile must be one that needs none. `rendered` is what a renderer says of
/// the file; `None` is enough unless [`Profile::needs_renderer`].
///
/// A broken file is a value with a failed gate; what we cannot read, or must not judge, is `Unscorable`.
#[must_use]
pub fn score_glb(
    glb: &[u8],
    resolve: Resolve<'_>,
    task: Option<&SceneTask>,
    profile: &Profile,
    seed: u64,
    rendered: Option<Rendered>,
) -> Reward {
    judge(glb, resolve, None, task, profile, seed).with(rendered)
}

/// As `score_glb`, as far as it goes without a renderer. `ids` are those of the file's nodes, in its order, where an
/// episode made it.
pub(crate) fn judge(
    glb: &[u8],
    resolve: Resolve<'_>,
    ids: Option<&[NodeId]>,
    task: Option<&SceneTask>,
    profile: &Profile,
    seed: u64,
) -> Judged {
    let found = match (profile.needs_task, task) {
        (true, None) => {
            let message = format!("profile {:?} scores a task's scene; name the task or use \"file/0\"", profile.id);
            Err(unscorable(FailureClass::Task, "TASK_REQUIRED", message))
        }
        (needs_task, task) => scored(glb, resolve, ids, task.filter(|_| needs_task), profile, seed),
    };
    let scene_hash = *blake3::hash(glb).as_bytes();
    let stamped = Reward {
        outcome: Outcome::Value(0.0),
        gates: Vec::new(),
        components: Vec::new(),
        factors: Vec::new(),
        profile_id: profile.id.into(),
        profile_hash: profile.hash().to_vec(),
        attempt: 1,
        scored_state_hash: scene_hash.to_vec(),
    };
    match found {
        Ok((scored, None)) => Judged::Settled(Box::new(scored.rewarded(stamped, profile))),
        Ok((scored, Some(Undrawn { scene, blank }))) => {
            let profile = profile.clone();
            Judged::Unrendered(Box::new(Unrendered { scene, scene_hash, stamped, scored, profile, blank }))
        }
        Err(why) => Judged::Settled(Box::new(Reward { outcome: Outcome::Unscorable(why), ..stamped })),
    }
}

/// The seed for scores outside an episode: the same task and profile always see the same hidden cameras.
#[must_use]
pub fn stand_alone_seed(task: Option<&SceneTask>, profile: &Profile) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(task.map_or("", |task| task.id.as_str()).as_bytes());
    hasher.update(&[0]);
    hasher.update(&profile.hash());
    let [a, b, c, d, e, f, g, h, ..] = *hasher.finalize().as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

struct Scored {
    gates: Vec<Gate>,
    components: Vec<Component>,
    /// `None` where a gate failed before anything could be measured.
    graded: Option<Graded>,
}

/// What a renderer is still to draw, and the evidence where that shows nothing.
struct Undrawn {
    scene: Arc<Baked>,
    blank: Evidence,
}

fn unscorable(class: FailureClass, code: &str, message: String) -> Unscorable {
    Unscorable { class, code: code.into(), message, retryable: false }
}

fn scored(
    glb: &[u8],
    resolve: Resolve<'_>,
    ids: Option<&[NodeId]>,
    task: Option<&SceneTask>,
    profile: &Profile,
    seed: u64,
) -> Result<(Scored, Option<Undrawn>), Unscorable> {
    let t = &profile.thresholds;
    let limits = Limits { bytes: t.export_bytes_max, ..Limits::default() };
    let import = match read(glb, resolve, &limits) {
        Ok(import) => import,
        Err(ReadError::Unsupported { what, pointer }) if task.is_none() => {
            let message = format!("{what} at {pointer} is not supported");
            return Err(unscorable(FailureClass::Task, "UNSUPPORTED", message));
        }
        Err(ReadError::Panicked { what }) => {
            return Err(unscorable(FailureClass::Verifier, "READER_PANICKED", format!("the reader failed: {what}")));
        }
        Err(error) => {
            return Ok((stopped(profile, vec![gates::unreadable(&error, t)]), None));
        }
    };
    let export = gates::export(&import, task.is_some(), t);
    let import = Delivered::new(import, ids);
    if task.is_none() && export.passed && import.scene.nodes().values().all(|node| node.mesh.is_none()) {
        let message = "the file has no mesh in its scene, so there is nothing to measure";
        return Err(unscorable(FailureClass::Task, "NO_MESH", message.into()));
    }
    let baked = import.scene.bake();
    let mut first = vec![export];
    // What is not finite or too large is not measured.
    for kind in profile.gates.iter().skip(first.len()) {
        let gate = match kind {
            GateKind::Finite => gates::finite(&import, &baked, t),
            GateKind::Integrity => gates::integrity(&import, &baked, t),
            _ => break,
        };
        let passed = gate.passed;
        first.push(gate);
        if !passed {
            return Ok((stopped(profile, first), None));
        }
    }
    // The scorer's scene lacks what cannot be seen.
    let whole = profile.needs_renderer().then(|| Arc::new(baked.clone()));
    let input = Input::new(&import, baked, task, profile);
    let sight = Sight::new(&input, seed);
    let scored = measured(profile, &input, &sight, first);
    let open = scored.gates.iter().all(|gate| gate.passed);
    let undrawn = whole.filter(|_| open).map(|scene| Undrawn { scene, blank: gates::blank(&input, &sight) });
    Ok((scored, undrawn))
}

/// Nothing could be measured past these gates: the others count as failed.
fn stopped(profile: &Profile, mut gates: Vec<Gate>) -> Scored {
    let others = profile.gates.iter().skip(gates.len());
    gates.extend(others.map(|kind| gates::not_reached(*kind, &profile.thresholds)));
    Scored { gates, components: Vec::new(), graded: None }
}

fn measured(profile: &Profile, input: &Input<'_>, sight: &Sight, mut gates: Vec<Gate>) -> Scored {
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
    Scored { gates, components, graded: Some(graded) }
}

/// A file need not be lit; a task's scene must be.
fn applies(measure: Measure, input: &Input<'_>) -> bool {
    measure != Measure::Lighting || input.task.is_some() || !input.baked.lights.is_empty()
}
