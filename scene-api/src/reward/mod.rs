//! The reward: a pure function of (artifact, task, profile, seed). `reward.md` of the design is the specification.

mod aggregate;
mod color;
mod components;
mod delivered;
mod evidence;
mod fix;
mod gates;
mod input;
mod predicates;
mod profile;
mod sheet;
mod sight;
mod thresholds;
mod turned;

pub use profile::Profile;

use crate::task::SceneTask;
use aggregate::{Graded, aggregate, renormalised};
use delivered::Delivered;
use evidence::worst;
use input::Input;
use profile::{GateKind, Measure, Weighted};
use rl_protocol::{Component, FailureClass, Gate, Outcome, Reward, Unscorable};
use scene_document::NodeId;
use scene_document::gltf::{Limits, ReadError, Resolve, read};
use sight::Sight;

/// Scores a GLB or glTF file as delivered. `seed` decides where the hidden cameras stand: the group's, or
/// `stand_alone_seed`. Without a task the profile must be one that needs none.
///
/// A broken file is a value with a failed gate; what we cannot read, or must not judge, is `Unscorable`.
#[must_use]
pub fn score_glb(glb: &[u8], resolve: Resolve<'_>, task: Option<&SceneTask>, profile: &Profile, seed: u64) -> Reward {
    score(glb, resolve, None, task, profile, seed)
}

/// The same for the scene of an episode, whose nodes have these ids, in the file's order.
pub(crate) fn score_exported(glb: &[u8], ids: &[NodeId], task: &SceneTask, profile: &Profile, seed: u64) -> Reward {
    score(glb, &|_| None, Some(ids), Some(task), profile, seed)
}

fn score(
    glb: &[u8],
    resolve: Resolve<'_>,
    ids: Option<&[NodeId]>,
    task: Option<&SceneTask>,
    profile: &Profile,
    seed: u64,
) -> Reward {
    let scored = match (profile.needs_task, task) {
        (true, None) => {
            let message = format!("profile {:?} scores a task's scene; name the task or use \"file/0\"", profile.id);
            Err(unscorable(FailureClass::Task, "TASK_REQUIRED", message))
        }
        (needs_task, task) => scored(glb, resolve, ids, task.filter(|_| needs_task), profile, seed),
    };
    let stamped = Reward {
        outcome: Outcome::Value(0.0),
        gates: Vec::new(),
        components: Vec::new(),
        factors: Vec::new(),
        profile_id: profile.id.into(),
        profile_hash: profile.hash().to_vec(),
        attempt: 1,
        scored_state_hash: blake3::hash(glb).as_bytes().to_vec(),
    };
    match scored {
        Ok(Scored { gates, components, graded }) => {
            let (value, factors) = aggregate(&profile.thresholds, &gates, graded.as_ref());
            Reward { outcome: Outcome::Value(value), gates, components, factors, ..stamped }
        }
        Err(why) => Reward { outcome: Outcome::Unscorable(why), ..stamped },
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
) -> Result<Scored, Unscorable> {
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
            return Ok(stopped(profile, vec![gates::unreadable(&error, t)]));
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
            return Ok(stopped(profile, first));
        }
    }
    let input = Input::new(&import, baked, task, profile);
    let sight = Sight::new(&input, seed);
    Ok(measured(profile, &input, &sight, first))
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
