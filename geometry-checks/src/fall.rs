//! How far bodies fall straight down, without turning, until they meet others.
//!
//! Over the outline that two faces share from above, the vertical distance between them is linear, so it is least at
//! one of the outline's corners: the answer is exact to rounding, whether a corner meets a face or an edge an edge.

use std::cell::Cell;

use parry3d_f64::bounding_volume::Aabb as LeafBox;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::BvhNode;
use parry3d_f64::shape::Triangle;

use crate::piece::Piece;
use crate::surface::Surface;
use crate::{Body, Tolerances};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fall {
    /// `None` where nothing is below.
    pub landing: Option<Landing>,
    /// Not all faces were held against each other: something may be in the way.
    pub truncated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Landing {
    /// Metres to the first contact; less than 0, to the depth of a joint, where they are sunk in and have to rise.
    pub drop_m: f64,
    /// Index of the body below.
    pub on: usize,
}

/// `falling` move as one. Faces that lie deeper in `below` than a joint may (`t.joint_share` of the thinner body) are
/// not met. Bodies that only touch side by side pass each other, and so do two sheets that both stand upright. At most
/// `most_pairs` pairs of faces are looked at.
pub fn fall(falling: &[Body], below: &[Body], most_pairs: u64, t: &Tolerances) -> Fall {
    let left = Cell::new(most_pairs);
    let falling: Vec<(&Body, Surface)> = falling.iter().map(|body| (body, bearing(body, t))).collect();
    let mut landing: Option<Landing> = None;
    for (on, lower) in below.iter().enumerate() {
        let under = bearing(lower, t);
        for (upper, over) in &falling {
            let thinner_m = upper.thin_extent_m().min(lower.thin_extent_m());
            let sunk_m = (t.joint_share * thinner_m).max(t.touch_m(thinner_m));
            for (face, own) in over.triangles.iter().zip(&over.boxes) {
                let nearest = under.bvh.find_best(
                    landing.map_or(f64::MAX, |found| found.drop_m),
                    |node: &BvhNode, _| if left.get() == 0 { f64::MAX } else { least_gap_m(own, node, sunk_m) },
                    |leaf, _| {
                        left.set(left.get().saturating_sub(1));
                        gap_m(face, under.triangles.get(leaf as usize)?, sunk_m, t)
                    },
                );
                if let Some((_, drop_m)) = nearest {
                    landing = Some(Landing { drop_m, on });
                }
            }
        }
    }
    Fall { landing, truncated: left.get() == 0 }
}

/// All faces but the upright ones of a closed body, whose edges other faces have too.
fn bearing(body: &Body, t: &Tolerances) -> Surface {
    let whole = Piece::whole(body);
    let faces = whole.triangles().filter(|corners| {
        let [a, b, c] = corners.map(|p| Vector::new(p.x, p.y, p.z));
        !(body.closed() && is_upright(&Triangle::new(a, b, c), t))
    });
    Surface::of(faces)
}

/// No face in the box can be met sooner; `f64::MAX` where none can be met.
fn least_gap_m(own: &LeafBox, node: &BvhNode, sunk_m: f64) -> f64 {
    let (mins, maxs) = (node.mins(), node.maxs());
    let beside = own.maxs.x < mins.x || maxs.x < own.mins.x || own.maxs.z < mins.z || maxs.z < own.mins.z;
    if beside || own.maxs.y - mins.y < -sunk_m { f64::MAX } else { (own.mins.y - maxs.y).max(-sunk_m) }
}

/// Least vertical distance from `upper` down to `lower`, at least −`sunk_m`; `None` where they do not meet.
fn gap_m(upper: &Triangle, lower: &Triangle, sunk_m: f64, t: &Tolerances) -> Option<f64> {
    let plan = |face: &Triangle| turn(face.a, face.b, face.c).abs();
    let (face, plane, sign) = if plan(lower) >= plan(upper) { (upper, lower, 1.0) } else { (lower, upper, -1.0) };
    let gaps_m = shared_outline(face, plane, t)?.into_iter().map(|at| sign * (at.y - height_m(plane, at)));
    let (least_m, most_m) =
        gaps_m.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), gap| (least.min(gap), most.max(gap)));
    (most_m >= -sunk_m).then(|| least_m.max(-sunk_m))
}

/// The part of `face` that is over or under `plane`; `None` where they meet in no more than a line.
fn shared_outline(face: &Triangle, plane: &Triangle, t: &Tolerances) -> Option<Vec<Vector>> {
    if is_upright(plane, t) {
        return None;
    }
    let way = turn(plane.a, plane.b, plane.c).signum();
    let mut outline = vec![face.a, face.b, face.c];
    for (from, to) in [(plane.a, plane.b), (plane.b, plane.c), (plane.c, plane.a)] {
        outline = clipped(&outline, |at| way * turn(from, to, at));
    }
    let first = *outline.first()?;
    let (low, high) = outline.iter().fold((first, first), |(low, high), at| (low.min(*at), high.max(*at)));
    let across_m = (high.x - low.x).max(high.z - low.z);
    if is_upright(face, t) {
        return (across_m > t.weld_share * longest_m2(face).sqrt()).then_some(outline);
    }
    let sides = outline.iter().zip(outline.iter().skip(1));
    let doubled_m2: f64 = sides.map(|(p, q)| turn(first, *p, *q)).sum();
    (doubled_m2.abs() > t.weld_share * across_m * across_m).then_some(outline)
}

/// Sutherland and Hodgman's: what of a convex outline has `inside` ≥ 0.
fn clipped(outline: &[Vector], inside: impl Fn(Vector) -> f64) -> Vec<Vector> {
    let mut kept = Vec::with_capacity(outline.len() + 1);
    for (p, q) in outline.iter().zip(outline.iter().cycle().skip(1)) {
        let (at_p, at_q) = (inside(*p), inside(*q));
        if at_p >= 0.0 {
            kept.push(*p);
        }
        if (at_p > 0.0 && at_q < 0.0) || (at_p < 0.0 && at_q > 0.0) {
            kept.push(*p + (*q - *p) * (at_p / (at_p - at_q)));
        }
    }
    kept
}

/// Of a face that is not upright, above or below a place within it.
fn height_m(face: &Triangle, at: Vector) -> f64 {
    let (a, b, c) = (face.a, face.b, face.c);
    let (of_a, of_b, of_c) = (turn(b, c, at), turn(c, a, at), turn(a, b, at));
    let height_m = (of_a * a.y + of_b * b.y + of_c * c.y) / (of_a + of_b + of_c);
    // Seen nearly edge-on, the quotient may leave the triangle.
    height_m.clamp(a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y))
}

/// Twice the area of a triangle seen from above, signed.
fn turn(a: Vector, b: Vector, c: Vector) -> f64 {
    (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x)
}

fn is_upright(face: &Triangle, t: &Tolerances) -> bool {
    turn(face.a, face.b, face.c).abs() <= t.weld_share * longest_m2(face)
}

fn longest_m2(face: &Triangle) -> f64 {
    let (a, b, c) = (face.a, face.b, face.c);
    (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared())
}
