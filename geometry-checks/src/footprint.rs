//! Footprints on the ground: convex hulls in the XZ plane and the part of one that lies outside a rectangle.

/// Share in [0, 1] of the convex hull of `points_xz` (metres) that lies outside the rectangle: of its area, of its
/// length where the points lie on one line, of the one point where they coincide. 0 without points.
pub fn outside_share(points_xz: &[[f64; 2]], min_xz: [f64; 2], max_xz: [f64; 2]) -> f64 {
    let hull = convex_hull(points_xz);
    match hull.as_slice() {
        [] => 0.0,
        [p] => {
            let inside = (0..2).all(|axis| (min_xz[axis]..=max_xz[axis]).contains(&p[axis]));
            if inside { 0.0 } else { 1.0 }
        }
        [a, b] => 1.0 - inside_share_of_segment(*a, *b, min_xz, max_xz),
        polygon => {
            let inside = area(&clipped(polygon, min_xz, max_xz));
            (1.0 - inside / area(polygon)).clamp(0.0, 1.0)
        }
    }
}

/// Counter-clockwise convex hull (Andrew's monotone chain) without collinear points: one point, or the two ends of a
/// line, where there is no area. Points that are not finite are left out.
pub(crate) fn convex_hull(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut sorted: Vec<[f64; 2]> = points.iter().copied().filter(|p| p.iter().all(|c| c.is_finite())).collect();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let mut hull = half_hull(sorted.iter().copied());
    let upper = half_hull(sorted.iter().rev().copied());
    // Each half ends where the other begins.
    hull.pop();
    hull.extend(&upper[..upper.len() - 1]);
    hull
}

/// Distance in metres from `point` to the hull given by `convex_hull`; 0 inside, infinite where there is no hull.
pub(crate) fn distance_to_hull(hull: &[[f64; 2]], point: [f64; 2]) -> f64 {
    let edges = || hull.iter().zip(hull.iter().cycle().skip(1)).map(|(a, b)| (*a, *b));
    if hull.len() >= 3 && edges().all(|(a, b)| turn(a, b, point) >= 0.0) {
        return 0.0;
    }
    edges().map(|(a, b)| distance_to_segment(a, b, point)).fold(f64::INFINITY, f64::min)
}

fn half_hull(points: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let mut chain: Vec<[f64; 2]> = Vec::new();
    for point in points {
        while let [.., a, b] = chain.as_slice() {
            if turn(*a, *b, point) > 0.0 {
                break;
            }
            chain.pop();
        }
        chain.push(point);
    }
    chain
}

/// Twice the signed area of the triangle: positive when it turns from the first axis to the second.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn area(polygon: &[[f64; 2]]) -> f64 {
    let Some((&origin, rest)) = polygon.split_first() else { return 0.0 };
    rest.windows(2).map(|w| turn(origin, w[0], w[1])).sum::<f64>() / 2.0
}

/// Sutherland–Hodgman against the rectangle's four sides.
fn clipped(polygon: &[[f64; 2]], min: [f64; 2], max: [f64; 2]) -> Vec<[f64; 2]> {
    let mut kept = polygon.to_vec();
    for (axis, bound, sign) in [(0, min[0], 1.0), (0, max[0], -1.0), (1, min[1], 1.0), (1, max[1], -1.0)] {
        let depth = |p: [f64; 2]| sign * (p[axis] - bound);
        let mut next = Vec::with_capacity(kept.len() + 1);
        for (&a, &b) in kept.iter().zip(kept.iter().cycle().skip(1)) {
            let (from, to) = (depth(a), depth(b));
            if from >= 0.0 {
                next.push(a);
            }
            if (from >= 0.0) != (to >= 0.0) {
                let s = from / (from - to);
                next.push([a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])]);
            }
        }
        kept = next;
    }
    kept
}

fn inside_share_of_segment(a: [f64; 2], b: [f64; 2], min: [f64; 2], max: [f64; 2]) -> f64 {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for ((from, to), (low, high)) in a.into_iter().zip(b).zip(min.into_iter().zip(max)) {
        if from == to {
            if !(low..=high).contains(&from) {
                return 0.0;
            }
            continue;
        }
        let (s, e) = ((low - from) / (to - from), (high - from) / (to - from));
        enter = enter.max(s.min(e));
        leave = leave.min(s.max(e));
    }
    (leave - enter).clamp(0.0, 1.0)
}

fn distance_to_segment(a: [f64; 2], b: [f64; 2], point: [f64; 2]) -> f64 {
    let (dx, dz) = (b[0] - a[0], b[1] - a[1]);
    let length2 = dx * dx + dz * dz;
    let along = if length2 > 0.0 { ((point[0] - a[0]) * dx + (point[1] - a[1]) * dz) / length2 } else { 0.0 };
    let s = along.clamp(0.0, 1.0);
    let (ex, ez) = (point[0] - a[0] - s * dx, point[1] - a[1] - s * dz);
    (ex * ex + ez * ez).sqrt()
}
