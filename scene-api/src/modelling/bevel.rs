//! Edges of convex solids cut off or rounded.

use super::closed::Closed;
use super::patchwork::{NoSolid, Patchwork, Piece};
use super::shells::outward;
use super::surface::Surface;
use crate::tolerances::Tolerances;
use nalgebra::{Point3, Vector3};
use std::collections::{BTreeMap, BTreeSet};

/// Why a solid is not bevelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoBevel {
    NotConvex,
    /// No edge is sharp enough.
    NothingSharp,
    /// A side would be gone, or too narrow for single precision.
    TooWide,
    /// A side that is made would be degenerate.
    TooNarrow,
    /// More cuts than one call makes.
    Crowded {
        cuts: usize,
    },
}

/// Inside is what has no height above it.
#[derive(Debug, Clone, Copy)]
struct Plane {
    normal: Vector3<f64>,
    offset_m: f64,
}

/// A flat side, counter-clockwise seen from outside.
#[derive(Debug, Clone)]
struct Facet {
    outline: Vec<usize>,
    plane: Plane,
    part: usize,
    /// Whether the solid had it before it was cut.
    is_old: bool,
}

#[derive(Debug, Clone)]
struct Polyhedron {
    points: Vec<Point3<f64>>,
    facets: Vec<Facet>,
}

/// Cuts each edge at which sides differ by more than `angle_deg` by `segments` planes that touch a ball of radius
/// `radius_m` as it rolls inside along the edge: those that turn from the one side to the other by equal angles. Parts are
/// those of one of the two sides. The surface, and how many edges were cut.
pub(crate) fn beveled(
    solid: &Closed,
    radius_m: f64,
    segments: u32,
    angle_deg: f64,
) -> Result<(Surface, usize), NoBevel> {
    let tolerances = Tolerances::default();
    let reach_m = solid.surface.points.iter().map(|point| point.coords.amax()).fold(0.0, f64::max);
    let merge_m = tolerances.merge_share * reach_m;
    let facet_of = solid.facets(merge_m);
    let (mut body, number) = convex(solid, &facet_of, merge_m).ok_or(NoBevel::NotConvex)?;
    let least_cos = libm::cos(angle_deg.to_radians()) - tolerances.coplanar_cos;
    let mut sharp: BTreeSet<[usize; 2]> = BTreeSet::new();
    for edge in &solid.edges {
        let [one, other] = edge.faces.map(|face| number[&facet_of[face]]);
        if one != other && body.facets[one].plane.normal.dot(&body.facets[other].plane.normal) < least_cos {
            sharp.insert([one.min(other), one.max(other)]);
        }
    }
    if sharp.is_empty() {
        return Err(NoBevel::NothingSharp);
    }
    let cuts = sharp.len() * segments as usize;
    if cuts > tolerances.bevel_cuts {
        return Err(NoBevel::Crowded { cuts });
    }
    let sides = body.facets.clone();
    for [one, other] in &sharp {
        let (one, other) = (&sides[*one], &sides[*other]);
        for plane in tangents(&one.plane, &other.plane, radius_m, segments) {
            body.cut(plane, one.part, tolerances.on_plane_share * reach_m).ok_or(NoBevel::TooWide)?;
        }
    }
    if body.facets.iter().filter(|facet| facet.is_old).count() < sides.len() {
        return Err(NoBevel::TooWide);
    }
    let surface = body.surface(merge_m).map_err(|_| NoBevel::TooWide)?;
    Ok((surface, sharp.len()))
}

/// The polyhedron, and the index of each facet by its first face; `None` where the solid is dented, in several parts, or
/// has a side with holes.
fn convex(solid: &Closed, facet_of: &[usize], slack_m: f64) -> Option<(Polyhedron, BTreeMap<usize, usize>)> {
    if outward(&solid.surface).shells != 1 {
        return None;
    }
    let points = &solid.surface.points;
    let mut next: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    for edge in &solid.edges {
        let [along, against] = edge.faces.map(|face| facet_of[face]);
        let [low, high] = edge.ends;
        if along != against {
            let doubled =
                [next.entry(along).or_default().insert(low, high), next.entry(against).or_default().insert(high, low)];
            if doubled.iter().any(Option::is_some) {
                return None;
            }
        }
    }
    let mut facets = Vec::with_capacity(next.len());
    let mut number = BTreeMap::new();
    for (face, next) in next {
        let outline = loop_of(next)?;
        number.insert(face, facets.len());
        let part = solid.surface.faces[face].part;
        facets.push(Facet { plane: plane_of(&outline, points)?, outline, part, is_old: true });
    }
    // A closed surface in one piece that is dented along no edge is convex.
    let is_below = |own: usize, face: usize| {
        let plane = &facets[number[&facet_of[own]]].plane;
        solid.surface.faces[face].corners.iter().all(|corner| plane.height_m(&points[*corner]) <= slack_m)
    };
    let holds = solid.edges.iter().all(|edge| {
        let [one, other] = edge.faces;
        is_below(one, other) && is_below(other, one)
    });
    holds.then(|| (Polyhedron { points: points.clone(), facets }, number))
}

/// The one loop that leads from each point to the next; `None` where there are several.
fn loop_of(mut next: BTreeMap<usize, usize>) -> Option<Vec<usize>> {
    let start = *next.keys().next()?;
    let (mut at, mut outline) = (start, Vec::with_capacity(next.len()));
    while let Some(after) = next.remove(&at) {
        outline.push(at);
        at = after;
    }
    (at == start && next.is_empty() && outline.len() > 2).then_some(outline)
}

/// Newell's normal, through the mean of the points.
fn plane_of(outline: &[usize], points: &[Point3<f64>]) -> Option<Plane> {
    let first = points[*outline.first()?];
    let spokes: Vec<Vector3<f64>> = outline.iter().map(|point| points[*point] - first).collect();
    let around = spokes.iter().zip(spokes.iter().skip(1));
    let normal = around.fold(Vector3::<f64>::zeros(), |sum, (a, b)| sum + a.cross(b)).try_normalize(0.0)?;
    let total_m: f64 = outline.iter().map(|point| normal.dot(&points[*point].coords)).sum();
    Some(Plane { normal, offset_m: total_m / outline.len() as f64 })
}

/// Planes between two others that touch the ball which touches both from inside.
fn tangents(one: &Plane, other: &Plane, radius_m: f64, segments: u32) -> Vec<Plane> {
    let (sine, cosine) = (one.normal.cross(&other.normal).norm(), one.normal.dot(&other.normal));
    let angle_rad = libm::atan2(sine, cosine);
    let turned = |step: u32| {
        // A sum of the two normals is one of the heights too, so the ball's middle need not be known.
        let share = f64::from(step) / f64::from(segments + 1);
        let of_one = libm::sin((1.0 - share) * angle_rad) / sine;
        let of_other = libm::sin(share * angle_rad) / sine;
        let middle_m = (one.offset_m - radius_m) * of_one + (other.offset_m - radius_m) * of_other;
        Plane { normal: one.normal * of_one + other.normal * of_other, offset_m: middle_m + radius_m }
    };
    (1..=segments).map(turned).collect()
}

impl Plane {
    fn height_m(&self, point: &Point3<f64>) -> f64 {
        self.normal.dot(&point.coords) - self.offset_m
    }
}

impl Polyhedron {
    /// Takes away what is above the plane, and puts a facet there. Points within `level_m` of it are on it. `None` where
    /// the section is no polygon.
    fn cut(&mut self, plane: Plane, part: usize, level_m: f64) -> Option<()> {
        let heights_m: Vec<f64> = self.points.iter().map(|point| plane.height_m(point)).collect();
        let is_above = |point: usize| heights_m[point] > level_m;
        let mut met: BTreeMap<[usize; 2], usize> = BTreeMap::new();
        let mut section: BTreeMap<usize, usize> = BTreeMap::new();
        let mut facets = Vec::with_capacity(self.facets.len() + 1);
        for facet in std::mem::take(&mut self.facets) {
            if !facet.outline.iter().any(|point| is_above(*point)) {
                facets.push(facet);
                continue;
            }
            let mut outline: Vec<usize> = Vec::with_capacity(facet.outline.len() + 1);
            let (mut left_at, mut back_at) = (None, None);
            for (from, to) in facet.outline.iter().copied().zip(facet.outline.iter().copied().cycle().skip(1)) {
                if !is_above(from) {
                    outline.push(from);
                }
                if is_above(from) == is_above(to) {
                    continue;
                }
                let [below, above] = if is_above(from) { [to, from] } else { [from, to] };
                let at = if heights_m[below] >= -level_m {
                    below
                } else {
                    *met.entry([below, above]).or_insert_with(|| {
                        let share = heights_m[below] / (heights_m[below] - heights_m[above]);
                        let place = self.points[below] + (self.points[above] - self.points[below]) * share;
                        self.points.push(place);
                        self.points.len() - 1
                    })
                };
                outline.push(at);
                let end = if is_above(to) { &mut left_at } else { &mut back_at };
                *end = Some(at);
            }
            if let (Some(left), Some(back)) = (left_at, back_at)
                && left != back
                && section.insert(back, left).is_some()
            {
                return None;
            }
            outline.dedup();
            if outline.len() > 1 && outline.first() == outline.last() {
                outline.pop();
            }
            if outline.len() > 2 {
                facets.push(Facet { outline, ..facet });
            }
        }
        if !section.is_empty() {
            facets.push(Facet { outline: loop_of(section)?, plane, part, is_old: false });
        }
        self.facets = facets;
        Some(())
    }

    fn surface(&self, merge_m: f64) -> Result<Surface, NoSolid> {
        let pieces = self.facets.iter().map(|facet| {
            let ends = facet.outline.iter().copied().zip(facet.outline.iter().copied().cycle().skip(1));
            Piece { edges: ends.map(|(from, to)| [from, to]).collect(), normal: facet.plane.normal, part: facet.part }
        });
        Patchwork::of(&self.points, self.points.len(), pieces.collect(), merge_m)?.filled()
    }
}
