//! Where a ray meets a mesh.

use nalgebra::{Point3, Vector3};

use crate::Mesh;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    pub distance_m: f64,
    /// Index into the mesh's triangles.
    pub triangle: usize,
    /// Unit, of the face by its winding.
    pub normal: Vector3<f64>,
}

/// First triangle, from either side, that the ray from `origin` along the unit vector `direction` meets within `max_m`;
/// of several at one distance the first. A ray that passes a triangle by no more than `edge_slack` (barycentric) meets
/// it, so that none slips through a common edge. O(triangles).
pub fn first_hit(
    mesh: &Mesh,
    origin: Point3<f64>,
    direction: Vector3<f64>,
    max_m: f64,
    edge_slack: f64,
) -> Option<RayHit> {
    let mut nearest: Option<RayHit> = None;
    for triangle in 0..mesh.triangles.len() {
        let Some([a, b, c]) = mesh.corners(triangle) else { continue };
        let (to_b, to_c, to_origin) = (b - a, c - a, origin - a);
        let across = direction.cross(&to_c);
        let determinant = to_b.dot(&across);
        let Some(normal) = to_b.cross(&to_c).try_normalize(0.0).filter(|_| determinant != 0.0) else { continue };
        let turned = to_origin.cross(&to_b);
        let (u, v) = (to_origin.dot(&across) / determinant, direction.dot(&turned) / determinant);
        let distance_m = to_c.dot(&turned) / determinant;
        let meets = u >= -edge_slack && v >= -edge_slack && u + v <= 1.0 + edge_slack;
        let within_m = nearest.map_or(max_m, |hit| hit.distance_m);
        let is_nearer = nearest.is_none() || distance_m < within_m;
        if meets && is_nearer && (0.0..=within_m).contains(&distance_m) {
            nearest = Some(RayHit { distance_m, triangle, normal });
        }
    }
    nearest
}
