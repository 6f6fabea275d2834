//! Where vertical lines meet triangles.

use std::ops::Range;

use nalgebra::Point3;

/// Height in metres at which the vertical line through (x, z) passes the triangle. Edges are half-open and evaluated
/// alike from both of their faces, so that a line through an edge or vertex of a closed surface crosses it evenly.
pub(crate) fn height_at(corners: &[Point3<f64>; 3], x: f64, z: f64) -> Option<f64> {
    let [a, b, c] = corners;
    let mut inside = false;
    for (p, q) in [(a, b), (b, c), (c, a)] {
        let (p, q) = if p.z <= q.z { (p, q) } else { (q, p) };
        if p.z <= z && z < q.z && (q.x - p.x) * (z - p.z) > (x - p.x) * (q.z - p.z) {
            inside = !inside;
        }
    }
    if !inside {
        return None;
    }
    let doubled = |p: &Point3<f64>, q: &Point3<f64>| (p.x - x) * (q.z - z) - (p.z - z) * (q.x - x);
    let (wa, wb, wc) = (doubled(b, c), doubled(c, a), doubled(a, b));
    let sum = wa + wb + wc;
    let height = if sum == 0.0 { a.y } else { (wa * a.y + wb * b.y + wc * c.y) / sum };
    // Seen nearly edge-on, the quotient may leave the triangle.
    Some(height.clamp(a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y)))
}

/// Which of `count` cells of width `step`, laid out from `origin`, have their centre in [low, high]; all where the
/// cells have no width.
pub(crate) fn centres_between(low: f64, high: f64, origin: f64, step: f64, count: usize) -> Range<usize> {
    if step <= 0.0 {
        return 0..count;
    }
    let first = ((low - origin) / step - 0.5).ceil().max(0.0);
    let last = ((high - origin) / step - 0.5).floor();
    if last < first { 0..0 } else { (first as usize).min(count)..(last as usize + 1).min(count) }
}
