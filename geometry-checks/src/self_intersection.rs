//! Which faces of one mesh pass through each other.

use nalgebra::{Point3, Vector3};
use parry3d_f64::bounding_volume::Aabb as LeafBox;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

use crate::Tolerances;
use crate::topology::{Topology, leaf_box};

#[derive(Debug)]
pub(crate) struct SelfIntersections {
    /// Faces in at least one intersecting pair, ascending.
    pub(crate) faces: Vec<usize>,
    /// The pair limit was reached; pairs after it, in the fixed order of the faces, were not tested.
    pub(crate) truncated: bool,
}

#[derive(Debug)]
struct Facet {
    face: usize,
    vertices: [u32; 3],
    corners: [Point3<f64>; 3],
    normal: Vector3<f64>,
}

/// `degenerate` holds one flag for each face; those have no plane of their own and are left out.
pub(crate) fn self_intersections(topology: &Topology, degenerate: &[bool], t: &Tolerances) -> SelfIntersections {
    let facets: Vec<Facet> = (0..topology.faces.len())
        .filter(|&face| !degenerate[face])
        .filter_map(|face| {
            let corners = topology.corners(face);
            let [a, b, c] = corners;
            let normal = (b - a).cross(&(c - a)).try_normalize(0.0)?;
            Some(Facet { face, vertices: topology.faces[face].vertices, corners, normal })
        })
        .collect();
    let boxes: Vec<LeafBox> = facets.iter().map(|facet| leaf_box(facet.corners)).collect();
    let bvh = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);

    let eps_m = t.self_intersection_depth_share * topology.diagonal_m;
    let mut hit = vec![false; facets.len()];
    let mut pairs_left = t.self_intersection_pairs;
    let mut truncated = false;
    'faces: for (i, facet) in facets.iter().enumerate() {
        for j in bvh.intersect_aabb(&boxes[i]).map(|leaf| leaf as usize).filter(|&j| j > i) {
            if pairs_left == 0 {
                truncated = true;
                break 'faces;
            }
            pairs_left -= 1;
            if (!hit[i] || !hit[j]) && intersect(facet, &facets[j], eps_m, t) {
                hit[i] = true;
                hit[j] = true;
            }
        }
    }
    let faces = facets.iter().zip(&hit).filter(|(_, hit)| **hit).map(|(facet, _)| facet.face).collect();
    SelfIntersections { faces, truncated }
}

/// Whether two triangles share more than a touch: a common segment longer than `eps_m` through the inside of one of
/// them, or a common area in one plane. What they share by construction (a welded vertex or edge) does not count;
/// triangles on the same three vertices are duplicates and counted there. Distances below `eps_m` count as zero.
fn intersect(a: &Facet, b: &Facet, eps_m: f64, t: &Tolerances) -> bool {
    let shared = a.vertices.iter().filter(|v| b.vertices.contains(v)).count();
    let from_b = heights(a, b, eps_m);
    let from_a = heights(b, a, eps_m);
    match shared {
        3 => return false,
        2 => return is_flat(&from_a) && is_flat(&from_b) && folded(a, b),
        _ => {}
    }
    if is_flat(&from_b) {
        return share_area(&b.normal, a, b, eps_m);
    }
    if is_flat(&from_a) {
        return share_area(&a.normal, a, b, eps_m);
    }
    let (Some(a_lies_in_b), Some(b_lies_in_a)) = (meets_plane(&from_b), meets_plane(&from_a)) else {
        return false;
    };
    if a_lies_in_b && b_lies_in_a {
        return false; // edge along edge
    }
    let across = a.normal.cross(&b.normal);
    let sine = across.norm();
    let Some(line) = across.try_normalize(0.0) else { return false };
    let (on_a, on_b) = (span(&a.corners, &from_b, &line), span(&b.corners, &from_a, &line));
    if on_a.1.min(on_b.1) - on_a.0.max(on_b.0) <= eps_m {
        return false;
    }
    // Of two nearly parallel triangles a corner can count as lying in the other's plane and yet be far from the line
    // in which the planes meet; then their outlines must overlap too.
    sine > t.near_coplanar_sine || (share_area(&a.normal, a, b, eps_m) && share_area(&b.normal, a, b, eps_m))
}

/// Heights of the corners of `of` over the plane of `plane`, metres, snapped to 0.
fn heights(of: &Facet, plane: &Facet, eps_m: f64) -> [f64; 3] {
    of.corners.map(|corner| {
        let height = (corner - plane.corners[0]).dot(&plane.normal);
        if height.abs() <= eps_m { 0.0 } else { height }
    })
}

fn is_flat(heights: &[f64; 3]) -> bool {
    heights.iter().all(|h| *h == 0.0)
}

/// `None`: apart or touching in a point; `Some(true)`: one edge lies in the plane; `Some(false)`: crosses it.
fn meets_plane(heights: &[f64; 3]) -> Option<bool> {
    let above = heights.iter().filter(|h| **h > 0.0).count();
    let below = heights.iter().filter(|h| **h < 0.0).count();
    match (above, below) {
        (0, 1) | (1, 0) => Some(true),
        (0, _) | (_, 0) => None,
        _ => Some(false),
    }
}

/// The part of a triangle at height 0, as coordinates along `line`.
fn span(corners: &[Point3<f64>; 3], heights: &[f64; 3], line: &Vector3<f64>) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..3 {
        let j = (i + 1) % 3;
        let s = if heights[i] == 0.0 {
            0.0
        } else if (heights[i] > 0.0 && heights[j] < 0.0) || (heights[i] < 0.0 && heights[j] > 0.0) {
            heights[i] / (heights[i] - heights[j])
        } else {
            continue;
        };
        let along = corners[i].coords.lerp(&corners[j].coords, s).dot(line);
        low = low.min(along);
        high = high.max(along);
    }
    (low, high)
}

/// Two triangles in one plane on a common edge lie on each other when their third corners are on the same side of it.
fn folded(a: &Facet, b: &Facet) -> bool {
    let apex = |of: &Facet, other: &Facet| {
        (0..3).find(|&k| !other.vertices.contains(&of.vertices[k])).map(|k| (k, of.corners[k]))
    };
    let (Some((k, apex_a)), Some((_, apex_b))) = (apex(a, b), apex(b, a)) else { return false };
    let (from, to) = (a.corners[(k + 1) % 3], a.corners[(k + 2) % 3]);
    let edge = to - from;
    let off_edge = |apex: Point3<f64>| {
        let arm = apex - from;
        arm - edge * (arm.dot(&edge) / edge.norm_squared())
    };
    off_edge(apex_a).dot(&off_edge(apex_b)) > 0.0
}

/// Separating-axis test in the plane with this normal: no edge of either triangle separates them by less overlap than
/// `eps_m`.
fn share_area(normal: &Vector3<f64>, a: &Facet, b: &Facet, eps_m: f64) -> bool {
    [a, b].into_iter().all(|facet| {
        (0..3).all(|i| {
            let edge = facet.corners[(i + 1) % 3] - facet.corners[i];
            let Some(axis) = normal.cross(&edge).try_normalize(0.0) else { return false };
            let (a_low, a_high) = extent(a, &axis);
            let (b_low, b_high) = extent(b, &axis);
            (a_high - b_low).min(b_high - a_low) > eps_m
        })
    })
}

fn extent(facet: &Facet, axis: &Vector3<f64>) -> (f64, f64) {
    let along = facet.corners.map(|corner| corner.coords.dot(axis));
    (along[0].min(along[1]).min(along[2]), along[0].max(along[1]).max(along[2]))
}
