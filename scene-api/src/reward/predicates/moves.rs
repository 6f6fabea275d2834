//! Where an object is at a moment of the scene's animations.

use super::{Graded, metres, tolerant};
use crate::measured::subtree_aabb;
use crate::reward::evidence::vector;
use crate::reward::input::{Input, Object, id_of};
use scene_document::{Scene, sample};

/// `None` for an object that no node has the name of.
pub(super) fn moves(
    input: &Input<'_>,
    object: &Object,
    time_s: f64,
    position_m: [f64; 3],
    tolerance_m: f64,
) -> Option<Graded> {
    let scene = &input.import.scene;
    let root = object.root?;
    let centre: [f64; 3] = subtree_aabb(&played(scene, time_s), root)?.centre().coords.into();
    let by = [0, 1, 2].map(|axis: usize| position_m[axis] - centre[axis]);
    let error_m = by.iter().map(|part| part * part).sum::<f64>().sqrt();
    let message = format!("at {time_s} s its centre is at {}; {} is asked for", vector(centre), vector(position_m));
    let fix = if scene.animations().is_empty() {
        "animation.create, then animation.add_channel with keys that bring it there".into()
    } else {
        let node = id_of(input.import, root);
        format!("animation.add_channel for {node}, or for a node above it, with keys that bring it there")
    };
    let evidence = metres(input, object, error_m, tolerance_m, message, fix);
    Some(Graded::new(tolerant(input, error_m, tolerance_m), evidence))
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
