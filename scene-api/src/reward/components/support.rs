//! The objects stand on something, in the end on the ground.

use super::{Measured, mean};
use crate::reward::evidence::{Finding, millimetres, vector};
use crate::reward::input::{Input, Object};
use geometry_checks::{Support, support};
use rl_protocol::Evidence;

/// Mean over the required objects of 1 (a contact chain to the ground and the centre of volume over its contacts),
/// 0.5 (a chain, but it would tip) or 0 (floating). Without a task nothing is known of a ground: 1.
pub(super) fn measure(input: &Input<'_>) -> Measured {
    let Some(task) = input.task else { return Measured::exact(1.0, Vec::new()) };
    let standing: Vec<&Object> = input.groups().filter(|group| !group.meshes.is_empty()).collect();
    let groups: Vec<Vec<usize>> = standing.iter().map(|group| group.meshes.clone()).collect();
    let supports = support(&input.bodies, &groups, task.ground_y_m, &input.tolerances);

    let required: Vec<(&Object, &Support)> =
        standing.into_iter().zip(&supports).filter(|(group, _)| group.target_m.is_some()).collect();
    let grades: Vec<f64> = required.iter().map(|(_, support)| support.value).collect();
    let findings = required
        .iter()
        .filter(|(_, support)| support.value < 1.0)
        .map(|(object, support)| Finding { badness: 1.0 - support.value, evidence: evidence(input, object, support) })
        .collect();
    Measured::exact(mean(&grades).unwrap_or(1.0), findings)
}

fn evidence(input: &Input<'_>, object: &Object, support: &Support) -> Evidence {
    let name = &object.name;
    let (message, fix) = match support.gap_m {
        _ if support.value > 0.0 => (
            format!("{name} would tip: its centre is not over what it stands on"),
            format!("widen the base of {name} or centre it on what carries it"),
        ),
        Some(gap_m) if gap_m > 0.0 => (
            format!("{name} floats {} above what is below it", millimetres(gap_m)),
            format!("move {name} by {}", vector([0.0, -gap_m, 0.0])),
        ),
        _ => (
            format!("{name} has nothing below it that reaches the ground"),
            format!("stand {name} on the ground or on something that stands there"),
        ),
    };
    Evidence {
        value: support.gap_m.unwrap_or(0.0),
        threshold: input.tolerances.support_gap_m,
        unit: "m".into(),
        message,
        fix,
        ..input.object_evidence("support", object)
    }
}
