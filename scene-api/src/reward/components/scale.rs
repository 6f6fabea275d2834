//! The objects have the sizes that the task gives.

use super::{Measured, mean};
use crate::reward::evidence::{Finding, rounded};
use crate::reward::input::{Input, Object};
use rl_protocol::Evidence;

/// Mean over the required objects and axes of exp(−(ln(size/target)/0.35)²). Without a task there are no targets: 1.
pub(super) fn measure(input: &Input<'_>) -> Measured {
    let mut grades = Vec::new();
    let mut findings = Vec::new();
    for object in input.present() {
        let (Some(aabb), Some(target)) = (&object.aabb, object.target_m) else { continue };
        for (axis, (size, target)) in aabb.extents().iter().copied().zip(target).enumerate() {
            let deviation = libm::log((size / target).max(f64::MIN_POSITIVE)) / input.thresholds.size_log_width;
            let grade = libm::exp(-deviation * deviation);
            grades.push(grade);
            if (size - target).abs() > input.thresholds.size_evidence_share * target {
                findings.push(Finding { badness: 1.0 - grade, evidence: evidence(input, object, axis, size, target) });
            }
        }
    }
    Measured::exact(mean(&grades).unwrap_or(1.0), findings)
}

fn evidence(input: &Input<'_>, object: &Object, axis: usize, size: f64, target: f64) -> Evidence {
    let axis = ["X", "Y", "Z"].get(axis).copied().unwrap_or_default();
    Evidence {
        value: size,
        threshold: target,
        unit: "m".into(),
        message: format!("{} is {} m along {axis}; {} m is asked for", object.name, rounded(size), rounded(target)),
        fix: format!("scale {} by {} along {axis}", object.name, rounded(target / size)),
        ..input.object_evidence("scale", object)
    }
}
