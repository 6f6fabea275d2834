//! Convex solids, and the exact common volume of two of them.
//!
//! The surface of A ∩ B is the part of A's facets inside B and of B's facets inside A. Clipping each facet by the
//! other's planes and summing cones over the pieces gives the volume without building caps, and each piece depends
//! continuously on the input, so that no arrangement of faces is a special case but one: facets of both in one plane
//! and looking the same way, of which only A's are taken.

use nalgebra::{Point3, Vector3};

use super::{Measured, Method, chord::reach};
use crate::{Aabb, Tolerances, components::NONE, solid::Solid};

#[derive(Clone, Debug)]
pub(crate) struct Convex {
    centre: Point3<f64>,
    diagonal_m: f64,
    /// Corners and planes are relative to `centre`.
    corners: Vec<Vector3<f64>>,
    facets: Vec<Facet>,
}

/// A flat polygon, counter-clockwise from outside, and its plane: inside is `height_m` ≤ 0.
#[derive(Clone, Debug)]
struct Facet {
    outline: Vec<u32>,
    plane: Plane,
}

#[derive(Clone, Copy, Debug)]
struct Plane {
    normal: Vector3<f64>,
    offset_m: f64,
}

impl Plane {
    fn height_m(&self, point: &Vector3<f64>) -> f64 {
        self.normal.dot(point) - self.offset_m
    }
}

impl Convex {
    /// `None` unless the solid is closed, in one part, with two faces on each edge, and has all corners on or below
    /// the plane of each facet; also for more facets × corners than `convex_work`.
    pub(crate) fn of(solid: &Solid, aabb: &Aabb, tolerances: &Tolerances) -> Option<Self> {
        let [part] = &solid.parts[..] else { return None };
        if !solid.closed || part.volume_m3 <= 0.0 || solid.across.iter().flatten().any(|&other| other == NONE) {
            return None;
        }
        let (centre, diagonal_m) = (aabb.centre(), aabb.diagonal());
        let corners: Vec<Vector3<f64>> = solid.points.iter().map(|p| *p - centre).collect();
        let normals = triangle_normals(&corners, &solid.triangles)?;
        let height_m = |triangle: usize, corner: u32| {
            let on_plane = corners[solid.triangles[triangle][0] as usize];
            normals[triangle].dot(&(corners[corner as usize] - on_plane))
        };
        // A dent shows at an edge first: most solids that are not convex are refused here, in linear time.
        let limit_m = tolerances.convex_share * diagonal_m;
        let dented = |triangle: usize, other: u32| {
            solid.triangles[other as usize].iter().any(|&corner| height_m(triangle, corner) > limit_m)
        };
        if (0..normals.len()).any(|triangle| solid.across[triangle].iter().any(|&other| dented(triangle, other))) {
            return None;
        }

        let flat_m = tolerances.facet_share * diagonal_m;
        let one_plane = |triangle: usize, other: usize| {
            normals[triangle].dot(&normals[other]) > 0.0
                && solid.triangles[other].iter().all(|&corner| height_m(triangle, corner).abs() <= flat_m)
        };
        let outlines = facet_outlines(solid, one_plane)?;
        if outlines.len() * corners.len() > tolerances.convex_work {
            return None;
        }
        let facets = outlines
            .into_iter()
            .map(|outline| Some(Facet { plane: plane_of(&outline, &corners)?, outline }))
            .collect::<Option<Vec<_>>>()?;
        // Without an early exit, so that it runs over several corners at once.
        let below = |facet: &Facet| corners.iter().fold(true, |all, p| all & (facet.plane.height_m(p) <= limit_m));
        facets.iter().all(below).then_some(Self { centre, diagonal_m, corners, facets })
    }

    fn seen_from(&self, origin: Point3<f64>) -> Placed<'_> {
        let shift = self.centre - origin;
        Placed {
            shape: self,
            corners: self.corners.iter().map(|p| p + shift).collect(),
            planes: self
                .facets
                .iter()
                .map(|Facet { plane, .. }| Plane {
                    normal: plane.normal,
                    offset_m: plane.offset_m + plane.normal.dot(&shift),
                })
                .collect(),
        }
    }
}

fn triangle_normals(corners: &[Vector3<f64>], triangles: &[[u32; 3]]) -> Option<Vec<Vector3<f64>>> {
    let normal = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|v| corners[v as usize]);
        (b - a).cross(&(c - a)).try_normalize(0.0)
    };
    triangles.iter().map(normal).collect()
}

/// Outlines of the connected sets of triangles that lie in the plane of their first one; `None` where an outline is
/// not one simple loop.
fn facet_outlines(solid: &Solid, one_plane: impl Fn(usize, usize) -> bool) -> Option<Vec<Vec<u32>>> {
    let mut facet_of = vec![NONE; solid.triangles.len()];
    let mut next = vec![NONE; solid.points.len()];
    let mut outlines = Vec::new();
    for seed in 0..solid.triangles.len() {
        if facet_of[seed] != NONE {
            continue;
        }
        let facet = outlines.len() as u32;
        facet_of[seed] = facet;
        let mut members = vec![seed];
        let mut at = 0;
        while let Some(&triangle) = members.get(at) {
            at += 1;
            for other in solid.across[triangle].map(|other| other as usize) {
                if facet_of[other] == NONE && one_plane(seed, other) {
                    facet_of[other] = facet;
                    members.push(other);
                }
            }
        }

        let (mut start, mut sides) = (NONE, 0);
        for &triangle in &members {
            for side in 0..3 {
                if facet_of[solid.across[triangle][side] as usize] == facet {
                    continue;
                }
                start = solid.triangles[triangle][side];
                if next[start as usize] != NONE {
                    return None;
                }
                next[start as usize] = solid.triangles[triangle][(side + 1) % 3];
                sides += 1;
            }
        }
        let (mut corner, mut outline) = (start, Vec::with_capacity(sides));
        for _ in 0..sides {
            outline.push(corner);
            corner = std::mem::replace(next.get_mut(corner as usize)?, NONE);
        }
        if corner != start || sides < 3 {
            return None;
        }
        outlines.push(outline);
    }
    Some(outlines)
}

/// Newell's normal through the mean of the outline.
fn plane_of(outline: &[u32], corners: &[Vector3<f64>]) -> Option<Plane> {
    let first = corners[*outline.first()? as usize];
    let spoke = |corner: u32| corners[corner as usize] - first;
    let normal = outline
        .windows(2)
        .map(|side| spoke(side[0]).cross(&spoke(side[1])))
        .sum::<Vector3<f64>>()
        .try_normalize(0.0)?;
    let total_m: f64 = outline.iter().map(|&corner| normal.dot(&corners[corner as usize])).sum();
    Some(Plane { normal, offset_m: total_m / outline.len() as f64 })
}

/// A convex solid in the frame of one pair: world axes, origin in the middle of the common box, so that a place far
/// from the world's origin costs no digits.
struct Placed<'a> {
    shape: &'a Convex,
    corners: Vec<Vector3<f64>>,
    planes: Vec<Plane>,
}

impl Placed<'_> {
    /// Planes of this solid that cut `other`, with their indices; `None` where one of them separates the two.
    fn cutting(&self, other: &Self, contact_m: f64) -> Option<Vec<(usize, Plane)>> {
        let mut cutting = Vec::new();
        for (index, plane) in self.planes.iter().enumerate() {
            let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
            for corner in &other.corners {
                let height_m = plane.height_m(corner);
                least = least.min(height_m);
                most = most.max(height_m);
            }
            if least >= -contact_m {
                return None;
            }
            if most > contact_m {
                cutting.push((index, *plane));
            }
        }
        Some(cutting)
    }

    fn has_facet_in(&self, plane: &Plane, contact_m: f64) -> bool {
        let on_plane = |&corner: &u32| plane.height_m(&self.corners[corner as usize]).abs() <= contact_m;
        self.shape.facets.iter().any(|facet| facet.outline.iter().all(on_plane))
    }
}

/// Common volume of two convex solids about `origin`; `None` where a facet's plane separates them or nothing is left.
pub(super) fn common(a: &Convex, b: &Convex, origin: Point3<f64>, tolerances: &Tolerances) -> Option<Measured> {
    let contact_m = tolerances.contact_share * a.diagonal_m.min(b.diagonal_m);
    let (a, b) = (a.seen_from(origin), b.seen_from(origin));
    let cutting_a = b.cutting(&a, contact_m)?;
    let cutting_b = a.cutting(&b, contact_m)?;

    let mut pieces = Pieces::default();
    pieces.add(&a, &cutting_a, |_| false);
    pieces.add(&b, &cutting_b, |facet| {
        let cuts = cutting_a.binary_search_by_key(&facet, |(index, _)| *index).is_ok();
        !cuts && a.has_facet_in(&b.planes[facet], contact_m)
    });
    let volume_m3 = pieces.sixfold_m3 / 6.0;
    if volume_m3 <= 0.0 {
        return None;
    }
    let by_axis =
        |plus: &[Vector3<f64>], minus: &[Vector3<f64>]| [0, 1, 2].map(|axis| reach(plus, minus, axis, tolerances));
    Some(Measured {
        volume_m3,
        volume_error_m3: tolerances.noise_share * volume_m3,
        centre: origin + pieces.moment / (4.0 * pieces.sixfold_m3),
        thickness_m: by_axis(&pieces.corners, &pieces.corners),
        forward_m: by_axis(&b.corners, &a.corners),
        backward_m: by_axis(&a.corners, &b.corners),
        method: Method::Convex,
    })
}

/// The surface of the common solid, summed.
#[derive(Default)]
struct Pieces {
    sixfold_m3: f64,
    moment: Vector3<f64>,
    corners: Vec<Vector3<f64>>,
}

impl Pieces {
    fn add(&mut self, body: &Placed, cutting: &[(usize, Plane)], is_shared: impl Fn(usize) -> bool) {
        let (mut polygon, mut spare) = (Vec::new(), Vec::new());
        for (index, facet) in body.shape.facets.iter().enumerate() {
            if is_shared(index) {
                continue;
            }
            polygon.clear();
            polygon.extend(facet.outline.iter().map(|&corner| body.corners[corner as usize]));
            for (_, plane) in cutting {
                clip(&mut polygon, plane, &mut spare);
                if polygon.len() < 3 {
                    break;
                }
            }
            if let [first, rest @ ..] = polygon.as_slice()
                && rest.len() >= 2
            {
                for side in rest.windows(2) {
                    let sixfold_m3 = first.dot(&side[0].cross(&side[1]));
                    self.sixfold_m3 += sixfold_m3;
                    self.moment += (first + side[0] + side[1]) * sixfold_m3;
                }
                self.corners.extend_from_slice(&polygon);
            }
        }
    }
}

/// Keeps the part of the polygon on or below the plane (Sutherland and Hodgman).
fn clip(polygon: &mut Vec<Vector3<f64>>, plane: &Plane, spare: &mut Vec<Vector3<f64>>) {
    if polygon.iter().all(|point| plane.height_m(point) <= 0.0) {
        return;
    }
    let Some(&last) = polygon.last() else { return };
    spare.clear();
    let (mut before, mut before_m) = (last, plane.height_m(&last));
    for &point in polygon.iter() {
        let height_m = plane.height_m(&point);
        if (height_m > 0.0) != (before_m > 0.0) {
            spare.push(before + (point - before) * (before_m / (before_m - height_m)));
        }
        if height_m <= 0.0 {
            spare.push(point);
        }
        (before, before_m) = (point, height_m);
    }
    std::mem::swap(polygon, spare);
}
