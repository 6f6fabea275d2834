//! Points that are near each other made one.

use super::surface::Surface;
use nalgebra::Point3;
use std::collections::BTreeMap;

/// With points that are `merged`. Triangles without three places are left out.
pub(crate) fn fused(surface: &Surface, distance_m: f64) -> Surface {
    let (points, moved_to) = merged(&surface.points, distance_m);
    surface.with_points(points, &moved_to)
}

/// Each point goes to the first kept one within `distance_m` (more than 0), or is kept; so kept points are further
/// apart. The kept points, and for each given one where it went. O(n log n).
pub(crate) fn merged(given: &[Point3<f64>], distance_m: f64) -> (Vec<Point3<f64>>, Vec<usize>) {
    // Kept points are further apart than a cell is wide, so a cell holds a few only.
    let mut cells: BTreeMap<[u64; 3], Vec<usize>> = BTreeMap::new();
    let mut points: Vec<Point3<f64>> = Vec::new();
    let mut moved_to = Vec::with_capacity(given.len());
    for point in given {
        let cell = [point.x, point.y, point.z].map(|part| (part / distance_m).floor());
        let nearby = around(cell).into_iter().filter_map(|key| cells.get(&key)).flatten().copied();
        let first = nearby.filter(|kept| (points[*kept] - point).norm() <= distance_m).min();
        moved_to.push(first.unwrap_or_else(|| {
            cells.entry(key(cell)).or_default().push(points.len());
            points.push(*point);
            points.len() - 1
        }));
    }
    (points, moved_to)
}

/// A cell and those beside it.
fn around([x, y, z]: [f64; 3]) -> Vec<[u64; 3]> {
    let near = |part: f64| [part - 1.0, part, part + 1.0];
    let columns = near(x).into_iter().flat_map(|x| near(y).map(|y| (x, y)));
    columns.flat_map(|(x, y)| near(z).map(|z| key([x, y, z]))).collect()
}

/// Without negative zeros.
fn key(cell: [f64; 3]) -> [u64; 3] {
    cell.map(|part| (part + 0.0).to_bits())
}
