//! The objects lie within the task's bounds, seen from above.

use super::{Measured, mean_of_least, ramp};
use crate::reward::evidence::{Finding, rounded};
use crate::reward::fix::move_object;
use crate::reward::input::{Input, Object};
use crate::task::Bounds;
use geometry_checks::{Aabb, outside_share};
use rl_protocol::Evidence;

/// Mean over the required objects of max(0, 1 − outside share/0.05): the share of the footprint (its convex hull)
/// outside the bounds, which are widened by 10 mm. Without a task there are no bounds: 1.
pub(super) fn measure(input: &Input<'_>) -> Measured {
    let Some(task) = input.task else { return Measured::exact(1.0, Vec::new()) };
    let t = input.thresholds;
    let margin = t.bounds_margin_m;
    let Bounds { min, max } = task.bounds_m;
    let (min_xz, max_xz) = ([min[0] - margin, min[2] - margin], [max[0] + margin, max[2] + margin]);

    let mut grades = Vec::new();
    let mut findings = Vec::new();
    for object in input.present() {
        let footprint: Vec<[f64; 2]> = object
            .meshes
            .iter()
            .filter_map(|index| input.baked.meshes.get(*index))
            .flat_map(|mesh| &mesh.positions)
            .map(|position| [position.x, position.z])
            .collect();
        let outside = outside_share(&footprint, min_xz, max_xz);
        let grade = ramp(outside, 0.0, t.outside_share_zero);
        grades.push(grade);
        if grade < 1.0 {
            findings.push(Finding { badness: outside, evidence: evidence(input, object, outside, &task.bounds_m) });
        }
    }
    Measured::exact(mean_of_least(grades, input.objects.len()), findings)
}

fn evidence(input: &Input<'_>, object: &Object, outside: f64, bounds: &Bounds) -> Evidence {
    let by = object.aabb.as_ref().map_or([0.0; 3], |aabb| inwards_m(aabb, bounds));
    Evidence {
        value: outside,
        threshold: 0.0,
        unit: "share of the footprint".into(),
        message: format!("a share of {} of {}'s footprint is outside the bounds", rounded(outside), object.name),
        fix: move_object(input, object, by),
        ..input.object_evidence("bounds", object)
    }
}

/// The shortest horizontal move that brings the box inside.
fn inwards_m(aabb: &Aabb, bounds: &Bounds) -> [f64; 3] {
    let along =
        |axis: usize| (bounds.min[axis] - aabb.min[axis]).max(0.0) + (bounds.max[axis] - aabb.max[axis]).min(0.0);
    [along(0), 0.0, along(2)]
}
