//! Each triangle in four.

use super::surface::{Face, Surface};
use nalgebra::{Point3, Vector3};
use std::collections::BTreeMap;

/// Where the new points lie, and whether the old ones move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Loop's scheme with Warren's weights; edges that have not just two triangles are kept as creases.
    Loop,
    /// In the middle of the edges; the shape stays.
    Midpoint,
}

/// An edge, its new point, and the corners across it.
#[derive(Debug, Clone)]
struct Side {
    point: usize,
    across: Vec<usize>,
}

/// Once; points are not rounded.
pub(crate) fn subdivided(surface: &Surface, rule: Rule) -> Surface {
    let sides = sides(surface);
    let mut points = match rule {
        Rule::Loop => smoothed(surface, &sides),
        Rule::Midpoint => surface.points.clone(),
    };
    let mut new: Vec<(usize, Point3<f64>)> =
        sides.iter().map(|(ends, side)| (side.point, on_side(surface, rule, *ends, side))).collect();
    new.sort_by_key(|(point, _)| *point);
    points.extend(new.into_iter().map(|(_, place)| place));
    let middle = |a: usize, b: usize| sides.get(&key(a, b)).map_or(a, |side| side.point);
    let faces = surface.faces.iter().flat_map(|face| {
        let [a, b, c] = face.corners;
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]].map(|corners| Face { corners, ..*face })
    });
    Surface { faces: faces.collect(), points }
}

fn key(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

/// New points are numbered after the old ones, as the triangles come upon them.
fn sides(surface: &Surface) -> BTreeMap<(usize, usize), Side> {
    let mut sides: BTreeMap<(usize, usize), Side> = BTreeMap::new();
    for face in &surface.faces {
        let [a, b, c] = face.corners;
        for (from, to, across) in [(a, b, c), (b, c, a), (c, a, b)] {
            let point = surface.points.len() + sides.len();
            let side = sides.entry(key(from, to)).or_insert(Side { point, across: Vec::new() });
            side.across.push(across);
        }
    }
    sides
}

fn on_side(surface: &Surface, rule: Rule, (a, b): (usize, usize), side: &Side) -> Point3<f64> {
    let at = |point: usize| surface.points[point].coords;
    let place = match (rule, side.across.as_slice()) {
        (Rule::Loop, [c, d]) => (at(a) + at(b)) * 0.375 + (at(*c) + at(*d)) * 0.125,
        _ => (at(a) + at(b)) * 0.5,
    };
    Point3::from(place)
}

/// The old points where the scheme puts them.
fn smoothed(surface: &Surface, sides: &BTreeMap<(usize, usize), Side>) -> Vec<Point3<f64>> {
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); surface.points.len()];
    let mut creases: Vec<Vec<usize>> = around.clone();
    for ((a, b), side) in sides {
        for (own, other) in [(*a, *b), (*b, *a)] {
            around[own].push(other);
            if side.across.len() != 2 {
                creases[own].push(other);
            }
        }
    }
    let sum = |points: &[usize]| {
        points.iter().fold(Vector3::<f64>::zeros(), |sum, point| sum + surface.points[*point].coords)
    };
    let places = surface.points.iter().zip(around.iter().zip(&creases)).map(|(point, (around, creases))| {
        let place = match (creases.len(), around.len()) {
            (0, valence) if valence >= 3 => {
                let weight = if valence == 3 { 0.1875 } else { 0.375 / valence as f64 };
                point.coords * (1.0 - weight * valence as f64) + sum(around) * weight
            }
            (2, _) => point.coords * 0.75 + sum(creases) * 0.125,
            _ => point.coords,
        };
        Point3::from(place)
    });
    places.collect()
}
