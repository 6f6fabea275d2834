//! Triangles to pixels: near-plane clipping, top-left rule, nearest triangle wins, the first of equals stays.

use crate::lens::Lens;
use crate::scene::{Part, RasterScene};
use crate::window::Window;
use nalgebra::Vector3;
use std::ops::Range;

/// Which triangle is seen at each pixel of a window, and how near.
pub(crate) struct Raster {
    window: Window,
    /// Nearness of the far plane.
    farthest: f64,
    /// As the lens defines it; the far plane where nothing is seen.
    pub(crate) nearness: Vec<f64>,
    /// 0 is nothing, else 1 + index into the scene's triangles.
    pub(crate) triangle: Vec<u32>,
    /// What is left of the fill budget; `None` once a triangle would have exceeded it. Nothing is drawn from there on.
    left_px: Option<usize>,
}

#[derive(Clone, Copy)]
struct Corner {
    camera: Vector3<f64>,
    pixel: [f64; 2],
}

/// Nearness over one triangle: linear in the pixel, and never outside the range of its corners.
struct Slope {
    plane: [f64; 3],
    least: f64,
    most: f64,
}

/// Draws the triangles of `parts` in the order given, until the fill budget is spent. Each vertex is transformed once.
/// What a pixel shows does not depend on the window.
pub(crate) fn rasterise<'a>(
    scene: &RasterScene,
    lens: &Lens,
    parts: impl IntoIterator<Item = &'a Part>,
    window: Window,
) -> Raster {
    let (area_px, farthest) = (window.area_px(), lens.nearness(lens.far_m));
    let mut raster = Raster {
        window,
        farthest,
        nearness: vec![farthest; area_px],
        triangle: vec![0; area_px],
        left_px: Some(scene.tolerances.fill_budget_px),
    };
    let mut corners: Vec<Corner> = Vec::new();
    for part in parts {
        corners.clear();
        corners.extend(scene.vertices[part.vertices.clone()].iter().map(|vertex| {
            let camera = lens.to_camera(vertex);
            Corner { camera, pixel: lens.to_pixel(&camera) }
        }));
        for index in part.triangles.clone() {
            if raster.over_budget() {
                return raster;
            }
            let triangle = scene.triangles[index].corners.map(|corner| corners[corner as usize]);
            raster.draw(lens, &triangle, 1 + index as u32);
        }
    }
    raster
}

impl Raster {
    pub(crate) fn over_budget(&self) -> bool {
        self.left_px.is_none()
    }

    fn draw(&mut self, lens: &Lens, corners: &[Corner; 3], id: u32) {
        let camera = corners.map(|corner| corner.camera);
        let in_front = camera.map(|point| -point.z >= lens.near_m);
        if in_front == [false; 3] {
            return;
        }
        let Some(plane) = lens.nearness_plane(&camera) else { return };
        if in_front == [true; 3] {
            let slope = Slope::over(lens, plane, &camera);
            self.fill(corners.map(|corner| corner.pixel), &slope, id);
            return;
        }
        let (polygon, count) = clip_near(&camera, lens.near_m);
        let slope = Slope::over(lens, plane, &polygon[..count]);
        let [first, second, third, fourth] = polygon.map(|point| lens.to_pixel(&point));
        self.fill([first, second, third], &slope, id);
        if count == 4 {
            self.fill([first, third, fourth], &slope, id);
        }
    }

    fn fill(&mut self, [a, b, c]: [[f64; 2]; 3], slope: &Slope, id: u32) {
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if area == 0.0 || !area.is_finite() || slope.most <= self.farthest {
            return;
        }
        let within = self.window.around([a, b, c]);
        self.left_px = self.left_px.and_then(|left_px| left_px.checked_sub(within.area_px()));
        if self.over_budget() {
            return;
        }
        let (b, c) = if area < 0.0 { (c, b) } else { (b, c) };
        let edges = [Edge::new(b, c), Edge::new(c, a), Edge::new(a, b)];
        for row in within.rows {
            let y = row as f64 + 0.5;
            let at_row = edges.each_ref().map(|edge| edge.per_y * y + edge.constant);
            let columns = span(&edges, &at_row, &within.columns);
            if columns.is_empty() {
                continue;
            }
            let first_x = columns.start as f64 + 0.5;
            let first = (row - self.window.rows.start) * self.window.columns.len();
            let offset = columns.start - self.window.columns.start;
            let pixels = first + offset..first + offset + columns.len();
            let owners = &mut self.triangle[pixels.clone()];
            let nearest = &mut self.nearness[pixels];
            let [slope_x, slope_y, slope_constant] = slope.plane;
            let slope_at_row = slope_y * y + slope_constant;
            // No branches, so that the loop vectorises.
            for (offset, (nearest, owner)) in nearest.iter_mut().zip(owners).enumerate() {
                let x = first_x + f64::from(offset as i32);
                let nearness = (slope_x * x + slope_at_row).max(slope.least).min(slope.most);
                let wins = nearness > *nearest;
                *nearest = if wins { nearness } else { *nearest };
                *owner = if wins { id } else { *owner };
            }
        }
    }
}

impl Slope {
    fn over(lens: &Lens, plane: [f64; 3], points: &[Vector3<f64>]) -> Self {
        let nearness = points.iter().map(|point| lens.nearness(-point.z));
        let (least, most) = nearness
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)));
        Self { plane, least, most }
    }
}

/// `per_x * x + per_y * y + constant` is ≥ `least` at the pixel centres that belong to this side of the edge. The same
/// edge walked the other way has exactly the negated coefficients, so of two triangles that share an edge each centre
/// on it belongs to one.
struct Edge {
    per_x: f64,
    per_y: f64,
    constant: f64,
    /// 0 for a top or left edge, whose centres belong to the triangle; else the least positive number.
    least: f64,
    minus_inverse_x: f64,
}

impl Edge {
    fn new(from: [f64; 2], to: [f64; 2]) -> Self {
        let (per_x, per_y) = (from[1] - to[1], to[0] - from[0]);
        let top_left = per_x > 0.0 || (per_x == 0.0 && per_y > 0.0);
        Self {
            per_x,
            per_y,
            constant: from[0] * to[1] - from[1] * to[0],
            least: if top_left { 0.0 } else { f64::from_bits(1) },
            minus_inverse_x: -1.0 / per_x,
        }
    }
}

/// Columns of a row with their centres within all edges. The crossings are rounded outwards, by about one column, and
/// the exact test decides at both ends: each edge's value is monotonic along the row, rounding included.
fn span(edges: &[Edge; 3], at_row: &[f64; 3], columns: &Range<usize>) -> Range<usize> {
    let (mut from, mut to) = (columns.start as f64, columns.end as f64);
    for (edge, at_row) in edges.iter().zip(at_row) {
        let crossing = at_row * edge.minus_inverse_x - 0.5;
        if edge.per_x > 0.0 {
            from = from.max(crossing);
        } else if edge.per_x < 0.0 {
            to = to.min(crossing + 2.0);
        }
    }
    let within = |column: usize| {
        let x = column as f64 + 0.5;
        edges.iter().zip(at_row).all(|(edge, at_row)| edge.per_x * x + at_row >= edge.least)
    };
    let (mut from, mut to) = (from as usize, to as usize);
    while from < to && !within(from) {
        from += 1;
    }
    while from < to && !within(to - 1) {
        to -= 1;
    }
    from..to
}

/// The part of a triangle at least `near_m` before the camera: up to four corners, and their number. Crossings are
/// computed from the corner in front, so that neighbours agree on them exactly.
pub(crate) fn clip_near([a, b, c]: &[Vector3<f64>; 3], near_m: f64) -> ([Vector3<f64>; 4], usize) {
    let mut polygon = [Vector3::zeros(); 4];
    let mut count = 0;
    for (from, to) in [(a, b), (b, c), (c, a)] {
        let (starts_in, ends_in) = (-from.z >= near_m, -to.z >= near_m);
        if starts_in {
            polygon[count] = *from;
            count += 1;
        }
        if starts_in != ends_in {
            let (inner, outer) = if starts_in { (from, to) } else { (to, from) };
            let share = (near_m + inner.z) / (inner.z - outer.z);
            polygon[count] = inner + (outer - inner) * share;
            polygon[count].z = -near_m;
            count += 1;
        }
    }
    (polygon, count)
}
