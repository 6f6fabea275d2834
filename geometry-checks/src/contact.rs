//! Where the pieces of one body rest on another body, measured along vertical lines.

use nalgebra::Point3;

use crate::piece::Piece;
use crate::plumb::{centres_between, height_at};
use crate::ramp::ramp;
use crate::{Body, Tolerances};

/// How one piece of a body lies over another body.
#[derive(Debug)]
pub(crate) struct Contact {
    /// Smallest vertical distance between a lower surface of the piece and an upper surface of the other body under it,
    /// negative when sunk in; infinite where nothing lies below, or where a joint as deep carries nothing.
    pub(crate) gap_m: f64,
    /// How well it is carried, in [0, 1]: what `ramp` leaves of the gap, or of the depth of the joint, where it is best.
    pub(crate) hold: f64,
    /// Places that hold at all.
    pub(crate) places: Vec<Place>,
}

/// A place (x, z) over which there is a gap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) at: [f64; 2],
    pub(crate) gap_m: f64,
}

/// One contact for each of the `pieces` of `upper`; none where the bodies share no footprint.
///
/// All are cut by `support_columns`² vertical lines over the rectangle that the bodies' footprints share. The vertices
/// of each, held against the other's nearest line, come on top: they give the exact outline of a patch, and find legs
/// that pass between the lines. On a slope a vertex' gap is off by the slope times half a cell.
pub(crate) fn contacts(upper: &Body, pieces: &[Piece], lower: &Body, t: &Tolerances) -> Vec<Contact> {
    let Some(grid) = Grid::shared(upper, lower, t) else { return Vec::new() };
    let thinner_m = upper.thin_extent_m().min(lower.thin_extent_m());
    let joint_m = (t.joint_share * thinner_m).max(t.touch_m(thinner_m));
    let deepest_m = t.joint_none * joint_m;
    let hold = |gap_m: f64| {
        if gap_m < 0.0 { ramp(-gap_m, joint_m, deepest_m) } else { ramp(gap_m, t.support_gap_m, t.support_gap_none_m) }
    };
    let below = Columns::new(&Piece::whole(lower), &grid);
    let exposed: Vec<(usize, Point3<f64>)> = lower
        .solid()
        .points
        .iter()
        .filter_map(|&corner| Some((grid.cell_of(corner)?, corner)))
        .filter(|&(cell, corner)| !below.covers_from_above(cell, corner.y + t.support_gap_m))
        .collect();
    let contact = |piece: &Piece| {
        let above = Columns::new(piece, &grid);
        let mut contact = Contact { gap_m: f64::INFINITY, hold: 0.0, places: Vec::new() };
        let mut note = |at: [f64; 2], gap_m: f64| {
            contact.gap_m = contact.gap_m.min(gap_m);
            let here = hold(gap_m);
            if here > 0.0 {
                contact.hold = contact.hold.max(here);
                contact.places.push(Place { at, gap_m });
            }
        };
        for cell in 0..grid.count * grid.count {
            for bottom in above.bottoms(cell) {
                if let Some(top) = below.highest_top(cell, bottom + deepest_m) {
                    note(grid.centre(cell), bottom - top);
                }
            }
        }
        for &corner in piece.points {
            let Some(cell) = grid.cell_of(corner) else { continue };
            if !above.covers_from_below(cell, corner.y - t.support_gap_m)
                && let Some(top) = below.highest_top(cell, corner.y + deepest_m)
            {
                note([corner.x, corner.z], corner.y - top);
            }
        }
        for &(cell, corner) in &exposed {
            if let Some(bottom) = above.lowest_bottom(cell, corner.y - deepest_m) {
                note([corner.x, corner.z], bottom - corner.y);
            }
        }
        contact
    };
    pieces.iter().map(contact).collect()
}

/// `count`² cells over a rectangle of the ground; a cell's vertical line passes through its centre.
#[derive(Debug)]
struct Grid {
    min: [f64; 2],
    step: [f64; 2],
    count: usize,
    /// How far outside a point still lies on the outline.
    slack_m: f64,
}

impl Grid {
    /// Over the rectangle common to both footprints. Sides that merely touch share none: it must be `support_patch_m`
    /// wide, or as wide as the thinner body.
    fn shared(one: &Body, other: &Body, t: &Tolerances) -> Option<Self> {
        let (a, b) = (one.aabb(), other.aabb());
        let axes = [(a.min.x, a.max.x, b.min.x, b.max.x), (a.min.z, a.max.z, b.min.z, b.max.z)];
        let wide = axes.iter().all(|&(a_min, a_max, b_min, b_max)| {
            let needed_m = t.support_patch_m.min(a_max - a_min).min(b_max - b_min);
            a_max.min(b_max) - a_min.max(b_min) >= needed_m
        });
        let min = axes.map(|(a_min, _, b_min, _)| a_min.max(b_min));
        let max = axes.map(|(_, a_max, _, b_max)| a_max.min(b_max));
        let of = |count: usize| {
            let step = [0, 1].map(|axis: usize| (max[axis] - min[axis]).max(0.0) / count as f64);
            Self { min, step, count, slack_m: t.support_patch_m }
        };
        let mut grid = of(t.support_columns);
        while grid.count > 1 && grid.cells_touched(one) + grid.cells_touched(other) > t.support_work {
            grid = of(grid.count / 2);
        }
        wide.then_some(grid)
    }

    /// Cells within the boxes of the body's triangles: what its columns cost.
    fn cells_touched(&self, body: &Body) -> usize {
        let solid = body.solid();
        let cells = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|vertex| solid.points[vertex as usize]);
            let range = |axis: usize, u: f64, v: f64, w: f64| {
                centres_between(u.min(v).min(w), u.max(v).max(w), self.min[axis], self.step[axis], self.count)
            };
            range(0, a.x, b.x, c.x).len() * range(1, a.z, b.z, c.z).len()
        };
        solid.triangles.iter().map(cells).sum()
    }

    fn centre(&self, cell: usize) -> [f64; 2] {
        let (i, j) = (cell % self.count, cell / self.count);
        [self.min[0] + (i as f64 + 0.5) * self.step[0], self.min[1] + (j as f64 + 0.5) * self.step[1]]
    }

    /// The cell around a point of the rectangle, its outline included.
    fn cell_of(&self, point: Point3<f64>) -> Option<usize> {
        let index = |at: f64, axis: usize| {
            let (offset_m, width_m) = (at - self.min[axis], self.step[axis] * self.count as f64);
            if offset_m < -self.slack_m || offset_m > width_m + self.slack_m {
                return None;
            }
            let cells = if self.step[axis] > 0.0 { offset_m / self.step[axis] } else { 0.0 };
            Some((cells.max(0.0) as usize).min(self.count - 1))
        };
        Some(index(point.z, 1)? * self.count + index(point.x, 0)?)
    }
}

/// Heights at which a body crosses each line of a grid, ascending.
#[derive(Debug)]
struct Columns {
    crossings: Vec<Vec<f64>>,
    closed: bool,
}

impl Columns {
    fn new(piece: &Piece, grid: &Grid) -> Self {
        let mut crossings = vec![Vec::new(); grid.count * grid.count];
        for [a, b, c] in piece.triangles() {
            let range = |axis: usize, u: f64, v: f64, w: f64| {
                centres_between(u.min(v).min(w), u.max(v).max(w), grid.min[axis], grid.step[axis], grid.count)
            };
            for j in range(1, a.z, b.z, c.z) {
                for i in range(0, a.x, b.x, c.x) {
                    let cell = j * grid.count + i;
                    let [x, z] = grid.centre(cell);
                    crossings[cell].extend(height_at(&[a, b, c], x, z));
                }
            }
        }
        for heights in &mut crossings {
            heights.sort_by(f64::total_cmp);
        }
        Self { crossings, closed: piece.closed }
    }

    /// A closed body's crossings are in turn lower and upper surfaces; those of a sheet are both.
    fn bottoms(&self, cell: usize) -> impl Iterator<Item = f64> {
        self.crossings[cell].iter().step_by(if self.closed { 2 } else { 1 }).copied()
    }

    /// How many crossings lie below this height.
    fn below(&self, cell: usize, height: f64) -> usize {
        self.crossings[cell].partition_point(|crossing| *crossing < height)
    }

    fn highest_top(&self, cell: usize, limit: f64) -> Option<f64> {
        let crossings = &self.crossings[cell];
        let last = crossings.partition_point(|crossing| *crossing <= limit).checked_sub(1)?;
        let top = if self.closed && last % 2 == 0 { last.checked_sub(1)? } else { last };
        Some(crossings[top])
    }

    fn lowest_bottom(&self, cell: usize, limit: f64) -> Option<f64> {
        let first = self.below(cell, limit);
        let bottom = if self.closed { first.next_multiple_of(2) } else { first };
        self.crossings[cell].get(bottom).copied()
    }

    /// Whether the body itself lies below this height, so that nothing there rests on another body.
    fn covers_from_below(&self, cell: usize, height: f64) -> bool {
        self.closed && self.below(cell, height) % 2 == 1
    }

    /// Whether the body itself lies above this height, so that nothing can rest there.
    fn covers_from_above(&self, cell: usize, height: f64) -> bool {
        let up_to = self.crossings[cell].partition_point(|crossing| *crossing <= height);
        self.closed && (self.crossings[cell].len() - up_to) % 2 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mesh;

    /// Horizontal triangles of 1 m over one another.
    fn layers(count: usize, low_m: f64, t: &Tolerances) -> Body {
        let corners = |layer: usize| {
            let y = low_m + 0.001 * layer as f64;
            [Point3::new(0.0, y, 0.0), Point3::new(0.0, y, 1.0), Point3::new(1.0, y, 0.0)]
        };
        let positions: Vec<Point3<f64>> = (0..count).flat_map(corners).collect();
        let triangles = (0..count as u32).map(|layer| [3 * layer, 3 * layer + 1, 3 * layer + 2]).collect();
        Body::new(Mesh { positions, normals: None, triangles }, t)
    }

    #[test]
    fn a_grid_is_coarser_where_it_would_cost_too_much() {
        let t = Tolerances::default();
        let (upper, lower) = (layers(1_000, 2.0, &t), layers(10, 0.0, &t));
        let count = |t: &Tolerances| Grid::shared(&upper, &lower, t).unwrap().count;
        assert_eq!(count(&Tolerances { support_work: usize::MAX, ..t }), t.support_columns);
        assert_eq!(count(&t), t.support_columns / 2);
    }
}
