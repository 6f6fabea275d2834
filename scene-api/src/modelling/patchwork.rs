//! Solids of flat pieces, each known by its edges.

use super::closed::Closed;
use super::fused::merged;
use super::outline::filled;
use super::surface::{Face, Surface, single_precision};
use crate::tolerances::Tolerances;
use geometry_checks::{Aabb, touching_pairs};
use nalgebra::{Point3, Vector3};
use std::collections::{BTreeMap, BTreeSet};

/// Why no solid came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoSolid {
    /// More pairs of faces and edges are near each other than one call looks at.
    Crowded,
    /// One of the solids overlaps itself, or has parts inside out.
    Overlapping,
    /// It would touch itself along an edge.
    Touching,
    /// Nothing thicker than rounding would be left.
    Empty,
    /// Places are too near each other for single precision.
    Unclear,
}

/// A flat part of a surface: what is on the left of its edges, seen against its normal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece {
    pub(crate) edges: Vec<[usize; 2]>,
    pub(crate) normal: Vector3<f64>,
    /// Of the triangles that it is filled with.
    pub(crate) part: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Patchwork {
    points: Vec<Point3<f64>>,
    pieces: Vec<Piece>,
}

/// How often each edge is run from its lower point to its higher, less how often the other way.
type Chain = BTreeMap<[usize; 2], i32>;

impl Patchwork {
    /// Rounds points to single precision. Those within `distance_m` of each other become one, and those from `first_new`
    /// on become corners of the edges that they are as near to; what a piece has twice in opposite directions goes.
    ///
    /// # Errors
    /// `Unclear` where edges of pieces do not match, `Crowded`.
    pub(crate) fn of(
        points: &[Point3<f64>],
        first_new: usize,
        pieces: Vec<Piece>,
        distance_m: f64,
    ) -> Result<Self, NoSolid> {
        let stored: Vec<Point3<f64>> =
            points.iter().map(|point| Point3::from(single_precision(point.coords).map(f64::from))).collect();
        let (points, moved_to) = merged(&stored, distance_m);
        let joints: BTreeSet<usize> = moved_to.iter().skip(first_new).copied().collect();
        let chains: Vec<Chain> =
            pieces.iter().map(|piece| net(piece.edges.iter().map(|ends| (ends.map(|end| moved_to[end]), 1)))).collect();
        let between = between(&points, &chains, &joints, distance_m)?;
        let mut settled = Vec::with_capacity(pieces.len());
        for (piece, chain) in pieces.into_iter().zip(chains) {
            let finer = chain.into_iter().flat_map(|(ends, times)| {
                let [from, to] = ends;
                let inner = between.get(&ends).into_iter().flatten().copied();
                let corners: Vec<usize> = [from].into_iter().chain(inner).chain([to]).collect();
                corners.iter().zip(corners.iter().skip(1)).map(|(a, b)| ([*a, *b], times)).collect::<Vec<_>>()
            });
            let edges: Result<Vec<[usize; 2]>, NoSolid> = net(finer)
                .into_iter()
                .map(|([from, to], times)| match times {
                    1 => Ok([from, to]),
                    -1 => Ok([to, from]),
                    _ => Err(NoSolid::Unclear),
                })
                .collect();
            settled.push(Piece { edges: edges?, ..piece });
        }
        settled.retain(|piece| !piece.edges.is_empty());
        let whole = net(settled.iter().flat_map(|piece| piece.edges.iter().map(|ends| (*ends, 1))));
        if whole.is_empty() { Ok(Self { points, pieces: settled }) } else { Err(NoSolid::Unclear) }
    }

    pub(crate) fn volume_m3(&self) -> f64 {
        let origin = self.points.first().copied().unwrap_or_else(Point3::origin);
        let cones = self.pieces.iter().map(|piece| {
            let apex = piece.edges.first().map_or(origin, |[from, _]| self.points[*from]);
            (apex - origin).dot(&self.doubled_area(piece)) / 6.0
        });
        cones.sum()
    }

    pub(crate) fn area_m2(&self) -> f64 {
        self.pieces.iter().map(|piece| self.doubled_area(piece).norm() / 2.0).sum()
    }

    /// Along the normal, as long as twice the area.
    fn doubled_area(&self, piece: &Piece) -> Vector3<f64> {
        let Some(apex) = piece.edges.first().map(|[from, _]| self.points[*from]) else { return Vector3::zeros() };
        let spokes = piece.edges.iter().map(|ends| ends.map(|end| self.points[end] - apex));
        spokes.fold(Vector3::<f64>::zeros(), |sum, [from, to]| sum + from.cross(&to))
    }

    /// # Errors
    /// `Touching`; `Unclear` where a piece cannot be filled.
    pub(crate) fn filled(&self) -> Result<Surface, NoSolid> {
        let mut runs: BTreeSet<[usize; 2]> = BTreeSet::new();
        if !self.pieces.iter().flat_map(|piece| &piece.edges).all(|ends| runs.insert(*ends)) {
            return Err(NoSolid::Touching);
        }
        let mut faces = Vec::new();
        for piece in &self.pieces {
            let triangles = self.triangles(piece).ok_or(NoSolid::Unclear)?;
            faces.extend(triangles.into_iter().map(|corners| Face { corners, part: piece.part }));
        }
        let surface = Surface { points: self.points.clone(), faces };
        if Closed::of(&surface).is_some() { Ok(surface) } else { Err(NoSolid::Unclear) }
    }

    fn triangles(&self, piece: &Piece) -> Option<Vec<[usize; 3]>> {
        if let [[a, b], second, third] = piece.edges.as_slice() {
            let next = if second[0] == *b { second } else { third };
            return (next[0] == *b).then(|| vec![[*a, *b, next[1]]]);
        }
        let axis = piece.normal.iamax();
        let (right, up) = ((axis + 1) % 3, (axis + 2) % 3);
        let (right, up) = if piece.normal[axis] < 0.0 { (up, right) } else { (right, up) };
        let corners: BTreeSet<usize> = piece.edges.iter().flatten().copied().collect();
        let corners: Vec<usize> = corners.into_iter().collect();
        let number: BTreeMap<usize, usize> = corners.iter().copied().zip(0..).collect();
        let flat: Vec<[f64; 2]> =
            corners.iter().map(|corner| [self.points[*corner][right], self.points[*corner][up]]).collect();
        let edges: Vec<[usize; 2]> = piece.edges.iter().map(|ends| ends.map(|end| number[&end])).collect();
        let triangles = filled(&flat, &edges).ok()?;
        Some(triangles.into_iter().map(|triangle| triangle.map(|corner| corners[corner])).collect())
    }
}

/// Without edges that begin where they end, and without those that are run as often one way as the other.
fn net(runs: impl Iterator<Item = ([usize; 2], i32)>) -> Chain {
    let mut chain = Chain::new();
    for ([from, to], times) in runs.filter(|([from, to], _)| from != to) {
        let is_upward = from < to;
        *chain.entry([from.min(to), from.max(to)]).or_default() += if is_upward { times } else { -times };
    }
    chain.retain(|_, times| *times != 0);
    chain
}

/// The joints that lie on each edge, in order from its lower end.
fn between(
    points: &[Point3<f64>],
    chains: &[Chain],
    joints: &BTreeSet<usize>,
    distance_m: f64,
) -> Result<BTreeMap<[usize; 2], Vec<usize>>, NoSolid> {
    let edges: BTreeSet<[usize; 2]> = chains.iter().flat_map(|chain| chain.keys().copied()).collect();
    let (edges, joints): (Vec<[usize; 2]>, Vec<usize>) =
        (edges.into_iter().collect(), joints.iter().copied().collect());
    let slack_m = Vector3::repeat(distance_m);
    let boxes: Vec<Aabb> = edges
        .iter()
        .map(|ends| {
            let [a, b] = ends.map(|end| points[end]);
            Aabb { min: a.inf(&b) - slack_m, max: a.sup(&b) + slack_m }
        })
        .collect();
    let places: Vec<Aabb> = joints.iter().map(|joint| Aabb { min: points[*joint], max: points[*joint] }).collect();
    let near = touching_pairs(&boxes, &places, Tolerances::default().crossing_pairs).ok_or(NoSolid::Crowded)?;
    let mut found: BTreeMap<[usize; 2], Vec<(f64, usize)>> = BTreeMap::new();
    for (edge, joint) in near {
        let (ends, joint) = (edges[edge], joints[joint]);
        if ends.contains(&joint) {
            continue;
        }
        let [from, to] = ends.map(|end| points[end]);
        let (along, beyond) = (to - from, points[joint] - from);
        let share = beyond.dot(&along) / along.norm_squared();
        if share > 0.0 && share < 1.0 && (beyond - along * share).norm() <= distance_m {
            found.entry(ends).or_default().push((share, joint));
        }
    }
    let in_order = found.into_iter().map(|(ends, mut on)| {
        on.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        (ends, on.into_iter().map(|(_, joint)| joint).collect())
    });
    Ok(in_order.collect())
}
