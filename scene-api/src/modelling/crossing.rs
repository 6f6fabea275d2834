//! Where two closed surfaces pass through each other, without contradictions.
//!
//! A point is held against an edge in x and then in y, an edge against an edge and a point against a face in z, an edge
//! against a face at last; each answer is made of those before it, and equal coordinates are told apart as if the points
//! of the first surface were moved a step without length along their normals. So the answers fit together, whatever
//! rounding does to places, and surfaces that share planes are no special case. After J. Smith, "Towards robust inexact
//! geometric computation" (2009), with the choice of steps that the Manifold library makes.

use super::closed::Closed;
use nalgebra::{Point3, Vector3};

/// Which of the two surfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    First,
    Second,
}

/// Two closed surfaces, and which way the points of the first are thought to be moved.
#[derive(Debug)]
pub(crate) struct Pair<'a> {
    first: &'a Closed,
    second: &'a Closed,
    steps: Vec<Vector3<f64>>,
}

/// Where two lines cross as seen along z; `z` on the one and on the other.
#[derive(Debug, Clone, Copy)]
struct Met {
    x: f64,
    y: f64,
    z: [f64; 2],
}

/// The first place noted, and the first that differs from it in whether it counts: the ends of what crosses between.
#[derive(Debug)]
struct Ends<Place> {
    one: Option<(bool, Place)>,
    other: Option<Place>,
}

impl<Place> Ends<Place> {
    fn none() -> Self {
        Self { one: None, other: None }
    }

    fn note(&mut self, counts: bool, place: Place) {
        let differs = self.one.as_ref().is_some_and(|(one, _)| *one != counts);
        if self.one.is_none() {
            self.one = Some((counts, place));
        } else if differs && self.other.is_none() {
            self.other = Some(place);
        }
    }

    fn both(self) -> Option<[Place; 2]> {
        let (_, one) = self.one?;
        Some([one, self.other?])
    }
}

impl<'a> Pair<'a> {
    /// The first surface is thought to be larger, or smaller, by a step.
    pub(crate) fn new(first: &'a Closed, second: &'a Closed, is_larger: bool) -> Self {
        let steps = first.point_normals().into_iter().map(|normal| if is_larger { normal } else { -normal });
        Self { first, second, steps: steps.collect() }
    }

    /// That of the side, and the other.
    pub(crate) fn solids(&self, side: Side) -> (&'a Closed, &'a Closed) {
        match side {
            Side::First => (self.first, self.second),
            Side::Second => (self.second, self.first),
        }
    }

    /// By how much a face of the other surface adds to the winding number around a point of this side: not 0 where it is
    /// above the point.
    pub(crate) fn winding(&self, side: Side, point: usize, face: usize) -> i32 {
        let sign = self.point_face(side, point, face).map_or(0, |(sign, _)| sign);
        match side {
            Side::First => sign,
            Side::Second => -sign,
        }
    }

    /// Where an edge of this side passes through a face of the other surface, and which way.
    pub(crate) fn edge_face(&self, side: Side, edge: usize, face: usize) -> Option<(i32, Point3<f64>)> {
        let (own, across) = self.solids(side);
        let mut sum = 0;
        let mut ends = Ends::none();
        for (index, point) in own.edges[edge].ends.into_iter().enumerate() {
            if let Some((sign, z)) = self.point_face(side, point, face) {
                sum += if (index == 0) == (side == Side::First) { sign } else { -sign };
                let at = own.surface.points[point];
                ends.note(sign != 0, [Vector3::new(at.x, at.z, at.y), Vector3::new(at.x, z, at.y)]);
            }
        }
        for other in across.sides[face] {
            let met = match side {
                Side::First => self.edge_edge(edge, other),
                Side::Second => self.edge_edge(other, edge),
            };
            if let Some((sign, met)) = met {
                sum += if across.edges[other].faces[0] == face { -sign } else { sign };
                let [of_first, of_second] = met.z;
                let (own_z, across_z) = match side {
                    Side::First => (of_first, of_second),
                    Side::Second => (of_second, of_first),
                };
                ends.note(sign != 0, [Vector3::new(met.x, own_z, met.y), Vector3::new(met.x, across_z, met.y)]);
            }
        }
        if sum == 0 {
            return None;
        }
        let [left, right] = ends.both()?;
        // With y and z in each other's place.
        let met = met(left, right);
        Some((sum, Point3::new(met.x, met.z[0], met.y)))
    }

    /// The face's height where it is above or below the point; the sign is 0 where the first surface's is the higher.
    fn point_face(&self, side: Side, point: usize, face: usize) -> Option<(i32, f64)> {
        let (own, across) = self.solids(side);
        let at = own.surface.points[point].coords;
        let mut sum = 0;
        let mut ends = Ends::none();
        for edge in across.sides[face] {
            if let Some((sign, [y, z])) = self.point_edge(side, point, edge) {
                let runs_along = across.edges[edge].faces[0] == face;
                sum += if runs_along == (side == Side::First) { -sign } else { sign };
                ends.note(sign != 0, Vector3::new(y, z, z));
            }
        }
        if sum == 0 {
            return None;
        }
        let [left, right] = ends.both()?;
        let [z, _] = at_x(left, right, at.y);
        let holds = match side {
            Side::First => is_below(at.z, z, self.steps[point].z),
            Side::Second => is_below(z, at.z, self.step_near(&across.surface.faces[face].corners, at).z),
        };
        Some((if holds { sum } else { 0 }, z))
    }

    /// Where an edge of the first surface and one of the second cross as seen along z; the sign is 0 where the first's is
    /// the higher.
    fn edge_edge(&self, first: usize, second: usize) -> Option<(i32, Met)> {
        let own = self.first.edges[first].ends;
        let mut sum = 0;
        let mut ends = Ends::none();
        for (index, point) in own.into_iter().enumerate() {
            if let Some((sign, [y, z])) = self.point_edge(Side::First, point, second) {
                sum += if index == 0 { -sign } else { sign };
                let at = self.first.surface.points[point].coords;
                ends.note(sign != 0, [at, Vector3::new(at.x, y, z)]);
            }
        }
        for (index, point) in self.second.edges[second].ends.into_iter().enumerate() {
            if let Some((sign, [y, z])) = self.point_edge(Side::Second, point, first) {
                sum += if index == 0 { -sign } else { sign };
                let at = self.second.surface.points[point].coords;
                ends.note(sign != 0, [Vector3::new(at.x, y, z), at]);
            }
        }
        if sum == 0 {
            return None;
        }
        let [left, right] = ends.both()?;
        let met = met(left, right);
        let [of_first, of_second] = met.z;
        let step = self.step_near(&own, Vector3::new(met.x, met.y, of_first));
        Some((if is_below(of_first, of_second, step.z) { sum } else { 0 }, met))
    }

    /// y and z of the other surface's edge at the point's x, where it reaches there; the sign is 0 where the first
    /// surface's y is the greater.
    fn point_edge(&self, side: Side, point: usize, edge: usize) -> Option<(i32, [f64; 2])> {
        let (own, across) = self.solids(side);
        let at = own.surface.points[point].coords;
        let ends = across.edges[edge].ends;
        let [a, b] = ends.map(|end| across.surface.points[end].coords);
        let sign = match side {
            Side::First => {
                let step = self.steps[point].x;
                i32::from(is_below(at.x, b.x, step)) - i32::from(is_below(at.x, a.x, step))
            }
            Side::Second => {
                let [step_a, step_b] = ends.map(|end| self.steps[end].x);
                i32::from(is_below(a.x, at.x, step_a)) - i32::from(is_below(b.x, at.x, step_b))
            }
        };
        if sign == 0 {
            return None;
        }
        let [y, z] = at_x(a, b, at.x);
        let holds = match side {
            Side::First => is_below(at.y, y, self.steps[point].y),
            Side::Second => is_below(y, at.y, self.step_near(&ends, at).y),
        };
        Some((if holds { sign } else { 0 }, [y, z]))
    }

    /// That of the nearest of these points of the first surface.
    fn step_near(&self, points: &[usize], at: Vector3<f64>) -> Vector3<f64> {
        let squared_m2 = |point: usize| (self.first.surface.points[point].coords - at).norm_squared();
        let nearest = points.iter().copied().min_by(|a, b| squared_m2(*a).total_cmp(&squared_m2(*b)));
        nearest.map_or_else(Vector3::zeros, |point| self.steps[point])
    }
}

/// Whether a coordinate of the first surface, which `step` is thought to be added to, is below one of the second.
fn is_below(first: f64, second: f64, step: f64) -> bool {
    if first == second { step < 0.0 } else { first < second }
}

/// y and z at `x` on a line, reckoned from its nearer end, so that they are exact at the ends.
fn at_x(left: Vector3<f64>, right: Vector3<f64>, x: f64) -> [f64; 2] {
    let along = right - left;
    let (end, beyond) =
        if (x - left.x).abs() < (x - right.x).abs() { (left, x - left.x) } else { (right, x - right.x) };
    let share = beyond / along.x;
    if share.is_finite() { [share * along.y + end.y, share * along.z + end.z] } else { [left.y, left.z] }
}

/// Of two lines the left ends, which have one x, and the right ends, which have one x.
fn met([a_left, b_left]: [Vector3<f64>; 2], [a_right, b_right]: [Vector3<f64>; 2]) -> Met {
    let (left, right) = (b_left.y - a_left.y, b_right.y - a_right.y);
    let (a, b, beyond) = if left.abs() < right.abs() { (a_left, b_left, left) } else { (a_right, b_right, right) };
    let share = beyond / (left - right);
    let share = if share.is_finite() { share } else { 0.0 };
    let (along_a, along_b) = (a_right - a_left, b_right - b_left);
    let y = if along_a.y.abs() < along_b.y.abs() { share * along_a.y + a.y } else { share * along_b.y + b.y };
    Met { x: share * along_a.x + a.x, y, z: [share * along_a.z + a.z, share * along_b.z + b.z] }
}
