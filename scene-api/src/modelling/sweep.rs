//! Sections of a profile along a path.

use crate::tolerances::Tolerances;
use nalgebra::{Point3, Vector3};

/// Degrees that a path may turn at a point: at a sharper turn the mitred section is long and thin.
const TURN_MOST_DEG: f64 = 150.0;

/// Why there is no sweep, with the path's point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fault {
    SharpTurn {
        at: usize,
        turn_deg: f64,
    },
    /// The sections at this point and the next meet.
    TooWide {
        at: usize,
    },
}

/// A direction and the two axes of the profile, perpendicular to each other; `across` × `up` is `along`.
#[derive(Debug, Clone, Copy)]
struct Frame {
    along: Vector3<f64>,
    up: Vector3<f64>,
}

impl Frame {
    /// Profile up is world up (−Z where the path starts upright).
    fn first(along: Vector3<f64>) -> Self {
        let is_upright = along.cross(&Vector3::y()).norm() < Tolerances::default().vertical;
        let wanted = if is_upright { -Vector3::z() } else { Vector3::y() };
        Self { along, up: perpendicular(wanted, along) }
    }

    /// Turned by the least rotation that brings `along` to the new direction.
    fn turned_to(self, along: Vector3<f64>) -> Self {
        let sum = self.along + along;
        let turned = |vector: Vector3<f64>| {
            vector - sum * (sum.dot(&vector) / (1.0 + self.along.dot(&along))) + along * (2.0 * self.along.dot(&vector))
        };
        Self { along, up: perpendicular(turned(self.up), along) }
    }

    fn across(self) -> Vector3<f64> {
        self.up.cross(&self.along)
    }

    /// Angle from `self` to `other`, of the same direction, counter-clockwise seen from ahead.
    fn angle_to(self, other: Self) -> f64 {
        libm::atan2(-other.up.dot(&self.across()), other.up.dot(&self.up))
    }
}

fn perpendicular(vector: Vector3<f64>, to: Vector3<f64>) -> Vector3<f64> {
    (vector - to * to.dot(&vector)).normalize()
}

/// The profile (x across, y up) at each point of a path whose neighbours differ. Between two points it is a straight
/// prism, cut at the points by the plane that halves the turn, so its width is kept around corners. Frames turn no
/// more than they must; what a closed path lacks to meet itself is spread evenly over its length.
///
/// # Errors
/// The first turn of more than 150°, or the first bend that is too tight for the profile.
pub(crate) fn sections(
    profile: &[[f64; 2]],
    path: &[Point3<f64>],
    closed: bool,
) -> Result<Vec<Vec<Point3<f64>>>, Fault> {
    let count = if closed { path.len() } else { path.len().saturating_sub(1) };
    let next = path.iter().cycle().skip(1);
    let steps: Vec<Vector3<f64>> = path.iter().zip(next).take(count).map(|(from, to)| to - from).collect();
    let directions: Vec<Vector3<f64>> = steps.iter().map(|step| step.normalize()).collect();
    let frames = frames(&directions);
    let (Some(start), Some(end)) = (frames.first(), frames.last()) else { return Ok(Vec::new()) };
    let lack_rad = if closed { end.turned_to(start.along).angle_to(*start) } else { 0.0 };
    let whole_m: f64 = steps.iter().map(|step| step.norm()).sum();

    let mut sections: Vec<Vec<Point3<f64>>> = Vec::with_capacity(path.len());
    let mut done_m = 0.0;
    for (index, point) in path.iter().enumerate() {
        let out = frames.get(index).copied().unwrap_or(*end);
        let before = index.checked_sub(1).or_else(|| closed.then(|| frames.len() - 1));
        let into = before.and_then(|before| directions.get(before)).filter(|_| closed || index < frames.len());
        let cut = into.map_or(Ok(out.along), |into| mitre(*into, out.along, index))?;
        let twist_rad = lack_rad * done_m / whole_m;
        done_m += steps.get(index).map_or(0.0, |step| step.norm());
        let (sin, cos) = (libm::sin(twist_rad), libm::cos(twist_rad));
        let place = |[x, y]: &[f64; 2]| {
            let offset = out.across() * (x * cos - y * sin) + out.up * (x * sin + y * cos);
            point + offset - out.along * (offset.dot(&cut) / out.along.dot(&cut))
        };
        sections.push(profile.iter().map(place).collect());
    }
    for (index, direction) in directions.iter().enumerate() {
        let (from, to) = (&sections[index], &sections[(index + 1) % sections.len()]);
        if from.iter().zip(to).any(|(from, to)| (to - from).dot(direction) <= 0.0) {
            return Err(Fault::TooWide { at: index });
        }
    }
    Ok(sections)
}

/// One per direction.
fn frames(directions: &[Vector3<f64>]) -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::with_capacity(directions.len());
    for direction in directions {
        frames.push(frames.last().map_or_else(|| Frame::first(*direction), |frame| frame.turned_to(*direction)));
    }
    frames
}

/// Normal of the plane that halves the turn.
fn mitre(into: Vector3<f64>, out: Vector3<f64>, at: usize) -> Result<Vector3<f64>, Fault> {
    let turn_deg = libm::atan2(into.cross(&out).norm(), into.dot(&out)).to_degrees();
    if turn_deg > TURN_MOST_DEG {
        return Err(Fault::SharpTurn { at, turn_deg });
    }
    Ok((into + out).normalize())
}
