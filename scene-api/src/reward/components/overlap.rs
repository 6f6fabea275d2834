//! Solids do not share volume. Every pair of mesh nodes counts, those inside one object too, but for joints.

use super::{Measured, mean_of_least};
use crate::measured::is_joint;
use crate::reward::evidence::{Finding, millimetres, vector};
use crate::reward::input::Input;
use geometry_checks::{Overlap, overlaps};
use rl_protocol::Evidence;

/// 1 − mean of the n largest penalties, n the number of required objects (without a task: of mesh nodes). A penalty
/// is min(1, share / 0.05) of the worst pair that an object (without a task: a mesh node) takes part in.
pub(super) fn measure(input: &Input<'_>) -> Measured {
    let t = input.thresholds;
    let owner = owners(input);
    let count = if input.task.is_some() { input.groups().count() } else { input.bodies.len() };
    let least = if input.task.is_some() { input.objects.len() } else { input.bodies.len() };

    let mut grades = vec![1.0_f64; count];
    let mut widest_error = 0.0_f64;
    let mut uncertain = false;
    let mut findings = Vec::new();
    for (a, b, pair) in overlaps(&input.bodies, &input.tolerances) {
        let (Some(body_a), Some(body_b)) = (input.bodies.get(a), input.bodies.get(b)) else { continue };
        let (Some(of_a), Some(of_b)) = (owner.get(a), owner.get(b)) else { continue };
        let joint = of_a.object == of_b.object && is_joint(&pair, body_a.aabb(), body_b.aabb(), t.joint_share);
        if joint {
            continue;
        }
        uncertain |= pair.volume_uncertain && pair.thickness_m > pair.tau_m;
        if !pair.counts {
            continue;
        }
        let penalty = (pair.share / t.overlap_share_zero).min(1.0);
        for graded in [of_a.graded, of_b.graded] {
            if let Some(grade) = grades.get_mut(graded) {
                *grade = grade.min(1.0 - penalty);
            }
        }
        if pair.volume_m3 > 0.0 {
            widest_error = widest_error.max(penalty * pair.volume_error_m3 / pair.volume_m3);
        }
        findings.push(Finding { badness: penalty, evidence: evidence(input, [a, b], &pair) });
    }

    let value = mean_of_least(grades, least);
    let value = if uncertain { value.min(t.uncertain_volume_cap) } else { value };
    Measured { value, uncertainty: widest_error.min(1.0), findings }
}

/// What a mesh belongs to: the object within which joints are allowed, and the row of the grades that a fault lowers.
struct Owner {
    object: usize,
    graded: usize,
}

fn owners(input: &Input<'_>) -> Vec<Owner> {
    let mut object_of = vec![usize::MAX; input.bodies.len()];
    for (index, group) in input.groups().enumerate() {
        for mesh in &group.meshes {
            if let Some(object) = object_of.get_mut(*mesh) {
                *object = index;
            }
        }
    }
    let with_task = input.task.is_some();
    object_of
        .into_iter()
        .enumerate()
        .map(|(mesh, object)| Owner { object, graded: if with_task { object } else { mesh } })
        .collect()
}

/// The smaller of the two is the one to move.
fn evidence(input: &Input<'_>, [a, b]: [usize; 2], pair: &Overlap) -> Evidence {
    let volume_of = |index: usize| input.bodies.get(index).map_or(0.0, |body| body.aabb().extents().product());
    let (moved, other, by) =
        if volume_of(a) <= volume_of(b) { (a, b, pair.separate_a_m) } else { (b, a, -pair.separate_a_m) };
    let axis = pair.thickness_axis.min(2);
    let into = format!("{}{}", if by[axis] > 0.0 { '-' } else { '+' }, ["X", "Y", "Z"][axis]);
    let name = |index: usize| input.baked.meshes.get(index).map(|mesh| mesh.name.as_str()).unwrap_or_default();
    // The thickness of what an open mesh cuts off has no bound.
    let message = if pair.thickness_m.is_finite() {
        let depth = millimetres(pair.thickness_m);
        format!("{} sinks {depth} into {} along {into}", name(moved), name(other))
    } else {
        format!("{} and {} share volume, and one of them is not closed", name(moved), name(other))
    };
    Evidence {
        value: pair.share,
        threshold: input.tolerances.counted_share,
        unit: "share of the smaller volume".into(),
        position_m: Some(pair.centre.coords.into()),
        message,
        fix: format!("move {} by {}", name(moved), vector(by.into())),
        ..input.mesh_evidence("overlap", &[moved, other])
    }
}
