//! Column integration: solids as spans along the columns of three axis-aligned grids.
//!
//! Each triangle is scan-converted into the columns that it crosses, as a signed crossing at a depth. Which side of an
//! edge a column lies on is decided by one computation that both triangles of the edge share, so each column crosses
//! a closed surface as often inwards as outwards, on edges and corners too. Inside is where the winding number is not
//! zero, so inside-out shells are solids as well. Box-shaped common parts that fill the common box are exact.

use nalgebra::{Point3, Vector3};

use super::{Measured, Method};
use crate::{Aabb, Tolerances, solid::Solid};

/// Shift of each row against the one before it, in columns (the golden ratio's fraction): the samples form a lattice
/// that no straight edge is aligned with, and linear depths are sampled without bias.
const ROW_SHIFT: f64 = 0.618_033_988_749_894_9;

/// Common volume of two solids within `region`, refined until the axes agree; `None` where there is none.
/// `smaller_m3` is the volume of the smaller solid, against which a common volume is negligible or decided. Columns
/// that look through a hole miss what is behind it, so that of an open solid the axis that sees most is believed.
pub(super) fn common(
    a: &Solid,
    b: &Solid,
    region: &Aabb,
    smaller_m3: f64,
    tolerances: &Tolerances,
) -> Option<Measured> {
    let scene = Scene::new(a, b, region);
    let mut work = Work::default();
    let closed = a.closed && b.closed;
    let last = if closed { tolerances.columns_last } else { tolerances.columns_last_open };
    let negligible_m3 = tolerances.negligible_share * smaller_m3;
    let Some(mut resolution) = scene.affordable(tolerances.columns_first, tolerances) else {
        return Some(scene.taken_as_whole(smaller_m3));
    };
    loop {
        let axes = [0, 1, 2].map(|axis| scene.along(axis, resolution, &mut work));
        let [least, middle, most] = by_volume(&axes);
        let half_spread_m3 = (most.volume_m3 - least.volume_m3) / 2.0;
        let (found, error_m3) =
            if closed { (middle, half_spread_m3 + middle.sampling_m3) } else { (most, most.volume_m3) };
        let agreed_m3 = tolerances.columns_agree * found.volume_m3;
        let agrees = most.volume_m3 > 0.0 && 2.0 * half_spread_m3 <= agreed_m3 && found.sampling_m3 <= agreed_m3;
        let negligible = resolution > tolerances.columns_first && most.volume_m3 <= negligible_m3;
        let decided = found.volume_m3 - error_m3 > tolerances.decided_share * smaller_m3;
        let finer = 2 * resolution;
        if !(agrees || negligible || decided || resolution >= last)
            && scene.affordable(finer, tolerances) == Some(finer)
        {
            resolution = finer;
            continue;
        }
        return (found.volume_m3 > 0.0).then(|| Measured {
            volume_m3: found.volume_m3,
            volume_error_m3: error_m3,
            centre: scene.origin + found.moment / found.volume_m3,
            thickness_m: axes.map(|axis| {
                let seen = axis.volume_m3 >= tolerances.axis_seen_share * found.volume_m3;
                if seen { axis.thickness_m } else { f64::INFINITY }
            }),
            forward_m: axes.map(|axis| axis.forward_m),
            backward_m: axes.map(|axis| axis.backward_m),
            method: Method::Columns { resolution },
        });
    }
}

/// Volume of one solid: what it has in common with itself.
pub(crate) fn own_volume_m3(solid: &Solid, aabb: &Aabb, tolerances: &Tolerances) -> f64 {
    if aabb.min_extent() <= 0.0 {
        return 0.0;
    }
    let scene = Scene::new(solid, solid, aabb);
    let mut work = Work::default();
    let resolution = scene.affordable(tolerances.columns_own, tolerances).unwrap_or(1);
    let axes = [0, 1, 2].map(|axis| scene.along(axis, resolution, &mut work));
    let [_, middle, most] = by_volume(&axes);
    if solid.closed { middle.volume_m3 } else { most.volume_m3 }
}

fn by_volume(axes: &[Sums; 3]) -> [Sums; 3] {
    let mut sorted = *axes;
    sorted.sort_by(|x, y| x.volume_m3.total_cmp(&y.volume_m3));
    sorted
}

/// Two solids relative to the middle of the region that is measured.
struct Scene<'a> {
    origin: Point3<f64>,
    half_m: Vector3<f64>,
    points: [Vec<Vector3<f64>>; 2],
    triangles: [&'a [[u32; 3]]; 2],
}

/// What the columns along one axis add up to.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    volume_m3: f64,
    /// Standard error of the volume, from how much the common length jumps between neighbours.
    sampling_m3: f64,
    moment: Vector3<f64>,
    thickness_m: f64,
    forward_m: f64,
    backward_m: f64,
}

/// Start and end of a stretch inside a solid.
type Span = [f64; 2];

/// Buffers that live as long as one pair.
#[derive(Default)]
struct Work {
    crossings: [Columns; 2],
    spans: [Vec<Span>; 2],
    unmatched: Vec<f64>,
}

impl<'a> Scene<'a> {
    fn new(a: &'a Solid, b: &'a Solid, region: &Aabb) -> Self {
        let origin = region.centre();
        Self {
            origin,
            half_m: region.extents() / 2.0,
            points: [a, b].map(|solid| solid.points.iter().map(|p| *p - origin).collect()),
            triangles: [&a.triangles, &b.triangles],
        }
    }

    /// `wanted`, halved until no axis costs more than `columns_work` crossings; `None` where even `columns_least` does.
    fn affordable(&self, wanted: u32, tolerances: &Tolerances) -> Option<u32> {
        let mut resolution = wanted;
        while (0..3).any(|axis| self.crossings_at_most(axis, resolution) > tolerances.columns_work) {
            resolution /= 2;
            if resolution < tolerances.columns_least {
                return None;
            }
        }
        Some(resolution)
    }

    /// Columns within the triangles' boxes.
    fn crossings_at_most(&self, axis: usize, resolution: u32) -> f64 {
        let grid = Grid::new(axis, &self.half_m, resolution);
        let span = |p: &[Vector3<f64>; 3], side: usize| {
            let k = grid.axes[side];
            let (low, high) = (p[0][k].min(p[1][k]).min(p[2][k]), p[0][k].max(p[1][k]).max(p[2][k]));
            let inside = high.min(-grid.low[side]) - low.max(grid.low[side]);
            if inside >= 0.0 { (inside / grid.step[side]).ceil() } else { 0.0 }
        };
        let of = |points: &[Vector3<f64>], triangles: &[[u32; 3]]| {
            let corners = triangles.iter().map(|triangle| triangle.map(|corner| points[corner as usize]));
            corners.map(|p| span(&p, 0) * span(&p, 1)).sum::<f64>()
        };
        of(&self.points[0], self.triangles[0]) + of(&self.points[1], self.triangles[1])
    }

    /// Too tangled to measure: counts as all that could be common, and the error says that nothing is known.
    fn taken_as_whole(&self, smaller_m3: f64) -> Measured {
        let extents_m: [f64; 3] = (self.half_m * 2.0).into();
        let volume_m3 = smaller_m3.min(extents_m.iter().product());
        Measured {
            volume_m3,
            volume_error_m3: volume_m3,
            centre: self.origin,
            thickness_m: extents_m,
            forward_m: extents_m,
            backward_m: extents_m,
            method: Method::Columns { resolution: 0 },
        }
    }

    fn along(&self, axis: usize, resolution: u32, work: &mut Work) -> Sums {
        let grid = Grid::new(axis, &self.half_m, resolution);
        let Work { crossings, spans, unmatched } = work;
        for (side, columns) in crossings.iter_mut().enumerate() {
            grid.rasterise(&self.points[side], self.triangles[side], columns);
            if columns.found.is_empty() {
                return Sums::default();
            }
            columns.sort(grid.count * grid.count);
        }

        let [u, v, w] = grid.axes;
        let [in_a, in_b] = &*crossings;
        let [spans_a, spans_b] = spans;
        let mut sums = Sums::default();
        let (mut jumps, mut kinks) = (0.0_f64, 0.0_f64);
        let mut rows_before = [0.0_f64; 2];
        for row in 0..grid.count {
            let (mut row_length, mut length_before) = (0.0_f64, 0.0_f64);
            for column in 0..grid.count {
                let cell = row * grid.count + column;
                let mut length = 0.0_f64;
                if !in_a.in_cell(cell).is_empty() && !in_b.in_cell(cell).is_empty() {
                    inside(in_a.in_cell(cell), unmatched, spans_a);
                    inside(in_b.in_cell(cell), unmatched, spans_b);
                    let [at_u, at_v] = grid.sample(column, row);
                    for [start_a, end_a] in spans_a.iter() {
                        for [start_b, end_b] in spans_b.iter() {
                            let (start, end) = (start_a.max(*start_b), end_a.min(*end_b));
                            if start >= end {
                                continue;
                            }
                            length += end - start;
                            sums.moment[u] += (end - start) * at_u;
                            sums.moment[v] += (end - start) * at_v;
                            sums.moment[w] += (end - start) * (start + end) / 2.0;
                            sums.thickness_m = sums.thickness_m.max(end - start);
                            sums.forward_m = sums.forward_m.max(end_b - start_a);
                            sums.backward_m = sums.backward_m.max(end_a - start_b);
                        }
                    }
                }
                row_length += length;
                if column > 0 {
                    jumps += (length - length_before) * (length - length_before);
                }
                length_before = length;
            }
            sums.volume_m3 += row_length;
            let kink = row_length - 2.0 * rows_before[1] + rows_before[0];
            if row > 1 {
                kinks += kink * kink;
            }
            rows_before = [rows_before[1], row_length];
        }
        let cell_m2 = grid.step[0] * grid.step[1];
        sums.volume_m3 *= cell_m2;
        sums.moment *= cell_m2;
        // A jump between two samples lies anywhere between them, so its error has variance jump²/12. Along a row the
        // errors are independent, since rows are shifted. Across rows a straight edge makes all columns jump at once,
        // so whole rows are compared; their steady growth costs nothing, and a jump makes two kinks.
        sums.sampling_m3 = cell_m2 * (jumps / 12.0 + kinks / 24.0).sqrt();
        sums
    }
}

/// `count` × `count` columns along `axes[2]`, over a rectangle centred on the origin.
struct Grid {
    axes: [usize; 3],
    count: usize,
    low: [f64; 2],
    step: [f64; 2],
}

impl Grid {
    fn new(axis: usize, half_m: &Vector3<f64>, resolution: u32) -> Self {
        let axes = [(axis + 1) % 3, (axis + 2) % 3, axis];
        let half = [half_m[axes[0]], half_m[axes[1]]];
        Self {
            axes,
            count: resolution as usize,
            low: half.map(|h| -h),
            step: half.map(|h| 2.0 * h / f64::from(resolution)),
        }
    }

    fn row_centre(&self, row: usize) -> f64 {
        self.low[1] + (row as f64 + 0.5) * self.step[1]
    }

    /// How many rows have their centre below `v`.
    fn rows_below(&self, v: f64) -> usize {
        ((v - self.low[1]) / self.step[1] - 0.5).ceil().clamp(0.0, self.count as f64) as usize
    }

    /// Place of the samples of a row within their columns, in [0, 1).
    fn shift(row: usize) -> f64 {
        let shift = 0.5 + row as f64 * ROW_SHIFT;
        shift - shift.floor()
    }

    /// How many columns of a row have their sample below `u`.
    fn columns_below(&self, u: f64, row: usize) -> usize {
        ((u - self.low[0]) / self.step[0] - Self::shift(row)).ceil().clamp(0.0, self.count as f64) as usize
    }

    fn sample(&self, column: usize, row: usize) -> [f64; 2] {
        [self.low[0] + (column as f64 + Self::shift(row)) * self.step[0], self.row_centre(row)]
    }

    /// Finds where the columns cross the triangles. An edge matters to the rows between its ends only, counted once at
    /// each corner, and is met at a place computed from its lower end whichever triangle asks.
    fn rasterise(&self, points: &[Vector3<f64>], triangles: &[[u32; 3]], columns: &mut Columns) {
        let [u, v, w] = self.axes;
        columns.found.clear();
        for triangle in triangles {
            let p = triangle.map(|corner| points[corner as usize]);
            let rows = p.map(|q| self.rows_below(q[v]));
            let (first, end) = (rows[0].min(rows[1]).min(rows[2]), rows[0].max(rows[1]).max(rows[2]));
            let beside = p.iter().all(|q| q[u] < self.low[0]) || p.iter().all(|q| q[u] > -self.low[0]);
            if first == end || beside {
                continue;
            }
            let normal = (p[1] - p[0]).cross(&(p[2] - p[0]));
            let slope = |k: usize| Some(-normal[k] / normal[w]).filter(|slope| slope.is_finite()).unwrap_or(0.0);
            let (slope_u, slope_v) = (slope(u), slope(v));
            let (nearest, farthest) = (p[0][w].min(p[1][w]).min(p[2][w]), p[0][w].max(p[1][w]).max(p[2][w]));
            for row in first..end {
                let at_v = self.row_centre(row);
                let (mut rising, mut falling) = (0, 0);
                for (from, to) in [(0, 1), (1, 2), (2, 0)] {
                    let rises = rows[from] <= row;
                    if rises == (rows[to] <= row) {
                        continue;
                    }
                    let (low, high) = if rises { (p[from], p[to]) } else { (p[to], p[from]) };
                    let at_u = low[u] + (at_v - low[v]) * ((high[u] - low[u]) / (high[v] - low[v]));
                    let met = self.columns_below(at_u, row);
                    if rises {
                        rising = met;
                    } else {
                        falling = met;
                    }
                }
                // Counter-clockwise seen from +w: the surface looks towards +w, so the column leaves the solid.
                let (range, enters) = if falling < rising { (falling..rising, -1) } else { (rising..falling, 1) };
                for column in range {
                    let [at_u, at_v] = self.sample(column, row);
                    let depth = p[0][w] + slope_u * (at_u - p[0][u]) + slope_v * (at_v - p[0][v]);
                    let depth = depth.clamp(nearest, farthest);
                    columns.found.push(Crossing { cell: (row * self.count + column) as u32, depth, enters });
                }
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Crossing {
    cell: u32,
    depth: f64,
    /// +1 into the solid, −1 out of it, for faces that look outwards.
    enters: i32,
}

/// Crossings as found, and then by cell and depth.
#[derive(Default)]
struct Columns {
    found: Vec<Crossing>,
    sorted: Vec<Crossing>,
    /// Where each cell's crossings end in `sorted`.
    ends: Vec<u32>,
}

impl Columns {
    /// Counting sort by cell, then by depth within each; into the solid first where depths are equal, so that solids
    /// which touch inside one mesh are one span.
    fn sort(&mut self, cells: usize) {
        self.ends.clear();
        self.ends.resize(cells + 1, 0);
        for crossing in &self.found {
            self.ends[crossing.cell as usize + 1] += 1;
        }
        for cell in 0..cells {
            self.ends[cell + 1] += self.ends[cell];
        }
        // `ends[cell]` is now where the cell starts; filling moves it to where the cell ends.
        self.sorted.clear();
        self.sorted.resize(self.found.len(), Crossing { cell: 0, depth: 0.0, enters: 0 });
        for crossing in &self.found {
            let place = &mut self.ends[crossing.cell as usize];
            self.sorted[*place as usize] = *crossing;
            *place += 1;
        }
        let mut start = 0;
        for end in self.ends[..cells].iter().map(|&end| end as usize) {
            self.sorted[start..end].sort_unstable_by(|x, y| x.depth.total_cmp(&y.depth).then(y.enters.cmp(&x.enters)));
            start = end;
        }
    }

    fn in_cell(&self, cell: usize) -> &[Crossing] {
        let start = if cell == 0 { 0 } else { self.ends[cell - 1] };
        &self.sorted[start as usize..self.ends[cell] as usize]
    }
}

/// Spans inside the solid along one column. Where entries and exits do not balance, each exit is matched with the
/// entry before it and what stays unmatched is dropped.
fn inside(crossings: &[Crossing], unmatched: &mut Vec<f64>, spans: &mut Vec<Span>) {
    spans.clear();
    if crossings.iter().map(|c| c.enters).sum::<i32>() == 0 {
        let (mut winding, mut start) = (0, 0.0);
        for crossing in crossings {
            let before = winding;
            winding += crossing.enters;
            if before == 0 {
                start = crossing.depth;
            } else if winding == 0 {
                spans.push([start, crossing.depth]);
            }
        }
        return;
    }
    unmatched.clear();
    for crossing in crossings {
        if crossing.enters > 0 {
            unmatched.push(crossing.depth);
        } else if let Some(start) = unmatched.pop() {
            while spans.last().is_some_and(|span| span[0] >= start) {
                spans.pop();
            }
            spans.push([start, crossing.depth]);
        }
    }
}
