//! How far two groups of bodies are from each other.

use std::cell::Cell;

use nalgebra::Point3;
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::partitioning::BvhNode;
use parry3d_f64::query::ClosestPoints;
use parry3d_f64::query::details::closest_points_support_map_support_map;
use parry3d_f64::shape::Triangle;

use crate::Body;
use crate::piece::Piece;
use crate::surface::Surface;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// Metres, exact to a ten-millionth of itself; 0 where surfaces cross or a body is inside another.
    pub distance_m: f64,
    /// Where that is, on the first group and on the second; `None` where surfaces cross or a body is inside another.
    pub points: Option<[Point3<f64>; 2]>,
    /// Indices into the two groups.
    pub bodies: [usize; 2],
    /// Not all triangles were held against each other: they may be nearer.
    pub truncated: bool,
}

/// Least distance between the surfaces of two groups, at most `most_pairs` pairs of triangles being looked at; `None`
/// where one group has no triangle.
pub fn distance(first: &[Body], second: &[Body], most_pairs: u64) -> Option<Distance> {
    let (first, second) = (parts(first), parts(second));
    let mut pairs: Vec<(f64, [usize; 2], [&Part; 2])> = Vec::new();
    for (i, a) in first.iter().enumerate() {
        pairs.extend(second.iter().enumerate().map(|(j, b)| (a.body.aabb().gap_m(b.body.aabb()), [i, j], [a, b])));
    }
    // Nearest boxes first, so that farther ones need no measuring.
    pairs.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    let left = Cell::new(most_pairs);
    let mut best: Option<Distance> = None;
    for (at_least_m, bodies, [a, b]) in pairs {
        let most_m = best.map_or(f64::MAX, |best| best.distance_m);
        if at_least_m >= most_m {
            break;
        }
        if let Some((distance_m, points)) = nearest(a, b, most_m, &left) {
            best = Some(Distance { distance_m, points, bodies, truncated: false });
        }
    }
    best.map(|best| Distance { truncated: left.get() == 0 && best.points.is_some(), ..best })
}

struct Part<'a> {
    body: &'a Body,
    surface: Surface,
}

fn parts(bodies: &[Body]) -> Vec<Part<'_>> {
    bodies
        .iter()
        .map(|body| {
            let whole = Piece::whole(body);
            Part { body, surface: Surface::of(whole.triangles()) }
        })
        .collect()
}

impl Part<'_> {
    fn encloses_some_of(&self, other: &Part<'_>) -> bool {
        let whole = Piece::whole(self.body);
        let inner = other.body.solid();
        let mut first_points = inner.parts.iter().filter_map(|part| inner.points.get(part.points.start));
        self.body.aabb().intersects(other.body.aabb()) && first_points.any(|point| whole.encloses(*point))
    }
}

/// What is found nearer than `most_m`.
fn nearest(a: &Part<'_>, b: &Part<'_>, most_m: f64, left: &Cell<u64>) -> Option<(f64, Option<[Point3<f64>; 2]>)> {
    if a.encloses_some_of(b) || b.encloses_some_of(a) {
        return Some((0.0, None));
    }
    let swapped = a.surface.triangles.len() > b.surface.triangles.len();
    let (few, many) = if swapped { (&b.surface, &a.surface) } else { (&a.surface, &b.surface) };
    let (mut best_m, mut best) = (most_m, None);
    for (triangle, own) in few.triangles.iter().zip(&few.boxes) {
        let nearer = many.bvh.find_best(
            best_m,
            |node: &BvhNode, _| {
                let spent = left.get() == 0;
                let gap = (node.mins() - own.maxs).max(own.mins - node.maxs()).max(Vector::ZERO);
                if spent { f64::MAX } else { gap.length() }
            },
            |leaf, _| {
                left.set(left.get().saturating_sub(1));
                between(triangle, many.triangles.get(leaf as usize)?)
            },
        );
        if let Some((_, (nearer_m, points))) = nearer {
            best_m = nearer_m;
            best = Some((nearer_m, points));
        }
    }
    let point = |at: Vector| Point3::new(at.x, at.y, at.z);
    best.map(|(distance_m, points)| {
        let points = points.map(|[on_few, on_many]| [point(on_few), point(on_many)]);
        (distance_m, points.map(|[on_few, on_many]| if swapped { [on_many, on_few] } else { [on_few, on_many] }))
    })
}

fn between(a: &Triangle, b: &Triangle) -> Option<(f64, Option<[Vector; 2]>)> {
    match closest_points_support_map_support_map(&Pose::IDENTITY, a, b, f64::MAX) {
        ClosestPoints::WithinMargin(on_a, on_b) => Some(((on_b - on_a).length(), Some([on_a, on_b]))),
        ClosestPoints::Intersecting => Some((0.0, None)),
        ClosestPoints::Disjoint => None,
    }
}
