//! How far a convex set reaches along an axis: longest chords, and moves that separate.

use nalgebra::Vector3;

use crate::Tolerances;

/// Greatest t for which t·axis lies in the hull of {p − m : p ∈ plus, m ∈ minus}; 0 where the axis misses it.
///
/// With `plus` = `minus` = the corners of a convex body this is its longest chord along the axis. With the corners of
/// b and of a it is how far a must move along the axis until it has passed b. Solved exactly as a linear program with
/// three basic columns; the next column comes from the set's support point, so the hull is never built.
pub(super) fn reach(plus: &[Vector3<f64>], minus: &[Vector3<f64>], axis: usize, t: &Tolerances) -> f64 {
    let [u, v, w] = [(axis + 1) % 3, (axis + 2) % 3, axis];
    let size = [u, v, w].map(|k| {
        let (low_plus, high_plus) = range(plus, k);
        let (low_minus, high_minus) = range(minus, k);
        (high_plus - low_minus).max(high_minus - low_plus)
    });
    if !size.iter().all(|s| *s > 0.0 && s.is_finite()) {
        return 0.0;
    }
    let (far, low) = (t.chord_start_far, -t.chord_start_low);
    let target = [t.chord_off_axis[0] * size[0], t.chord_off_axis[1] * size[1]];
    let mut basis = [
        [-far * size[0], -far * size[1], low * size[2]],
        [far * size[0], -far * size[1], low * size[2]],
        [0.0, far * size[1], low * size[2]],
    ];
    let mut level = 0.0_f64;
    for _ in 0..t.chord_pivots {
        let [a, b, c] = basis;
        let [b, c] = [b, c].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
        let twice_area = b[0] * c[1] - b[1] * c[0];
        let slope_u = (b[2] * c[1] - c[2] * b[1]) / twice_area;
        let slope_v = (b[0] * c[2] - c[0] * b[2]) / twice_area;
        let above_axis = |p: &[f64; 3]| p[2] - slope_u * p[0] - slope_v * p[1];
        level = above_axis(&a);

        let height = |p: &Vector3<f64>| p[w] - slope_u * p[u] - slope_v * p[v];
        let (Some(top), Some(bottom)) = (highest(plus, height), highest(minus, |p| -height(p))) else { break };
        let entering = [top[u] - bottom[u], top[v] - bottom[v], top[w] - bottom[w]];
        let slack = t.pivot_share * (size[2] + slope_u.abs() * size[0] + slope_v.abs() * size[1]);
        if above_axis(&entering) <= level + slack {
            break;
        }

        let shares = |x: f64, y: f64| {
            let (x, y) = (x - a[0], y - a[1]);
            let second = (x * c[1] - y * c[0]) / twice_area;
            let third = (b[0] * y - b[1] * x) / twice_area;
            [1.0 - second - third, second, third]
        };
        let (at, weight) = (shares(target[0], target[1]), shares(entering[0], entering[1]));
        let leaving = (0..3)
            .filter(|&i| weight[i] > t.pivot_share)
            .min_by(|&i, &j| (at[i] / weight[i]).total_cmp(&(at[j] / weight[j])));
        let Some(leaving) = leaving else { break };
        basis[leaving] = entering;
    }
    level.max(0.0)
}

fn range(points: &[Vector3<f64>], axis: usize) -> (f64, f64) {
    points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p[axis]), high.max(p[axis])))
}

fn highest(points: &[Vector3<f64>], height: impl Fn(&Vector3<f64>) -> f64) -> Option<Vector3<f64>> {
    let mut best: Option<(f64, Vector3<f64>)> = None;
    for point in points {
        let value = height(point);
        if best.is_none_or(|(most, _)| value > most) {
            best = Some((value, *point));
        }
    }
    best.map(|(_, point)| point)
}
