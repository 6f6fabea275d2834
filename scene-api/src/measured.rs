//! From the document to what `geometry_checks` measures, and back to what a reply shows.

use geometry_checks::{Aabb, Body, Mesh, Overlap, Tolerances};
use nalgebra::Point3;
use rayon::prelude::*;
use scene_document::{Baked, BakedMesh, NodeId, Scene};

/// World space, metres.
pub(crate) fn body(mesh: &BakedMesh, tolerances: &Tolerances) -> Body {
    let mesh =
        Mesh { positions: mesh.positions.clone(), normals: mesh.normals.clone(), triangles: mesh.triangles.clone() };
    Body::new(mesh, tolerances)
}

/// One per baked mesh, in order.
pub(crate) fn bodies(baked: &Baked, tolerances: &Tolerances) -> Vec<Body> {
    baked.meshes.par_iter().map(|mesh| body(mesh, tolerances)).collect()
}

/// Bounds in world space of the node's own mesh; `None` without one.
pub(crate) fn world_aabb(scene: &Scene, id: NodeId) -> Option<Aabb> {
    let mesh = scene.meshes().get(&scene.node(id)?.mesh?)?;
    let world_from_node = scene.world_from_node(id);
    let geometry: Vec<_> = mesh.primitives.iter().map(|primitive| primitive.geometry.triangles()).collect();
    let points = geometry.iter().flat_map(|triangles| &triangles.positions);
    bounds(points.map(|position| world_from_node.transform_point(&Point3::from(position.map(f64::from)))))
}

/// `None` without points.
pub(crate) fn bounds(points: impl IntoIterator<Item = Point3<f64>>) -> Option<Aabb> {
    Aabb::around(points)
}

/// Whether two mesh nodes of one object are joined rather than in each other's way: `share` of the smaller minimum
/// extent may interpenetrate.
pub(crate) fn is_joint(overlap: &Overlap, a: &Aabb, b: &Aabb, share: f64) -> bool {
    overlap.thickness_m <= share * a.min_extent().min(b.min_extent())
}

/// Rounded to four significant digits, as numbers are shown. No negative zero.
pub(crate) fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse::<f64>().unwrap_or(value) + 0.0
}

/// A point or vector with four significant digits per component.
pub(crate) fn four_digits_each(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    values.into_iter().map(four_digits).collect()
}

/// What clears an overlap, as a sentence; `by_m` in world space.
pub(crate) fn move_by(id: NodeId, by_m: impl IntoIterator<Item = f64>) -> String {
    let by: Vec<String> = four_digits_each(by_m).iter().map(f64::to_string).collect();
    format!("move {id} by [{}]", by.join(", "))
}
