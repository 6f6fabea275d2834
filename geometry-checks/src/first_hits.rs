//! Which parts of a mesh are seen first from outside, and whether by their front.

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use crate::Tolerances;
use crate::plumb::centres_between;
use crate::topology::Topology;

/// Rays that met a part first, and those among them that met its front (counter-clockwise) side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Hits {
    pub(crate) all: u64,
    pub(crate) front: u64,
}

/// Casts at most `t.first_hit_resolution`² parallel rays over the whole mesh from each of 26 directions (the faces, edges and corners of a
/// cube). `part_of` holds the part of each face; the result is one entry a part.
pub(crate) fn first_hits(topology: &Topology, part_of: &[usize], parts: usize, t: &Tolerances) -> Vec<Hits> {
    let steps = [-1.0, 0.0, 1.0];
    let mut directions: Vec<Vector3<f64>> = Vec::with_capacity(27);
    for x in steps {
        for y in steps {
            for z in steps {
                directions.extend(Vector3::new(x, y, z).try_normalize(0.0));
            }
        }
    }
    let views: Vec<Vec<Option<(usize, bool)>>> =
        directions.par_iter().map(|direction| nearest_faces(topology, direction, t)).collect();
    let mut hits = vec![Hits::default(); parts];
    for (face, front) in views.into_iter().flatten().flatten() {
        let part = &mut hits[part_of[face]];
        part.all += 1;
        part.front += u64::from(front);
    }
    hits
}

/// Nearest face of each ray along `direction`, and whether it turns its front to the viewer.
fn nearest_faces(topology: &Topology, direction: &Vector3<f64>, t: &Tolerances) -> Vec<Option<(usize, bool)>> {
    let edge_on_m2 = 2.0 * t.degenerate_area_share * topology.diagonal_m * topology.diagonal_m;
    let level = [Vector3::<f64>::y(), Vector3::x()].iter().find_map(|axis| axis.cross(direction).try_normalize(0.0));
    let Some(u) = level else { return Vec::new() };
    let v = direction.cross(&u);
    // (u, v, direction) is right-handed: a front, seen along the direction, turns clockwise from u to v.
    let seen = |p: Point3<f64>| [p.coords.dot(&u), p.coords.dot(&v), p.coords.dot(direction)];

    let (mut min, mut max) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for face in 0..topology.faces.len() {
        for corner in topology.corners(face).map(seen) {
            for ((low, high), at) in min.iter_mut().zip(&mut max).zip(corner) {
                *low = low.min(at);
                *high = high.max(at);
            }
        }
    }
    let step_of = |resolution: usize| [0, 1].map(|axis: usize| (max[axis] - min[axis]) / resolution as f64);
    let range = |[a, b, c]: [[f64; 3]; 3], axis: usize, resolution: usize| {
        let (low, high) = (a[axis].min(b[axis]).min(c[axis]), a[axis].max(b[axis]).max(c[axis]));
        centres_between(low, high, min[axis], step_of(resolution)[axis], resolution)
    };
    let touched = |resolution: usize| -> usize {
        let cells = |face| {
            let corners = topology.corners(face).map(seen);
            range(corners, 0, resolution).len() * range(corners, 1, resolution).len()
        };
        (0..topology.faces.len()).map(cells).sum()
    };
    let mut resolution = t.first_hit_resolution;
    while resolution > 1 && touched(resolution) > t.first_hit_work {
        resolution /= 2;
    }
    let step = step_of(resolution);
    if !step.iter().all(|s| s.is_finite() && *s > 0.0) {
        return Vec::new();
    }
    let mut nearest: Vec<Option<(usize, bool)>> = vec![None; resolution * resolution];
    let mut depth_m = vec![f64::INFINITY; resolution * resolution];
    for face in 0..topology.faces.len() {
        let corners = topology.corners(face).map(seen);
        let [a, b, c] = corners;
        let doubled_area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if doubled_area.abs() <= edge_on_m2 {
            continue;
        }
        for j in range(corners, 1, resolution) {
            let y = min[1] + (j as f64 + 0.5) * step[1];
            for i in range(corners, 0, resolution) {
                let x = min[0] + (i as f64 + 0.5) * step[0];
                let weight =
                    |p: [f64; 3], q: [f64; 3]| ((p[0] - x) * (q[1] - y) - (p[1] - y) * (q[0] - x)) / doubled_area;
                let weights = [weight(b, c), weight(c, a), weight(a, b)];
                if weights.iter().any(|w| *w < 0.0) {
                    continue;
                }
                let depth = weights[0] * a[2] + weights[1] * b[2] + weights[2] * c[2];
                let pixel = j * resolution + i;
                // Of faces in one place the front is seen, in whatever order they come.
                let front = doubled_area < 0.0;
                if depth < depth_m[pixel] || (depth == depth_m[pixel] && front) {
                    depth_m[pixel] = depth;
                    nearest[pixel] = Some((face, front));
                }
            }
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mesh;

    #[test]
    fn rays_are_fewer_where_they_would_cost_too_much() {
        let corners = |layer: usize| {
            let y = 0.001 * layer as f64;
            [Point3::new(0.0, y, 0.0), Point3::new(0.0, y, 1.0), Point3::new(1.0, y, 0.0)]
        };
        let positions: Vec<Point3<f64>> = (0..2_000).flat_map(corners).collect();
        let triangles = (0..2_000).map(|layer| [3 * layer, 3 * layer + 1, 3 * layer + 2]).collect();
        let mesh = Mesh { positions, normals: None, triangles };
        let t = Tolerances::default();
        let topology = Topology::new(&mesh, &t);
        let rays = |t: &Tolerances| nearest_faces(&topology, &Vector3::y(), t).len();
        let resolution = t.first_hit_resolution;
        assert_eq!(rays(&Tolerances { first_hit_work: usize::MAX, ..t }), resolution * resolution);
        assert_eq!(rays(&t), resolution * resolution / 4);
    }
}
