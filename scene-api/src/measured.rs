//! From the document to what `geometry_checks` measures, and back to what a reply shows.

use crate::tolerances::Work;
use geometry_checks::{Aabb, Body, Mesh, Overlap, Tolerances};
use nalgebra::Point3;
use rayon::prelude::*;
use scene_document::{Baked, BakedMesh, NodeId, Scene};

/// World space, metres.
pub(crate) fn placed_mesh(mesh: &BakedMesh) -> Mesh {
    Mesh { positions: mesh.positions.clone(), normals: mesh.normals.clone(), triangles: mesh.triangles.clone() }
}

pub(crate) fn body(mesh: &BakedMesh, tolerances: &Tolerances) -> Body {
    Body::new(placed_mesh(mesh), tolerances)
}

/// One per baked mesh, in order.
pub(crate) fn bodies(baked: &Baked, tolerances: &Tolerances) -> Vec<Body> {
    baked.meshes.par_iter().map(|mesh| body(mesh, tolerances)).collect()
}

/// Bounds in world space of the node's own mesh, as its skin or morph weights move it; `None` without one.
pub(crate) fn world_aabb(scene: &Scene, id: NodeId) -> Option<Aabb> {
    if let Some(positions) = scene.deformed_positions(id) {
        return Aabb::around(positions);
    }
    let mesh = scene.meshes().get(&scene.node(id)?.mesh?)?;
    let world_from_node = scene.world_from_node(id);
    let geometry: Vec<_> = mesh.primitives.iter().map(|primitive| primitive.geometry.triangles()).collect();
    let points = geometry.iter().flat_map(|triangles| &triangles.positions);
    Aabb::around(points.map(|position| world_from_node.transform_point(&Point3::from(position.map(f64::from)))))
}

/// Bounds in world space of the node and all below it; `None` where there is no mesh that is shown.
pub(crate) fn subtree_aabb(scene: &Scene, id: NodeId) -> Option<Aabb> {
    union_aabb(scene, scene.subtree(id))
}

/// Bounds in world space of these nodes' own meshes, without hidden ones; `None` where none is left.
pub(crate) fn union_aabb(scene: &Scene, nodes: impl IntoIterator<Item = NodeId>) -> Option<Aabb> {
    let shown = nodes.into_iter().filter(|node| scene.is_shown(*node));
    let boxes = shown.filter_map(|node| world_aabb(scene, node));
    boxes.reduce(|whole, part| whole.union(&part))
}

/// The first of the pairs that one call may measure, and whether some are left out.
pub(crate) fn affordable<T>(pairs: Vec<T>, triangles: impl Fn(&T) -> usize, work: Work) -> (Vec<T>, bool) {
    let all = pairs.len();
    let mut left = work.triangles;
    let within = |pair: &T| {
        let cost = u64::try_from(triangles(pair)).unwrap_or(u64::MAX);
        let affords = cost <= left;
        left = left.saturating_sub(cost);
        affords
    };
    let kept: Vec<T> = pairs.into_iter().take(work.pairs).take_while(within).collect();
    let truncated = kept.len() < all;
    (kept, truncated)
}

/// How far two mesh nodes of one object are in each other's way rather than joined: 0 while both the common thickness
/// (over the thinner extent) and the common volume (over the smaller one) are within `joint_share`, 1 from `joint_none`
/// times that on.
pub(crate) fn beyond_joint(overlap: &Overlap, a: &Body, b: &Body, tolerances: &Tolerances) -> f64 {
    let depth = overlap.thickness_m / a.thin_extent_m().min(b.thin_extent_m());
    let allowances = depth.max(overlap.share) / tolerances.joint_share;
    ((allowances - 1.0) / (tolerances.joint_none - 1.0)).clamp(0.0, 1.0) + 0.0
}

pub(crate) fn is_joint(overlap: &Overlap, a: &Body, b: &Body, tolerances: &Tolerances) -> bool {
    beyond_joint(overlap, a, b, tolerances) == 0.0
}

/// Rounded to four significant digits, as numbers are shown. No negative zero.
pub(crate) fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse::<f64>().unwrap_or(value) + 0.0
}

/// A point or vector with four significant digits per component.
pub(crate) fn four_digits_each(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    values.into_iter().map(four_digits).collect()
}

/// A node's origin in world space, as replies show it.
pub(crate) fn origin_m(scene: &Scene, id: NodeId) -> Vec<f64> {
    four_digits_each(scene.world_from_node(id).column(3).iter().take(3).copied())
}

/// What clears an overlap, as a call; `by_m` in world space. Six digits: what is cut off is far less than touching.
pub(crate) fn move_by(id: NodeId, by_m: impl IntoIterator<Item = f64>) -> String {
    let digits = |part: f64| format!("{part:.5e}").parse::<f64>().unwrap_or(part) + 0.0;
    let by: Vec<String> = by_m.into_iter().map(|part| digits(part).to_string()).collect();
    format!(r#"node.set_transform {{"node":"{id}","move_by_m":[{}]}}"#, by.join(","))
}

/// What clears an overlap of `a` and `b`: within one object `a` moves, else the object with the smaller box.
pub(crate) fn fix(overlap: &Overlap, a: NodeId, roots: [NodeId; 2], volumes_m3: [f64; 2]) -> String {
    let by_m = overlap.separate_a_m;
    match roots {
        [of_a, of_b] if of_a == of_b => move_by(a, by_m.iter().copied()),
        [of_a, _] if volumes_m3[0] <= volumes_m3[1] => move_by(of_a, by_m.iter().copied()),
        [_, of_b] => move_by(of_b, by_m.iter().map(|part| -part)),
    }
}
