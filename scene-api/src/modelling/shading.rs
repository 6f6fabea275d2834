//! Shading normals: smooth across flat angles, split at creases.

use super::surface::{Surface, single_precision};
use crate::tolerances::Tolerances;
use nalgebra::{Point3, Vector3};
use scene_document::Triangles;
use std::collections::BTreeMap;

/// Where more triangles meet, each keeps its own normal: comparing them is quadratic.
const CROWDED: usize = 1024;

/// A triangle at one of its corners, with the angle that it takes there.
#[derive(Debug, Clone, Copy)]
struct Wedge {
    face: usize,
    angle_rad: f64,
}

/// The triangles of one primitive under construction.
#[derive(Default)]
struct Part {
    known: BTreeMap<(usize, [u32; 3]), u32>,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

/// The triangles of each part. At a corner the normals of all triangles within `smooth_angle_deg` (0 to 90) of its own
/// are mixed, weighted by the angles that they take there; so no normal is on the wrong side of its triangle.
pub(crate) fn shaded(surface: &Surface, smooth_angle_deg: f64) -> BTreeMap<usize, Triangles> {
    let least_cos = libm::cos(smooth_angle_deg.to_radians()) - Tolerances::default().coplanar_cos;
    let own: Vec<Vector3<f64>> = surface
        .faces
        .iter()
        .map(|face| surface.doubled_area(face).try_normalize(0.0).unwrap_or_else(Vector3::zeros))
        .collect();
    let meeting = meeting(surface);
    let mut parts: BTreeMap<usize, Part> = BTreeMap::new();
    for (index, face) in surface.faces.iter().enumerate() {
        let part = parts.entry(face.part).or_default();
        let corners = face.corners.map(|point| {
            let normal = mixed(index, &meeting[point], &own, least_cos);
            part.vertex(point, &surface.points[point], normal)
        });
        part.triangles.push(corners);
    }
    parts.into_iter().map(|(index, part)| (index, part.into_triangles())).collect()
}

impl Part {
    fn vertex(&mut self, point: usize, position: &Point3<f64>, normal: Vector3<f64>) -> u32 {
        let normal = single_precision(normal);
        *self.known.entry((point, normal.map(f32::to_bits))).or_insert_with(|| {
            self.positions.push(single_precision(position.coords));
            self.normals.push(normal);
            u32::try_from(self.positions.len() - 1).unwrap_or(u32::MAX)
        })
    }

    fn into_triangles(self) -> Triangles {
        Triangles {
            positions: self.positions,
            normals: Some(self.normals),
            triangles: self.triangles,
            ..Triangles::default()
        }
    }
}

/// A triangle without area takes all that meet it.
fn mixed(face: usize, meeting: &[Wedge], own: &[Vector3<f64>], least_cos: f64) -> Vector3<f64> {
    let normal = own[face];
    let is_flat = normal.norm() == 0.0;
    if meeting.len() > CROWDED {
        return if is_flat { Vector3::y() } else { normal };
    }
    let near = meeting.iter().filter(|other| is_flat || normal.dot(&own[other.face]) >= least_cos);
    let sum = near.fold(Vector3::<f64>::zeros(), |sum, other| sum + own[other.face] * other.angle_rad);
    sum.try_normalize(0.0).unwrap_or_else(Vector3::y)
}

/// For each point its triangles, in their order.
fn meeting(surface: &Surface) -> Vec<Vec<Wedge>> {
    let mut meeting = vec![Vec::new(); surface.points.len()];
    for (face, triangle) in surface.faces.iter().enumerate() {
        for (point, angle_rad) in triangle.corners.into_iter().zip(surface.angles_rad(triangle)) {
            meeting[point].push(Wedge { face, angle_rad });
        }
    }
    meeting
}
