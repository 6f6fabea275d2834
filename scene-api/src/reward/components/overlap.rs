//! Solids do not share volume. Every pair of mesh nodes counts, those inside one object too, but for joints.

mod apart;
mod pairs;

use super::{Measured, mean_of_least};
use crate::measured::beyond_joint;
use crate::reward::evidence::{Finding, millimetres};
use crate::reward::input::{Input, Object};
use geometry_checks::{Body, Overlap, Tolerances, overlap};
use pairs::{Pair, candidates};
use rayon::prelude::*;
use rl_protocol::Evidence;
use std::collections::BTreeMap;

/// 1 − mean of the n largest penalties, n the number of required objects (without a task: of mesh nodes). A penalty
/// is min(1, share / 0.05) of the worst pair that an object (without a task: a mesh node) takes part in: two meshes
/// within it, beyond what a joint may be, or it and another object, which share all that their meshes do.
///
/// Pairs are measured in chunks, those that can cost most first. A pair whose two sides have lost everything is left
/// out: it changes no value. When the work allowed is used up, the value takes what the boxes of the other pairs allow,
/// and the uncertainty reaches up to what was found.
pub(super) fn measure(input: &Input<'_>) -> Measured {
    let t = input.thresholds;
    let owners = Owners::of(input);
    let least = if input.task.is_some() { input.objects.len() } else { input.bodies.len() };
    let (pairs, all_meshes) = candidates(input, &owners);

    let mut tally = Tally { grades: vec![1.0; owners.rows], ..Tally::default() };
    let mut unmeasured: Vec<Pair> = Vec::new();
    let mut skipped = false;
    let mut work_left = t.overlap_work_max;
    for chunk in pairs.chunks(t.overlap_chunk_pairs) {
        let mut affordable = Vec::new();
        for pair in chunk {
            if tally.is_lost(&owners, pair) {
                skipped = true;
            } else if pair.work <= work_left {
                work_left -= pair.work;
                affordable.push(*pair);
            } else {
                unmeasured.push(*pair);
            }
        }
        let measured: Vec<(Pair, Option<Overlap>)> = affordable
            .into_par_iter()
            .map(|pair| {
                (pair, pair.bodies(input).and_then(|[a, b]| overlap(a, b, &owners.decided(input, &pair, [a, b]))))
            })
            .collect();
        for (pair, found) in measured {
            if let Some(found) = found {
                tally.note(input, &owners, &pair, &found);
            }
        }
    }

    let complete = all_meshes && unmeasured.is_empty();
    let cap = if tally.uncertain || !all_meshes { t.uncertain_volume_cap } else { 1.0 };
    let found = mean_of_least(tally.grades.clone(), least).min(cap);
    let mut at_worst = tally.clone();
    for pair in &unmeasured {
        at_worst.add(
            &owners,
            pair,
            Cost { share: pair.most_share, error: 0.0, weight: 1.0, zero: t.overlap_share_zero },
        );
    }
    let value = mean_of_least(at_worst.grades, least).min(cap);
    let spread = if all_meshes { found - value } else { found };
    if !complete {
        tally.findings.push(Finding { badness: 1.0, evidence: left_out(input, unmeasured.len()) });
    }
    Measured {
        value,
        uncertainty: spread.max(tally.widest_error).min(1.0),
        findings: tally.findings,
        truncated: skipped || !complete,
    }
}

/// What has been found so far.
#[derive(Clone, Default)]
struct Tally {
    grades: Vec<f64>,
    /// Shares of the pairs of meshes of two objects, ascending, so that their order changes no bit of the sum.
    between: BTreeMap<[usize; 2], Vec<f64>>,
    widest_error: f64,
    /// An open mesh takes part, whose inside is partly a guess.
    uncertain: bool,
    findings: Vec<Finding>,
}

impl Tally {
    fn is_lost(&self, owners: &Owners<'_>, pair: &Pair) -> bool {
        [pair.a, pair.b].iter().all(|mesh| owners.row(*mesh).and_then(|row| self.grades.get(row)) == Some(&0.0))
    }

    fn note(&mut self, input: &Input<'_>, owners: &Owners<'_>, pair: &Pair, found: &Overlap) {
        let Some([a, b]) = pair.bodies(input) else { return };
        let weight = if owners.within_one(pair) { beyond_joint(found, a, b, &input.tolerances) } else { 1.0 };
        if !found.counts || weight == 0.0 {
            return;
        }
        self.uncertain |= found.volume_uncertain;
        let share = found.volume_m3 / owners.smaller_m3(pair, [a, b]);
        let error = if found.volume_m3 > 0.0 { found.volume_error_m3 / found.volume_m3 } else { 0.0 };
        let cost = Cost { share, error, weight, zero: input.thresholds.overlap_share_zero };
        self.add(owners, pair, cost);
        let badness = cost.penalty(share);
        self.findings.push(Finding { badness, evidence: evidence(input, owners, pair, found, share) });
    }

    fn add(&mut self, owners: &Owners<'_>, pair: &Pair, cost: Cost) {
        let share = match owners.between(pair) {
            None => cost.share,
            Some(objects) => {
                let shares = self.between.entry(objects).or_default();
                shares.insert(shares.partition_point(|known| *known < cost.share), cost.share);
                shares.iter().sum::<f64>()
            }
        };
        let penalty = cost.penalty(share);
        owners.lower(&mut self.grades, pair, 1.0 - penalty);
        self.widest_error = self.widest_error.max(penalty - cost.penalty(share * (1.0 - cost.error).max(0.0)));
    }
}

/// What one pair of meshes costs.
#[derive(Clone, Copy)]
struct Cost {
    share: f64,
    /// Relative, of the share.
    error: f64,
    /// In [0, 1], how far it is no joint.
    weight: f64,
    /// Share that costs everything.
    zero: f64,
}

impl Cost {
    fn penalty(&self, share: f64) -> f64 {
        (share / self.zero).min(1.0) * self.weight
    }
}

/// Which object each mesh belongs to: within one, joints are allowed; between two, the object moves as a whole.
struct Owners<'a> {
    objects: Vec<&'a Object>,
    /// An index into `objects` for each mesh.
    object_of: Vec<usize>,
    /// Of each object, all its meshes together.
    volumes_m3: Vec<f64>,
    /// Grades are of objects where a task scores, else of meshes.
    by_object: bool,
    rows: usize,
}

impl<'a> Owners<'a> {
    fn of(input: &'a Input<'_>) -> Self {
        let objects: Vec<&Object> = input.groups().collect();
        let mut object_of = vec![usize::MAX; input.bodies.len()];
        for (index, object) in objects.iter().enumerate() {
            for mesh in &object.meshes {
                if let Some(owner) = object_of.get_mut(*mesh) {
                    *owner = index;
                }
            }
        }
        let by_object = input.task.is_some();
        let rows = if by_object { objects.len() } else { object_of.len() };
        let volume_m3 = |object: &&Object| {
            let bodies = object.meshes.iter().filter_map(|mesh| input.bodies.get(*mesh));
            let mut volumes_m3: Vec<f64> = bodies.map(Body::volume_m3).collect();
            volumes_m3.sort_by(f64::total_cmp);
            volumes_m3.iter().sum::<f64>()
        };
        let volumes_m3 = objects.iter().map(volume_m3).collect();
        Self { objects, object_of, volumes_m3, by_object, rows }
    }

    fn object(&self, mesh: usize) -> Option<&'a Object> {
        self.objects.get(*self.object_of.get(mesh)?).copied()
    }

    fn within_one(&self, pair: &Pair) -> bool {
        self.object_of.get(pair.a) == self.object_of.get(pair.b)
    }

    /// The two objects, ascending, where both lose by what all their meshes share.
    fn between(&self, pair: &Pair) -> Option<[usize; 2]> {
        let (a, b) = (*self.object_of.get(pair.a)?, *self.object_of.get(pair.b)?);
        (self.by_object && a != b).then_some([a.min(b), a.max(b)])
    }

    /// What shares are of: the smaller object's volume between two objects, else the smaller body's.
    fn smaller_m3(&self, pair: &Pair, [a, b]: [&Body; 2]) -> f64 {
        let objects = self.between(pair).map(|objects| objects.map(|object| self.volumes_m3.get(object)));
        match objects {
            Some([Some(one), Some(other)]) => (*one).min(*other),
            _ => a.volume_m3().min(b.volume_m3()),
        }
    }

    /// Tolerances whose `decided_share`, which is of bodies, stands for the same share of what `smaller_m3` says.
    fn decided(&self, input: &Input<'_>, pair: &Pair, bodies: [&Body; 2]) -> Tolerances {
        let [a, b] = bodies;
        let bodies_in_smaller = self.smaller_m3(pair, bodies) / a.volume_m3().min(b.volume_m3());
        Tolerances { decided_share: input.tolerances.decided_share * bodies_in_smaller, ..input.tolerances }
    }

    fn row(&self, mesh: usize) -> Option<usize> {
        if self.by_object { self.object_of.get(mesh).copied() } else { Some(mesh) }
    }

    fn lower(&self, grades: &mut [f64], pair: &Pair, grade: f64) {
        for row in [pair.a, pair.b].into_iter().filter_map(|mesh| self.row(mesh)) {
            if let Some(known) = grades.get_mut(row) {
                *known = known.min(grade);
            }
        }
    }
}

/// The smaller of the two is the one to move: the mesh within one object, else the object as a whole.
fn evidence(input: &Input<'_>, owners: &Owners<'_>, pair: &Pair, found: &Overlap, share: f64) -> Evidence {
    let volume_m3 = |mesh: usize| {
        let object = owners.object(mesh).filter(|_| !owners.within_one(pair)).and_then(|object| object.aabb);
        let of_mesh = || input.bodies.get(mesh).map(|body| *body.aabb());
        object.or_else(of_mesh).map_or(0.0, |aabb| aabb.extents().product())
    };
    let first = volume_m3(pair.a) <= volume_m3(pair.b);
    let (moved, other) = if first { (pair.a, pair.b) } else { (pair.b, pair.a) };
    let by_m = if first { found.separate_a_m } else { -found.separate_a_m };
    let axis = found.thickness_axis.min(2);
    let into = format!("{}{}", if by_m[axis] > 0.0 { '-' } else { '+' }, ["X", "Y", "Z"][axis]);
    let (name, of) = (input.mesh_path(moved), input.mesh_path(other));
    // The thickness of what an open mesh cuts off has no bound.
    let message = if found.thickness_m.is_finite() {
        format!("{name} sinks {} into {of} along {into}", millimetres(found.thickness_m))
    } else {
        format!("{name} and {of} share volume, and one of them is not closed")
    };
    let fix = if owners.within_one(pair) {
        apart::part(input, moved, by_m.into())
    } else {
        owners.object(moved).map_or_else(String::new, |object| apart::object(input, object, other, by_m.into()))
    };
    Evidence {
        value: share,
        threshold: input.tolerances.counted_share,
        unit: "share of the smaller volume".into(),
        position_m: Some(found.centre.coords.into()),
        message,
        fix,
        ..input.mesh_evidence("overlap", &[moved, other])
    }
}

fn left_out(input: &Input<'_>, pairs: usize) -> Evidence {
    let t = input.thresholds;
    let meshes = input.bodies.len().saturating_sub(t.overlap_meshes_max);
    Evidence {
        component: "overlap".into(),
        value: (pairs + meshes) as f64,
        threshold: 0.0,
        unit: "pairs or meshes".into(),
        message: format!(
            "{pairs} pairs of meshes with common boxes were too much to measure and count as their boxes allow; \
             {meshes} meshes were left out"
        ),
        fix: "use fewer or simpler meshes in one place".into(),
        ..Evidence::default()
    }
}
