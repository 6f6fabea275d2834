//! Unions, differences and intersections of solids.
//!
//! Which points, edges and crossings of the two surfaces belong to the result is decided by winding numbers
//! (`crossing`); the edges of each face that do are what its flat piece is filled from (`patchwork`).

use super::closed::{Closed, Edge};
use super::crossing::{Pair, Side};
use super::patchwork::{NoSolid, Patchwork, Piece};
use super::surface::Surface;
use crate::tolerances::Tolerances;
use geometry_checks::{Aabb, touching_pairs};
use nalgebra::Point3;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Union,
    /// The first without the second.
    Difference,
    Intersection,
}

/// Where edges of the result begin or end.
#[derive(Debug, Clone, Copy)]
struct Knot {
    point: usize,
    begins: bool,
}

/// What belongs to the result; own points of the solids come before new ones.
#[derive(Debug, Default)]
struct Kept {
    points: Vec<Point3<f64>>,
    first_new: usize,
    /// On the edges of the one solid, and of the other.
    along: [BTreeMap<usize, Vec<Knot>>; 2],
    /// Where a face of the first crosses one of the second.
    across: BTreeMap<[usize; 2], Vec<Knot>>,
}

/// Points are in single precision, parts as given. The volume is checked against that of the operation which must give
/// the rest (union and intersection, difference and intersection).
///
/// # Errors
/// See `NoSolid`.
pub(crate) fn boolean(first: &Closed, second: &Closed, operation: Operation) -> Result<Surface, NoSolid> {
    let merge_m = merge_m(first, second);
    let result = patchwork(first, second, operation, merge_m)?;
    let (volume_m3, rest) = match operation {
        Operation::Union => (first.volume_m3() + second.volume_m3(), Operation::Intersection),
        Operation::Difference => (first.volume_m3(), Operation::Intersection),
        Operation::Intersection => (first.volume_m3(), Operation::Difference),
    };
    let rest_m3 = patchwork(first, second, rest, merge_m)?.volume_m3();
    let slack_m3 = merge_m * (first.area_m2() + second.area_m2());
    if (result.volume_m3() + rest_m3 - volume_m3).abs() > slack_m3 {
        return Err(NoSolid::Unclear);
    }
    if result.volume_m3() <= merge_m * result.area_m2() {
        return Err(NoSolid::Empty);
    }
    result.filled()
}

/// The rounding of new points, which are in the box that both have in common; never so little that cells of that size
/// cannot be counted.
fn merge_m(first: &Closed, second: &Closed) -> f64 {
    let tolerances = Tolerances::default();
    let of = |solid: &Closed| Aabb::around(solid.surface.points.iter().copied());
    let Some((a, b)) = of(first).zip(of(second)) else { return tolerances.merge_share };
    let reach_m = |aabb: &Aabb| aabb.min.coords.amax().max(aabb.max.coords.amax());
    let (min, max) = (a.min.sup(&b.min), a.max.inf(&b.max));
    let is_apart = (0..3).any(|axis| min[axis] > max[axis]);
    let whole_m = reach_m(&a.union(&b));
    let common_m = if is_apart { whole_m } else { reach_m(&Aabb { min, max }) };
    tolerances.merge_share * common_m.max(tolerances.on_plane_share * whole_m)
}

fn patchwork(first: &Closed, second: &Closed, operation: Operation, merge_m: f64) -> Result<Patchwork, NoSolid> {
    let kept = kept(first, second, operation)?;
    let solids = [first, second];
    let facets = solids.map(|solid| solid.facets(merge_m));
    let mut edges_of: BTreeMap<(usize, usize), Vec<[usize; 2]>> = BTreeMap::new();
    let mut add = |solid: usize, face: usize, ends: [usize; 2]| {
        edges_of.entry((solid, facets[solid][face])).or_default().push(ends);
    };
    for (index, (solid, along)) in solids.into_iter().zip(&kept.along).enumerate() {
        for (edge, knots) in along {
            let Edge { ends, faces: [left, right] } = solid.edges[*edge];
            let [start, end] = ends.map(|end| solid.surface.points[end]);
            let direction = end - start;
            for [from, to] in runs(knots, |point| direction.dot(&kept.points[point].coords))? {
                add(index, left, [from, to]);
                add(index, right, [to, from]);
            }
        }
    }
    for ([own, other], knots) in &kept.across {
        let around = Aabb::around(knots.iter().map(|knot| kept.points[knot.point]));
        let axis = around.map_or(0, |around| around.extents().imax());
        for [from, to] in runs(knots, |point| kept.points[point][axis])? {
            add(0, *own, [from, to]);
            add(1, *other, [to, from]);
        }
    }
    let pieces = edges_of.into_iter().map(|((index, facet), edges)| {
        let is_turned = index == 1 && operation == Operation::Difference;
        let normal = solids[index].normal(facet);
        let normal = if is_turned { -normal } else { normal };
        Piece { edges, normal, part: solids[index].surface.faces[facet].part }
    });
    Patchwork::of(&kept.points, kept.first_new, pieces.collect(), merge_m)
}

fn kept(first: &Closed, second: &Closed, operation: Operation) -> Result<Kept, NoSolid> {
    let pair = Pair::new(first, second, operation == Operation::Union);
    // How often points of each solid that are outside of the other are in the result, and what each turn around them
    // adds to that. Less than nothing is inside out.
    let (outside, by_turn) = match operation {
        Operation::Union => ([1, 1], -1),
        Operation::Difference => ([1, 0], -1),
        Operation::Intersection => ([0, 0], 1),
    };
    let sides = [Side::First, Side::Second];
    let mut kept = Kept::default();
    for (index, side) in sides.into_iter().enumerate() {
        let (own, _) = pair.solids(side);
        let mut number: BTreeMap<usize, (usize, bool)> = BTreeMap::new();
        for (point, winding) in windings(&pair, side)?.into_iter().enumerate() {
            if !(0..=1).contains(&winding) {
                return Err(NoSolid::Overlapping);
            }
            let times = outside[index] + by_turn * winding;
            if times != 0 {
                number.insert(point, (kept.points.len(), times > 0));
                kept.points.push(own.surface.points[point]);
            }
        }
        for (edge, Edge { ends, .. }) in own.edges.iter().enumerate() {
            for (end, point) in ends.iter().enumerate() {
                if let Some((point, is_upright)) = number.get(point).copied() {
                    let knot = Knot { point, begins: is_upright == (end == 0) };
                    kept.along[index].entry(edge).or_default().push(knot);
                }
            }
        }
    }
    kept.first_new = kept.points.len();
    for (index, side) in sides.into_iter().enumerate() {
        let (own, _) = pair.solids(side);
        for (edge, face, sign, place) in crossings(&pair, side)? {
            let begins = match by_turn * sign {
                -1 => true,
                1 => false,
                _ => return Err(NoSolid::Overlapping),
            };
            let point = kept.points.len();
            kept.points.push(place);
            kept.along[index].entry(edge).or_default().push(Knot { point, begins });
            let [left, right] = own.edges[edge].faces;
            for (beside, begins) in [(left, begins != (index == 0)), (right, begins != (index == 1))] {
                let faces = if index == 0 { [beside, face] } else { [face, beside] };
                kept.across.entry(faces).or_default().push(Knot { point, begins });
            }
        }
    }
    Ok(kept)
}

/// From each beginning, in order along the line, to the end of the same rank.
fn runs(knots: &[Knot], place: impl Fn(usize) -> f64) -> Result<Vec<[usize; 2]>, NoSolid> {
    let in_order = |begins: bool| {
        let mut points: Vec<usize> = knots.iter().filter(|knot| knot.begins == begins).map(|knot| knot.point).collect();
        points.sort_by(|a, b| (place(*a) + 0.0).total_cmp(&(place(*b) + 0.0)).then(a.cmp(b)));
        points
    };
    let (beginnings, ends) = (in_order(true), in_order(false));
    if beginnings.len() == ends.len() {
        Ok(beginnings.into_iter().zip(ends).map(|(from, to)| [from, to]).collect())
    } else {
        Err(NoSolid::Unclear)
    }
}

/// Of the other surface around each point of this side.
fn windings(pair: &Pair, side: Side) -> Result<Vec<i32>, NoSolid> {
    let (own, across) = pair.solids(side);
    // What lies above or below a point is where it is without z.
    let flat = |points: &[Point3<f64>]| Aabb::around(points.iter().map(|point| Point3::new(point.x, point.y, 0.0)));
    let points: Vec<Aabb> = own.surface.points.iter().filter_map(|point| flat(&[*point])).collect();
    let faces: Vec<Aabb> = across.surface.faces.iter().filter_map(|face| flat(&across.surface.corners(face))).collect();
    let mut windings = vec![0; points.len()];
    for (point, face) in near(&points, &faces)? {
        windings[point] += pair.winding(side, point, face);
    }
    Ok(windings)
}

/// An edge of one side, a face of the other that it passes through, which way, and where.
type Crossing = (usize, usize, i32, Point3<f64>);

fn crossings(pair: &Pair, side: Side) -> Result<Vec<Crossing>, NoSolid> {
    let (own, across) = pair.solids(side);
    let edges: Vec<Aabb> =
        own.edges.iter().filter_map(|edge| Aabb::around(edge.ends.map(|end| own.surface.points[end]))).collect();
    let faces: Vec<Aabb> =
        across.surface.faces.iter().filter_map(|face| Aabb::around(across.surface.corners(face))).collect();
    let met = near(&edges, &faces)?.into_iter().filter_map(|(edge, face)| {
        let (sign, place) = pair.edge_face(side, edge, face)?;
        Some((edge, face, sign, place))
    });
    Ok(met.collect())
}

fn near(ones: &[Aabb], others: &[Aabb]) -> Result<Vec<(usize, usize)>, NoSolid> {
    touching_pairs(ones, others, Tolerances::default().crossing_pairs).ok_or(NoSolid::Crowded)
}
