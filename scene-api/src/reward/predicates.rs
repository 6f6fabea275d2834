//! T: how far the task's statements about the scene are true.

use super::color::{delta_e_2000, lab};
use super::components::ramp;
use super::evidence::{Finding, rounded, vector};
use super::input::{Input, Object};
use crate::task::{ObjectSpec, Side, Statement};
use geometry_checks::Aabb;
use rl_protocol::{Component, Evidence};
use scene_document::NodeId;

const COMPONENT: &str = "task";

/// Weighted mean of the predicates' grades, as a component of weight 0: it multiplies the reward instead. `None`
/// without predicates.
pub(crate) fn measure(input: &Input<'_>) -> Option<Component> {
    let predicates = &input.task?.predicates;
    let whole: f64 = predicates.iter().map(|predicate| predicate.weight).sum();
    let mut value = 0.0;
    let mut findings = Vec::new();
    for predicate in predicates {
        let graded = grade(input, &predicate.statement);
        value += graded.grade * predicate.weight / whole;
        if graded.grade < 1.0 {
            let badness = (1.0 - graded.grade) * predicate.weight;
            findings.push(Finding { badness, evidence: graded.evidence });
        }
    }
    let (evidence, truncated) = super::evidence::worst(findings);
    let component =
        Component { name: COMPONENT.into(), value: value.min(1.0), weight: 0.0, uncertainty: 0.0, evidence, truncated };
    (!predicates.is_empty()).then_some(component)
}

struct Graded {
    grade: f64,
    evidence: Evidence,
}

/// A statement about an object that is not there is false.
fn grade(input: &Input<'_>, statement: &Statement) -> Graded {
    let found = match statement {
        Statement::Size { object, tolerance } => boxed(input, object).and_then(|(object, aabb)| {
            input.task?.object(&object.name).map(|spec| size(input, object, aabb, spec, *tolerance))
        }),
        Statement::At { object, position_m, tolerance_m } => {
            boxed(input, object).map(|(object, aabb)| at(input, object, aabb, *position_m, *tolerance_m))
        }
        Statement::On { object, support, tolerance_m } => {
            boxed(input, object).zip(boxed(input, support)).map(|(top, below)| on(input, top, below, *tolerance_m))
        }
        Statement::Distance { a, b, min_m, max_m, tolerance_m } => {
            boxed(input, a).zip(boxed(input, b)).map(|(a, b)| distance(input, a, b, [*min_m, *max_m], *tolerance_m))
        }
        Statement::Side { object, of, side, tolerance_m } => boxed(input, object)
            .zip(boxed(input, of))
            .map(|(object, of)| beside(input, object, of, *side, *tolerance_m)),
        Statement::Color { object, color, delta_e } => boxed(input, object)
            .and_then(|(object, _)| Some((object, mean_color(input, object)?)))
            .map(|(object, mean)| colored(input, object, mean, *color, *delta_e)),
        Statement::Count { prefix, below: None, count } => Some(counted(input, prefix, None, *count)),
        Statement::Count { prefix, below: Some(below), count } => boxed(input, below)
            .and_then(|(object, _)| object.root)
            .map(|root| counted(input, prefix, Some(root), *count)),
    };
    found.unwrap_or_else(|| {
        let names: Vec<String> = statement.objects().into_iter().map(str::to_owned).collect();
        let message = format!("{} cannot be measured: nothing visible has such a name", names.join(" or "));
        let evidence = Evidence { component: COMPONENT.into(), names, message, ..Evidence::default() };
        Graded { grade: 0.0, evidence }
    })
}

fn boxed<'a>(input: &'a Input<'_>, name: &str) -> Option<(&'a Object, &'a Aabb)> {
    let object = input.objects.iter().find(|object| object.name == name)?;
    Some((object, object.aabb.as_ref()?))
}

/// 1 within the tolerance, 0 at a few tolerances.
fn tolerant(input: &Input<'_>, error: f64, tolerance: f64) -> f64 {
    ramp(error, tolerance, tolerance * input.thresholds.predicate_zero)
}

/// Evidence of an error in metres against its tolerance.
fn metres(
    input: &Input<'_>,
    object: &Object,
    error_m: f64,
    tolerance_m: f64,
    message: String,
    fix: String,
) -> Evidence {
    Evidence {
        value: error_m,
        threshold: tolerance_m,
        unit: "m".into(),
        message,
        fix,
        ..input.object_evidence(COMPONENT, object)
    }
}

fn size(input: &Input<'_>, object: &Object, aabb: &Aabb, spec: &ObjectSpec, tolerance: f64) -> Graded {
    let size: [f64; 3] = aabb.extents().into();
    let errors = [0, 1, 2].map(|axis: usize| (size[axis] / spec.size_m[axis] - 1.0).abs());
    let grade = errors.into_iter().map(|error| tolerant(input, error, tolerance)).sum::<f64>() / 3.0;
    let evidence = Evidence {
        value: errors.into_iter().fold(0.0, f64::max),
        threshold: tolerance,
        unit: "relative error of an extent".into(),
        message: format!("{} measures {} m; {} m is asked for", object.name, vector(size), vector(spec.size_m)),
        fix: format!("resize {} to {} m", object.name, vector(spec.size_m)),
        ..input.object_evidence(COMPONENT, object)
    };
    Graded { grade, evidence }
}

fn at(input: &Input<'_>, object: &Object, aabb: &Aabb, position_m: [f64; 3], tolerance_m: f64) -> Graded {
    let centre: [f64; 3] = aabb.centre().coords.into();
    let by = [0, 1, 2].map(|axis: usize| position_m[axis] - centre[axis]);
    let error_m = by.iter().map(|part| part * part).sum::<f64>().sqrt();
    let message =
        format!("the centre of {} is at {}; {} is asked for", object.name, vector(centre), vector(position_m));
    let fix = format!("move {} by {}", object.name, vector(by));
    let evidence = metres(input, object, error_m, tolerance_m, message, fix);
    Graded { grade: tolerant(input, error_m, tolerance_m), evidence }
}

fn on(
    input: &Input<'_>,
    (object, top): (&Object, &Aabb),
    (support, below): (&Object, &Aabb),
    tolerance_m: f64,
) -> Graded {
    let gap_m = top.min.y - below.max.y;
    let share = [0, 2]
        .map(|axis: usize| {
            let common_m = top.max[axis].min(below.max[axis]) - top.min[axis].max(below.min[axis]);
            (common_m / (top.max[axis] - top.min[axis])).clamp(0.0, 1.0)
        })
        .into_iter()
        .product::<f64>();
    let message = format!(
        "the underside of {} is {} m above the top of {}, a share of {} of it over {}",
        object.name,
        rounded(gap_m),
        support.name,
        rounded(share),
        support.name
    );
    let fix = format!("move {} by {}, over {}", object.name, vector([0.0, -gap_m, 0.0]), support.name);
    let evidence = metres(input, object, gap_m, tolerance_m, message, fix);
    Graded { grade: tolerant(input, gap_m.abs(), tolerance_m) * share, evidence }
}

fn distance(
    input: &Input<'_>,
    (a, box_a): (&Object, &Aabb),
    (b, box_b): (&Object, &Aabb),
    [min_m, max_m]: [f64; 2],
    tolerance_m: f64,
) -> Graded {
    let between = box_b.centre() - box_a.centre();
    let distance_m = (between.x * between.x + between.z * between.z).sqrt();
    let error_m = (min_m - distance_m).max(distance_m - max_m).max(0.0);
    let message =
        format!("{} and {} are {} m apart; {min_m} to {max_m} m are asked for", a.name, b.name, rounded(distance_m));
    let fix = format!("move them {}", if distance_m < min_m { "apart" } else { "together" });
    Graded {
        grade: tolerant(input, error_m, tolerance_m),
        evidence: metres(input, a, error_m, tolerance_m, message, fix),
    }
}

fn beside(
    input: &Input<'_>,
    (object, inner): (&Object, &Aabb),
    (of, outer): (&Object, &Aabb),
    side: Side,
    tolerance_m: f64,
) -> Graded {
    let (gap_m, direction, name) = match side {
        Side::MinusX => (outer.min.x - inner.max.x, [-1.0, 0.0, 0.0], "-x"),
        Side::PlusX => (inner.min.x - outer.max.x, [1.0, 0.0, 0.0], "+x"),
        Side::MinusZ => (outer.min.z - inner.max.z, [0.0, 0.0, -1.0], "-z"),
        Side::PlusZ => (inner.min.z - outer.max.z, [0.0, 0.0, 1.0], "+z"),
    };
    let error_m = (-gap_m).max(0.0);
    let message = format!("{} is not wholly on the {name} side of {}", object.name, of.name);
    let fix = format!("move {} by {}", object.name, vector(direction.map(|part| part * error_m)));
    Graded {
        grade: tolerant(input, error_m, tolerance_m),
        evidence: metres(input, object, error_m, tolerance_m, message, fix),
    }
}

fn colored(input: &Input<'_>, object: &Object, mean: [f64; 3], color: [f64; 3], delta_e: f64) -> Graded {
    let difference = delta_e_2000(lab(mean), lab(color));
    let evidence = Evidence {
        value: difference,
        threshold: delta_e,
        unit: "CIEDE2000".into(),
        message: format!(
            "the linear base colour of {} is {}; {} is asked for",
            object.name,
            vector(mean),
            vector(color)
        ),
        fix: format!("give {} a material with base_color {}", object.name, vector(color)),
        ..input.object_evidence(COMPONENT, object)
    };
    Graded { grade: tolerant(input, difference, delta_e), evidence }
}

/// Linear RGB, weighted by area.
fn mean_color(input: &Input<'_>, object: &Object) -> Option<[f64; 3]> {
    let (mut sum, mut whole_m2) = ([0.0; 3], 0.0);
    for mesh in object.meshes.iter().filter_map(|index| input.baked.meshes.get(*index)) {
        for (corners, surface) in mesh.triangles.iter().zip(&mesh.triangle_surface) {
            let [a, b, c] = corners.map(|corner| mesh.positions.get(corner as usize));
            let (a, b, c, surface) = (a?, b?, c?, mesh.surfaces.get(*surface as usize)?);
            let area_m2 = (b - a).cross(&(c - a)).norm() / 2.0;
            whole_m2 += area_m2;
            for (part, channel) in sum.iter_mut().zip(surface.base_color) {
                *part += channel * area_m2;
            }
        }
    }
    (whole_m2 > 0.0).then(|| sum.map(|part| part / whole_m2))
}

fn counted(input: &Input<'_>, prefix: &str, below: Option<NodeId>, count: u32) -> Graded {
    let scene = &input.import.scene;
    let matches = |id: NodeId| scene.node(id).is_some_and(|node| node.name.starts_with(prefix));
    let inside = |id: NodeId| below.is_none_or(|root| id != root && scene.is_within(id, root));
    let mut outermost: Vec<NodeId> = input
        .baked
        .meshes
        .iter()
        .filter_map(|mesh| scene.ancestry(mesh.node).filter(|id| matches(*id) && inside(*id)).last())
        .collect();
    outermost.sort();
    outermost.dedup();
    let (found, asked) = (outermost.len() as f64, f64::from(count));
    let evidence = Evidence {
        component: COMPONENT.into(),
        value: found,
        threshold: asked,
        unit: "nodes".into(),
        ids: outermost.iter().map(NodeId::to_string).collect(),
        message: format!("{found} visible nodes have names that begin with {prefix:?}; {count} are asked for"),
        fix: if found < asked { "add what is missing".into() } else { "delete or rename the surplus".into() },
        ..Evidence::default()
    };
    Graded { grade: (1.0 - (found - asked).abs() / asked.max(1.0)).max(0.0), evidence }
}
