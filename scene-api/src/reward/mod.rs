//! The reward: a pure function of (artifact, task, profile, seed). `reward.md` of the design is the specification. The
//! texts of its evidence are in the words of the episode that made the artifact: its ids, and its tools.

mod aggregate;
mod color;
mod components;
mod delivered;
mod evidence;
mod fix;
mod gates;
mod input;
mod judged;
mod luminance;
mod predicates;
mod profile;
mod scored;
mod sheet;
mod sight;
mod thresholds;
mod turned;

pub(crate) use delivered::Maker;
pub use delivered::evidence_ids;
pub(crate) use input::visible_part;
pub(crate) use judged::{Judged, judge};
pub(crate) use luminance::{Luminance, relative_luminance};
pub use profile::Profile;
pub(crate) use sight::picture_size;
pub(crate) use thresholds::Thresholds;

use crate::studio::Studio;
use crate::task::SceneTask;
use rl_protocol::Reward;
use scene_document::gltf::Resolve;

/// Scores a GLB or glTF file as delivered. `seed` decides where the hidden cameras stand: the group's, or
/// `stand_alone_seed`. Without a task the profile must be one that needs none.
///
/// A broken file is a value with a failed gate; what we cannot read, or must not judge, is `Unscorable`, and so is what
/// a renderer must see first: [`Profile::needs_renderer`] tells, and [`score_with`] asks one.
#[must_use]
pub fn score_glb(glb: &[u8], resolve: Resolve<'_>, task: Option<&SceneTask>, profile: &Profile, seed: u64) -> Reward {
    judge(glb, resolve, None, task, profile, seed).alone()
}

/// As [`score_glb`], with the studio's word where the profile needs it and every other gate has passed; a studio that
/// fails makes the reward `Unscorable`. Measures on the caller's thread.
pub async fn score_with(
    glb: &[u8],
    resolve: Resolve<'_>,
    task: Option<&SceneTask>,
    profile: &Profile,
    seed: u64,
    studio: &dyn Studio,
) -> Reward {
    judge(glb, resolve, None, task, profile, seed).settled(Some(studio)).await
}

/// CIEDE2000 of two linear colours.
#[cfg(test)]
pub(crate) fn color_difference(first: [f64; 3], second: [f64; 3]) -> f64 {
    color::delta_e_2000(color::lab(first), color::lab(second))
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
