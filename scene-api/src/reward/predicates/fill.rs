//! How much of its box an object fills: what tells a cylinder from a box of the same size.

use super::{COMPONENT, Graded, tolerant};
use crate::reward::evidence::rounded;
use crate::reward::input::{Input, Object};
use geometry_checks::Aabb;
use rl_protocol::Evidence;

/// The volume of the object's meshes over that of its box.
pub(super) fn filled(input: &Input<'_>, object: &Object, aabb: &Aabb, share: f64, tolerance: f64) -> Graded {
    let bodies = object.meshes.iter().filter_map(|index| input.bodies.get(*index));
    let found = bodies.map(|body| body.volume_m3()).sum::<f64>() / aabb.extents().product();
    // A flat object has a box without volume.
    let found = if found.is_finite() { found } else { 0.0 };
    let error = (found - share).abs();
    let evidence = Evidence {
        value: error,
        threshold: tolerance,
        unit: "share of its box".into(),
        message: format!("its meshes fill a share of {} of its box; {} is asked for", rounded(found), rounded(share)),
        fix: format!("give {} a mesh of the shape that is asked for with mesh.add_primitive", object.name),
        ..input.object_evidence(COMPONENT, object)
    };
    Graded::new(tolerant(input, error, tolerance), evidence)
}
