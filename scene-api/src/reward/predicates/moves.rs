//! Where an object is at a moment of the scene's animations.

use super::{Graded, metres, tolerant};
use crate::measured::subtree_aabb;
use crate::reward::evidence::vector;
use crate::reward::input::{Input, Object, id_of};
use scene_document::{Scene, sample};

/// An object that turns about the vertical keeps its height; across, its box changes by √2 at most.
const HEIGHT_SHARE: f64 = 0.03;
const ACROSS_RATIO: f64 = 1.45;

/// Nothing for an object that is not as large as at rest. `None` for one that no node has the name of.
pub(super) fn moves(
    input: &Input<'_>,
    object: &Object,
    time_s: f64,
    position_m: [f64; 3],
    tolerance_m: f64,
) -> Option<Graded> {
    let scene = &input.import.scene;
    let root = object.root?;
    let (rest, moved) = (subtree_aabb(scene, root)?, subtree_aabb(&played(scene, time_s), root)?);
    let centre: [f64; 3] = moved.centre().coords.into();
    let by = [0, 1, 2].map(|axis: usize| position_m[axis] - centre[axis]);
    let error_m = by.iter().map(|part| part * part).sum::<f64>().sqrt();
    let is_whole = is_as_large(rest.extents().into(), moved.extents().into());
    let size = if is_whole { "" } else { ", and it is not as large as before" };
    let message =
        format!("at {time_s} s its centre is at {}; {} is asked for{size}", vector(centre), vector(position_m));
    let fix = if scene.animations().is_empty() {
        "animation.create, then animation.add_channel with keys that bring it there".into()
    } else {
        let node = id_of(input.import, root);
        format!("animation.add_channel for {node}, or for a node above it, with keys that bring it there")
    };
    let evidence = metres(input, object, error_m, tolerance_m, message, fix);
    let grade = if is_whole { tolerant(input, error_m, tolerance_m) } else { 0.0 };
    Some(Graded::new(grade, evidence))
}

fn is_as_large(rest_m: [f64; 3], moved_m: [f64; 3]) -> bool {
    let across = |[x, _, z]: [f64; 3]| (x * x + z * z).sqrt();
    let ratio = across(moved_m) / across(rest_m);
    (moved_m[1] / rest_m[1] - 1.0).abs() <= HEIGHT_SHARE && (1.0 / ACROSS_RATIO..=ACROSS_RATIO).contains(&ratio)
}

/// With all animations at that moment.
fn played(scene: &Scene, time_s: f64) -> Scene {
    let mut played = scene.clone();
    for animation in scene.animations().keys() {
        if let Some(pose) = sample(&played, *animation, time_s) {
            played = played.posed(&pose);
        }
    }
    played
}
