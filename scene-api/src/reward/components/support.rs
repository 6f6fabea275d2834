//! The objects stand on something, in the end on the ground.

use super::{Measured, mean_of_least};
use crate::reward::evidence::{Finding, millimetres, rounded};
use crate::reward::fix::move_object;
use crate::reward::input::{Input, Object};
use geometry_checks::{Aabb, Support, Supporter, support};
use rl_protocol::Evidence;

/// Mean of the n least values over all objects, n the number of required ones: 1 (a contact chain to the ground and the
/// centre of volume over its contacts), 0.5 (a chain, but it would tip) or 0 (floating), times the share of the object
/// that hangs together. Without a task nothing is known of a ground: 1.
pub(super) fn measure(input: &Input<'_>) -> Measured {
    let Some(task) = input.task else { return Measured::exact(1.0, Vec::new()) };
    let standing: Vec<&Object> = input.groups().filter(|group| !group.meshes.is_empty()).collect();
    let (groups, judged, complete) = bearing(input, &standing);
    let supports = support(&input.bodies, &groups, task.ground_y_m, &input.tolerances);

    // What lies in the ground, up to its surface, is part of it.
    let floor_m = task.ground_y_m + input.tolerances.ground_sink_m;
    let is_floor = |object: &Object| object.aabb.is_some_and(|aabb| aabb.max.y <= floor_m);
    let judged: Vec<(&Object, &Support)> = standing
        .iter()
        .copied()
        .zip(&supports)
        .zip(judged)
        .filter_map(|(measured, judged)| judged.then_some(measured))
        .filter(|(object, _)| object.target_m.is_some() || !is_floor(object))
        .collect();
    let value = mean_of_least(judged.iter().map(|(_, support)| support.value).collect(), input.objects.len());
    let mut findings: Vec<Finding> = judged
        .iter()
        .filter(|(_, support)| support.value < 1.0)
        .map(|(object, support)| {
            let evidence = evidence(input, object, support, &standing, task.ground_y_m);
            Finding { badness: 1.0 - support.value, evidence }
        })
        .collect();
    if !complete {
        findings.push(Finding { badness: 1.0, evidence: left_out(input) });
    }
    Measured { value, uncertainty: if complete { 0.0 } else { 1.0 }, findings, truncated: !complete }
}

/// The meshes of each group, and whether it is judged: required objects with what is below them, what is below that,
/// and so on; then the others, those with the highest undersides first, each with all that is below it, while they fit.
/// The last flag says that they are all; else each required group past the limit has only its lowest meshes.
fn bearing(input: &Input<'_>, standing: &[&Object]) -> (Vec<Vec<usize>>, Vec<bool>, bool) {
    let mut groups = vec![Vec::new(); standing.len()];
    let mut judged: Vec<bool> = standing.iter().map(|group| group.target_m.is_some()).collect();
    let mut left = input.thresholds.support_meshes_max;
    let mut complete = true;
    let required: Vec<usize> = (0..standing.len()).filter(|index| judged.get(*index) == Some(&true)).collect();
    let mut reached = vec![false; standing.len()];
    for index in with_what_is_below(standing, &required, &mut reached, usize::MAX) {
        let (Some(group), Some(own)) = (standing.get(index), groups.get_mut(index)) else { continue };
        *own = group.meshes.clone();
        if own.len() > left {
            let lowest_m = |mesh: &usize| input.bodies.get(*mesh).map_or(f64::INFINITY, |body| body.aabb().min.y);
            own.sort_by(|a, b| lowest_m(a).total_cmp(&lowest_m(b)));
            own.truncate(left);
            complete = false;
        }
        left -= own.len();
    }
    if complete {
        judged.clone_from(&reached);
    }
    let underside_m = |index: &usize| standing.get(*index).and_then(|group| group.aabb).map_or(0.0, |aabb| aabb.min.y);
    let mut others: Vec<usize> = (0..standing.len()).filter(|index| reached.get(*index) == Some(&false)).collect();
    others.sort_by(|a, b| underside_m(b).total_cmp(&underside_m(a)));
    for other in others {
        if !complete || reached.get(other) == Some(&true) {
            continue;
        }
        let chain = with_what_is_below(standing, &[other], &mut reached, left);
        let meshes: usize = chain.iter().filter_map(|index| standing.get(*index)).map(|group| group.meshes.len()).sum();
        complete = meshes <= left;
        if !complete {
            break;
        }
        left -= meshes;
        for index in chain {
            if let (Some(group), Some(own)) = (standing.get(index), groups.get_mut(index)) {
                own.clone_from(&group.meshes);
            }
            if let Some(judged) = judged.get_mut(index) {
                *judged = true;
            }
        }
    }
    (groups, judged, complete)
}

/// `from` and all groups below these that were not reached before, at most one more than `most`.
fn with_what_is_below(standing: &[&Object], from: &[usize], reached: &mut [bool], most: usize) -> Vec<usize> {
    let mut order = from.to_vec();
    for index in from {
        if let Some(reached) = reached.get_mut(*index) {
            *reached = true;
        }
    }
    let mut next = 0;
    while let Some(index) = order.get(next).copied().filter(|_| order.len() <= most) {
        next += 1;
        let Some(aabb) = standing.get(index).and_then(|group| group.aabb) else { continue };
        for (other, reached) in reached.iter_mut().enumerate().filter(|(_, reached)| !**reached) {
            if standing.get(other).and_then(|group| group.aabb).is_some_and(|lower| is_below(&lower, &aabb)) {
                *reached = true;
                order.push(other);
            }
        }
    }
    order
}

/// Whether something of one box is below the top of the other, and within its outline from above.
fn is_below(lower: &Aabb, upper: &Aabb) -> bool {
    let meets = |axis: usize| lower.min[axis] <= upper.max[axis] && upper.min[axis] <= lower.max[axis];
    meets(0) && meets(2) && lower.min.y <= upper.max.y
}

fn evidence(input: &Input<'_>, object: &Object, support: &Support, standing: &[&Object], ground_y_m: f64) -> Evidence {
    let name = &object.name;
    let g = &input.tolerances;
    let lowest_m = object.aabb.map_or(0.0, |aabb| aabb.min.y - ground_y_m);
    let by = |y_m: f64| move_object(input, object, [0.0, y_m, 0.0]);
    let carriers: Vec<&str> = support
        .by
        .iter()
        .filter_map(|by| match by {
            Supporter::Group(index) => standing.get(*index).map(|group| group.name.as_str()),
            Supporter::Ground => None,
        })
        .collect();
    let (value, threshold, unit, message, fix) = if support.value > 0.0 && support.linked_share < 1.0 {
        let message = format!("a share of {} of {name} hangs together with what stands", rounded(support.linked_share));
        let fix = format!("bring the parts of {name} together with node.set_transform");
        (support.linked_share, 1.0, "share of the object", message, fix)
    } else if support.value > 0.0 {
        let message = format!("{name} would tip: its centre is not over what it stands on");
        let fix = format!("widen the base of {name} or centre it on what carries it with node.set_transform");
        (support.value, 1.0, "support", message, fix)
    } else if lowest_m < -g.ground_sink_m {
        let message = format!("{name} is sunk {} into the ground", millimetres(-lowest_m));
        (lowest_m, -g.ground_sink_m, "m", message, by(-lowest_m))
    } else if let Some(gap_m) = support.gap_m.filter(|gap_m| *gap_m > g.support_gap_m) {
        let message = format!("{name} floats {} above what is below it", millimetres(gap_m));
        (gap_m, g.support_gap_m, "m", message, by(-gap_m))
    } else if carriers.is_empty() {
        let message = format!("{name} has nothing to stand on");
        (lowest_m, g.support_gap_m, "m", message, by(-lowest_m))
    } else {
        let carriers = carriers.join(", ");
        let message = format!("{name} stands on {carriers}, which nothing carries");
        (0.0, 1.0, "support", message, format!("stand {carriers} on the ground"))
    };
    Evidence { value, threshold, unit: unit.into(), message, fix, ..input.object_evidence("support", object) }
}

fn left_out(input: &Input<'_>) -> Evidence {
    let most = input.thresholds.support_meshes_max as f64;
    Evidence {
        component: "support".into(),
        value: input.bodies.len() as f64,
        threshold: most,
        unit: "meshes".into(),
        message: format!("only {most} meshes were held against each other, the lowest of each object"),
        fix: "use fewer meshes".into(),
        ..Evidence::default()
    }
}
