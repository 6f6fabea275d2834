//! Which objects stand: on the ground, or on others that do.

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use crate::contact::contact;
use crate::footprint::{convex_hull, distance_to_hull};
use crate::{Body, Tolerances};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Supporter {
    Ground,
    /// Index into the groups.
    Group(usize),
}

/// `value`: 1 carried and balanced, 0.5 carried with its centre beyond what carries it, 0 not carried to the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct Support {
    pub value: f64,
    /// Vertical distance to the nearest thing below, ≥ 0; `None` when there is nothing.
    pub gap_m: Option<f64>,
    /// All that it rests on, those included that are not carried themselves.
    pub by: Vec<Supporter>,
}

/// What a group touches from above.
#[derive(Debug)]
struct Stance {
    ground: Vec<[f64; 2]>,
    groups: Vec<(usize, Vec<[f64; 2]>)>,
    gap_m: f64,
}

/// One answer for each group of `bodies` (an object with its parts, indices; unknown ones are left out). The ground is
/// the plane y = `ground_y_m`. Bodies without a group carry nothing.
pub fn support(bodies: &[Body], groups: &[Vec<usize>], ground_y_m: f64, t: &Tolerances) -> Vec<Support> {
    let groups: Vec<Vec<&Body>> =
        groups.iter().map(|group| group.iter().filter_map(|&body| bodies.get(body)).collect()).collect();
    let stances: Vec<Stance> =
        (0..groups.len()).into_par_iter().map(|group| stance(&groups, group, ground_y_m, t)).collect();

    let mut carried: Vec<bool> = stances.iter().map(|stance| !stance.ground.is_empty()).collect();
    loop {
        let newly: Vec<usize> = (0..carried.len())
            .filter(|&group| !carried[group] && stances[group].groups.iter().any(|(below, _)| carried[*below]))
            .collect();
        if newly.is_empty() {
            break;
        }
        for group in newly {
            carried[group] = true;
        }
    }
    stances.iter().zip(&groups).map(|(stance, bodies)| judge(stance, bodies, &carried, t)).collect()
}

fn judge(stance: &Stance, bodies: &[&Body], carried: &[bool], t: &Tolerances) -> Support {
    let mut patch = stance.ground.clone();
    let mut by = Vec::new();
    if !stance.ground.is_empty() {
        by.push(Supporter::Ground);
    }
    for (below, points) in &stance.groups {
        by.push(Supporter::Group(*below));
        if carried[*below] {
            patch.extend(points);
        }
    }
    let balanced = centre(bodies)
        .is_some_and(|centre| distance_to_hull(&convex_hull(&patch), [centre.x, centre.z]) <= t.balance_m);
    let value = match (patch.is_empty(), balanced) {
        (true, _) => 0.0,
        (false, true) => 1.0,
        (false, false) => 0.5,
    };
    Support { value, gap_m: stance.gap_m.is_finite().then(|| stance.gap_m.max(0.0)), by }
}

fn stance(groups: &[Vec<&Body>], group: usize, ground_y_m: f64, t: &Tolerances) -> Stance {
    let own = &groups[group];
    let mut stance = Stance { ground: Vec::new(), groups: Vec::new(), gap_m: f64::INFINITY };
    let heights_m = || own.iter().flat_map(|body| &body.solid().points).map(move |p| ([p.x, p.z], p.y - ground_y_m));
    let lowest_m = heights_m().map(|(_, height_m)| height_m).fold(f64::INFINITY, f64::min);
    if lowest_m >= -t.ground_sink_m {
        stance.gap_m = lowest_m;
        stance.ground =
            heights_m().filter(|(_, height_m)| *height_m <= t.support_gap_m).map(|(place, _)| place).collect();
    }

    // Nearest first, so that farther ones need no measuring once a gap is known.
    let mut below: Vec<(f64, usize, &Body, &Body)> = Vec::new();
    for (other, bodies) in groups.iter().enumerate().filter(|(other, _)| *other != group) {
        for &lower in bodies {
            for &upper in own {
                let (a, b) = (upper.aabb(), lower.aabb());
                if !std::ptr::eq(upper, lower) && b.min.y <= a.max.y {
                    below.push(((a.min.y - b.max.y).max(0.0), other, upper, lower));
                }
            }
        }
    }
    below.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (at_least_m, other, upper, lower) in below {
        if at_least_m > t.support_gap_m && at_least_m >= stance.gap_m {
            break;
        }
        let Some(contact) = contact(upper, lower, t) else { continue };
        stance.gap_m = stance.gap_m.min(contact.gap_m);
        if !contact.patch.is_empty() {
            match stance.groups.iter_mut().find(|(known, _)| *known == other) {
                Some((_, patch)) => patch.extend(contact.patch),
                None => stance.groups.push((other, contact.patch)),
            }
        }
    }
    stance.groups.sort_by_key(|(other, _)| *other);
    stance
}

/// Centre of volume of the closed bodies; of the box around all where none encloses a volume.
fn centre(bodies: &[&Body]) -> Option<Point3<f64>> {
    let (mut volume_m3, mut moment) = (0.0, Vector3::<f64>::zeros());
    for body in bodies.iter().filter(|body| body.closed()) {
        let (origin, solid) = (body.aabb().min, body.solid());
        let (mut signed_m3, mut signed_moment) = (0.0, Vector3::<f64>::zeros());
        for triangle in &solid.triangles {
            let [a, b, c] = triangle.map(|vertex| solid.points[vertex as usize] - origin);
            let tetrahedron_m3 = a.dot(&b.cross(&c)) / 6.0;
            signed_m3 += tetrahedron_m3;
            signed_moment += (a + b + c) * (tetrahedron_m3 / 4.0);
        }
        // An inside-out surface has both signs turned.
        let sign = if signed_m3 < 0.0 { -1.0 } else { 1.0 };
        volume_m3 += sign * signed_m3;
        moment += (signed_moment + origin.coords * signed_m3) * sign;
    }
    if volume_m3 > 0.0 {
        return Some(Point3::from(moment / volume_m3));
    }
    let (first, rest) = bodies.split_first()?;
    let around = rest.iter().fold(*first.aabb(), |around, body| around.union(body.aabb()));
    Some(around.centre())
}
