//! Which objects stand: on the ground, or on others that do.

use std::ops::Range;

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use crate::contact::{Place, contacts};
use crate::footprint::{convex_hull, distance_to_hull};
use crate::linked::linked_share;
use crate::piece::{Piece, pieces};
use crate::ramp::ramp;
use crate::{Body, Tolerances};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Supporter {
    Ground,
    /// Index into the groups.
    Group(usize),
}

/// `value` in [0, 1] is a product: how well the best chain of contacts carries the group to the ground (1 up to the
/// allowed gaps and depths, then falling), 1 where its centre of volume lies over what carries it down to 0.5 where it
/// would tip, and `linked_share`.
#[derive(Debug, Clone, PartialEq)]
pub struct Support {
    pub value: f64,
    /// Share of the group's volume (of its area where a part encloses none) that hangs together with the parts that
    /// stand: 1 when nothing floats, 0 when nothing stands.
    pub linked_share: f64,
    /// Vertical distance to the nearest thing below, ≥ 0; `None` when there is nothing.
    pub gap_m: Option<f64>,
    /// All that it rests on, those included that are not carried themselves.
    pub by: Vec<Supporter>,
}

struct Group<'a> {
    /// Each body with its pieces.
    bodies: Vec<(&'a Body, Range<usize>)>,
    pieces: Vec<Piece<'a>>,
}

/// What a group touches from above.
struct Stance {
    gap_m: f64,
    /// Those of each piece.
    feet: Vec<Vec<Foot>>,
}

struct Foot {
    on: Supporter,
    hold: f64,
    places: Vec<Place>,
}

impl Foot {
    /// How well it carries, given how well each group is carried.
    fn carries(&self, holds: &[f64]) -> f64 {
        match self.on {
            Supporter::Ground => self.hold,
            Supporter::Group(below) => self.hold * holds[below],
        }
    }
}

/// One answer for each group of `bodies` (an object with its parts, indices; unknown ones are left out). The ground is
/// the plane y = `ground_y_m`. Bodies without a group carry nothing.
pub fn support(bodies: &[Body], groups: &[Vec<usize>], ground_y_m: f64, t: &Tolerances) -> Vec<Support> {
    let groups: Vec<Group> = groups
        .par_iter()
        .map(|group| grouped(&group.iter().filter_map(|&body| bodies.get(body)).collect::<Vec<_>>(), t))
        .collect();
    let stances: Vec<Stance> =
        (0..groups.len()).into_par_iter().map(|group| stance(&groups, group, ground_y_m, t)).collect();
    let holds = holds(&stances);
    (0..groups.len())
        .into_par_iter()
        .map(|group| judge(&stances[group], &groups[group].pieces, holds[group], &holds, t))
        .collect()
}

fn grouped<'a>(bodies: &[&'a Body], t: &Tolerances) -> Group<'a> {
    let mut group = Group { bodies: Vec::new(), pieces: Vec::new() };
    for (&body, own) in bodies.iter().zip(pieces(bodies, t)) {
        let start = group.pieces.len();
        group.pieces.extend(own);
        group.bodies.push((body, start..group.pieces.len()));
    }
    group
}

/// How well the best chain of contacts carries each group.
fn holds(stances: &[Stance]) -> Vec<f64> {
    let mut holds = vec![0.0; stances.len()];
    loop {
        let best = |stance: &Stance| stance.feet.iter().flatten().map(|foot| foot.carries(&holds)).fold(0.0, f64::max);
        let next: Vec<f64> = stances.iter().map(best).collect();
        if next == holds {
            return holds;
        }
        holds = next;
    }
}

fn judge(stance: &Stance, pieces: &[Piece], hold: f64, holds: &[f64], t: &Tolerances) -> Support {
    let gap_m = stance.gap_m.is_finite().then(|| stance.gap_m.max(0.0));
    let mut by: Vec<Supporter> = stance.feet.iter().flatten().map(|foot| foot.on).collect();
    by.sort_unstable();
    by.dedup();
    if hold <= 0.0 {
        return Support { value: 0.0, linked_share: 0.0, gap_m, by };
    }
    let carrying = stance.feet.iter().flatten().filter(|foot| foot.carries(holds) > 0.0);
    let places: Vec<Place> = carrying.flat_map(|foot| foot.places.iter().copied()).collect();
    // It would come to rest on what it meets within a gap of the first thing it meets.
    let drop_m = places.iter().map(|place| place.gap_m).fold(f64::INFINITY, f64::min).max(0.0);
    let patch: Vec<[f64; 2]> =
        places.iter().filter(|place| place.gap_m <= drop_m + t.support_gap_m).map(|place| place.at).collect();
    let standing: Vec<f64> =
        stance.feet.iter().map(|feet| feet.iter().map(|foot| foot.carries(holds)).fold(0.0, f64::max) / hold).collect();
    let linked_share = linked_share(pieces, &standing, t);
    Support { value: hold * balance(pieces, &patch, t) * linked_share, linked_share, gap_m, by }
}

fn stance(groups: &[Group], group: usize, ground_y_m: f64, t: &Tolerances) -> Stance {
    let own = &groups[group];
    let height_m = |piece: &Piece| piece.aabb.min.y - ground_y_m;
    let lowest_m = own.pieces.iter().map(height_m).fold(f64::INFINITY, f64::min);
    let sunk = ramp(-lowest_m, t.ground_sink_m, t.ground_sink_none_m);
    let on_ground = |piece: &Piece| {
        let hold = sunk * ramp(height_m(piece), t.support_gap_m, t.support_gap_none_m);
        let places = piece.points.iter().map(|p| Place { at: [p.x, p.z], gap_m: p.y - ground_y_m });
        let places = places.filter(|place| place.gap_m < t.support_gap_none_m).collect();
        (hold > 0.0).then_some(Foot { on: Supporter::Ground, hold, places })
    };
    let mut stance = Stance {
        gap_m: if sunk > 0.0 { lowest_m } else { f64::INFINITY },
        feet: own.pieces.iter().map(|piece| on_ground(piece).into_iter().collect()).collect(),
    };

    // Nearest first, so that farther ones need no measuring once a gap is known.
    let mut below = Vec::new();
    for (other, under) in groups.iter().enumerate().filter(|(other, _)| *other != group) {
        for (lower, _) in &under.bodies {
            for (upper, range) in &own.bodies {
                let (a, b) = (upper.aabb(), lower.aabb());
                if !std::ptr::eq(*upper, *lower) && b.min.y <= a.max.y {
                    below.push(((a.min.y - b.max.y).max(0.0), other, *upper, range, *lower));
                }
            }
        }
    }
    below.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (at_least_m, other, upper, range, lower) in below {
        if at_least_m >= t.support_gap_none_m && at_least_m >= stance.gap_m {
            break;
        }
        for (piece, contact) in range.clone().zip(contacts(upper, &own.pieces[range.clone()], lower, t)) {
            stance.gap_m = stance.gap_m.min(contact.gap_m);
            if contact.hold > 0.0 {
                let (on, hold) = (Supporter::Group(other), contact.hold);
                stance.feet[piece].push(Foot { on, hold, places: contact.places });
            }
        }
    }
    stance
}

/// 1 while the centre of volume lies over the hull of the patch, 0.5 from some way beyond it.
fn balance(pieces: &[Piece], patch: &[[f64; 2]], t: &Tolerances) -> f64 {
    let Some(around) = pieces.iter().map(|piece| piece.aabb).reduce(|around, own| around.union(&own)) else {
        return 0.0;
    };
    let centre = centre_of_volume(pieces).unwrap_or(around.centre());
    let reach_m = (t.balance_share * around.extents().x.min(around.extents().z)).max(t.balance_m);
    let beyond_m = distance_to_hull(&convex_hull(patch), [centre.x, centre.z]) - t.balance_m;
    0.5 + 0.5 * ramp(beyond_m, 0.0, reach_m)
}

/// Of the closed pieces; `None` where none encloses a volume.
fn centre_of_volume(pieces: &[Piece]) -> Option<Point3<f64>> {
    let (mut volume_m3, mut moment) = (0.0, Vector3::<f64>::zeros());
    for piece in pieces.iter().filter(|piece| piece.closed) {
        let origin = piece.aabb.min;
        let (mut own_m3, mut own_moment) = (0.0, Vector3::<f64>::zeros());
        for [a, b, c] in piece.triangles().map(|corners| corners.map(|corner| corner - origin)) {
            let tetrahedron_m3 = a.dot(&b.cross(&c)) / 6.0;
            own_m3 += tetrahedron_m3;
            own_moment += (a + b + c) * (tetrahedron_m3 / 4.0);
        }
        volume_m3 += own_m3;
        moment += own_moment + origin.coords * own_m3;
    }
    (volume_m3 > 0.0).then(|| Point3::from(moment / volume_m3))
}
