//! The objects have the sizes that the task gives.

use super::{Measured, mean};
use crate::reward::evidence::{Finding, vector};
use crate::reward::fix::resize;
use crate::reward::input::{Input, Object};
use rl_protocol::Evidence;

/// Mean over the required objects and axes of exp(−(ln(size/target)/0.35)²), and 1 where the error is but rounding.
/// Without a task there are no targets: 1.
pub(super) fn measure(input: &Input<'_>) -> Measured {
    let mut grades = Vec::new();
    let mut findings = Vec::new();
    let t = input.thresholds;
    for object in input.present() {
        let (Some(aabb), Some(target_m)) = (&object.aabb, object.target_m) else { continue };
        let size_m: [f64; 3] = aabb.extents().into();
        let grade = |axis: usize| {
            let ratio = size_m[axis] / target_m[axis];
            let deviation = libm::log(ratio.max(f64::MIN_POSITIVE)) / t.size_log_width;
            if (ratio - 1.0).abs() <= t.size_dead_share { 1.0 } else { libm::exp(-deviation * deviation) }
        };
        let of_object = [0, 1, 2].map(grade);
        let error = |axis: &usize| (size_m[*axis] / target_m[*axis] - 1.0).abs();
        let worst = [0, 1, 2].into_iter().max_by(|a, b| error(a).total_cmp(&error(b))).unwrap_or(0);
        if error(&worst) > t.size_evidence_share {
            let badness = 1.0 - of_object[worst];
            findings.push(Finding { badness, evidence: evidence(input, object, worst, size_m, target_m) });
        }
        grades.extend(of_object);
    }
    Measured::exact(mean(&grades).unwrap_or(1.0), findings)
}

/// Of the axis that is most wrong.
fn evidence(input: &Input<'_>, object: &Object, axis: usize, size_m: [f64; 3], target_m: [f64; 3]) -> Evidence {
    let name = &object.name;
    let (remark, fix) = resize(input, object, size_m, target_m, input.thresholds.size_evidence_share);
    Evidence {
        value: size_m[axis],
        threshold: target_m[axis],
        unit: "m".into(),
        message: format!(
            "{name} measures {} m; {} m is asked for, most different along {}{remark}",
            vector(size_m),
            vector(target_m),
            ["X", "Y", "Z"][axis]
        ),
        fix,
        ..input.object_evidence("scale", object)
    }
}
