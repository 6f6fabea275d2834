//! Curves through points.

use nalgebra::Point3;

/// The centripetal Catmull–Rom curve through all `points` (neighbours differ), `samples` steps from each to the next;
/// it has no loops or cusps within a step. A closed one returns to the first point, which is not repeated.
pub(crate) fn catmull_rom(points: &[Point3<f64>], closed: bool, samples: u32) -> Vec<Point3<f64>> {
    let count = points.len();
    let (Some(first), Some(last), true) = (points.first(), points.last(), count >= 2) else { return points.to_vec() };
    let before = if closed { *last } else { first + (first - points[1]) };
    let after = if closed { *first } else { last + (last - points[count - 2]) };
    let spans = if closed { count } else { count - 1 };
    let at = |index: usize| match index {
        0 => before,
        index if index <= count => points[index - 1],
        index if index == count + 1 => after,
        _ => points[1],
    };
    let mut curve = Vec::new();
    for span in 0..spans {
        let around = [span, span + 1, span + 2, span + 3].map(at);
        curve.extend((0..samples).map(|step| on_span(around, f64::from(step) / f64::from(samples))));
    }
    if !closed {
        curve.push(*last);
    }
    curve
}

/// Between the second and the third point; `share` in [0, 1). Barry and Goldman's pyramid.
fn on_span([a, b, c, d]: [Point3<f64>; 4], share: f64) -> Point3<f64> {
    let ta = 0.0;
    let tb = ta + (b - a).norm().sqrt();
    let tc = tb + (c - b).norm().sqrt();
    let td = tc + (d - c).norm().sqrt();
    let t = tb + (tc - tb) * share;
    let mix =
        |from: Point3<f64>, to: Point3<f64>, start: f64, end: f64| from + (to - from) * ((t - start) / (end - start));
    let (ab, bc, cd) = (mix(a, b, ta, tb), mix(b, c, tb, tc), mix(c, d, tc, td));
    mix(mix(ab, bc, ta, tc), mix(bc, cd, tb, td), tb, tc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_goes_through_its_points_and_is_straight_where_they_are() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]].map(Point3::from);
        let curve = catmull_rom(&points, false, 4);
        assert_eq!(curve.len(), 9);
        for (at, wanted) in [(0, 0.0), (4, 1.0), (8, 3.0)] {
            assert!((curve[at].x - wanted).abs() < 1e-12, "{}", curve[at]);
        }
        assert!(curve.windows(2).all(|pair| pair[0].x < pair[1].x));
        assert!(curve.iter().all(|point| point.y == 0.0 && point.z == 0.0));
    }

    #[test]
    fn a_closed_curve_through_a_square_is_the_same_from_all_sides() {
        let points = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]].map(Point3::from);
        let curve = catmull_rom(&points, true, 2);
        assert_eq!(curve.len(), 8);
        // By hand: equal knots make the middle of a span (9 (b + c) - (a + d)) / 16.
        for middle in [1, 3, 5, 7] {
            let reach = curve[middle].coords.abs();
            assert!((reach.x - 0.625).abs() < 1e-12 && (reach.z - 0.625).abs() < 1e-12, "{reach}");
        }
    }
}
