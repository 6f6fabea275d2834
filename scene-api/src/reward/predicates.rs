//! T: how far the task's statements about the scene are true.

mod fill;
mod moves;
mod parents;
mod part;
mod stage;
mod surface;

use super::color::{delta_e_2000, lab};
use super::components::ramp;
use super::evidence::{Finding, metres as shown_m, rounded, vector, worst};
use super::fix::{move_object, resize};
use super::input::{Input, Object, evidence_of};
use crate::task::{ObjectSpec, Predicate, Side, Statement};
use fill::filled;
use geometry_checks::Aabb;
use moves::moves;
use nalgebra::Vector3;
use parents::below;
use part::{Wanted, parts};
use rl_protocol::{Component, Evidence};
use scene_document::{NodeId, Surface};
use stage::{camera_aims, camera_at, lights};
use std::collections::BTreeMap;
use surface::surfaced;

const COMPONENT: &str = "task";

/// Weighted mean of the predicates' grades, as a component of weight 0: it multiplies the reward instead. `None`
/// without predicates.
pub(crate) fn measure(input: &Input<'_>) -> Option<Component> {
    let predicates = &input.task?.predicates;
    let (mut sum, mut whole) = (0.0_f64, 0.0_f64);
    let mut findings = Vec::new();
    let mut unmeasured: BTreeMap<&str, Unmeasured> = BTreeMap::new();
    for Predicate { weight, statement } in predicates {
        whole += weight;
        let Some(Graded { grade, faults }) = grade(input, statement) else {
            let missing = unmeasured.entry(absent(input, statement)).or_default();
            missing.weight += weight;
            missing.statements.push(statement.label());
            continue;
        };
        sum += grade * weight;
        let named =
            |fault: Evidence| Evidence { message: format!("{}: {}", statement.label(), fault.message), ..fault };
        let badness = (1.0 - grade) * weight;
        findings.extend(faults.into_iter().map(|fault| Finding { badness, evidence: named(fault) }));
    }
    findings.extend(unmeasured.into_iter().map(|(name, missing)| missing.finding(name)));
    let (evidence, truncated) = worst(findings);
    let component = Component {
        name: COMPONENT.into(),
        value: sum / whole,
        weight: 0.0,
        uncertainty: 0.0,
        evidence,
        truncated,
        thresholds: input.thresholds.of_task(),
    };
    (!predicates.is_empty()).then_some(component)
}

/// Statements about an object that is not there: all false.
#[derive(Default)]
struct Unmeasured {
    weight: f64,
    statements: Vec<String>,
}

impl Unmeasured {
    fn finding(self, name: &str) -> Finding {
        let evidence = Evidence {
            component: COMPONENT.into(),
            value: 0.0,
            threshold: 1.0,
            unit: "objects".into(),
            names: vec![name.into()],
            message: format!("not measured without a visible {name}: {}", self.statements.join("; ")),
            fix: format!("build {name}: a node of exactly this name with opaque meshes on or below it"),
            ..Evidence::default()
        };
        Finding { badness: self.weight, evidence }
    }
}

/// The first object of a statement that has nothing visible.
fn absent<'a>(input: &Input<'_>, statement: &'a Statement) -> &'a str {
    let objects = statement.objects();
    let missing = objects.iter().find(|name| boxed(input, name).is_none()).or_else(|| objects.first());
    missing.copied().unwrap_or_default()
}

/// `faults` say what is wrong; none where the grade is 1.
struct Graded {
    grade: f64,
    faults: Vec<Evidence>,
}

impl Graded {
    fn new(grade: f64, evidence: Evidence) -> Self {
        Self { grade, faults: if grade < 1.0 { vec![evidence] } else { Vec::new() } }
    }
}

/// `None` where what a statement speaks of is not there.
fn grade(input: &Input<'_>, statement: &Statement) -> Option<Graded> {
    Some(match statement {
        Statement::Size { object, tolerance } => {
            let (object, aabb) = boxed(input, object)?;
            size(input, object, aabb, input.task?.object(&object.name)?, *tolerance)
        }
        Statement::At { object, position_m, tolerance_m } => {
            let (object, aabb) = boxed(input, object)?;
            at(input, object, aabb, *position_m, *tolerance_m)
        }
        Statement::On { object, support, tolerance_m } => {
            on(input, boxed(input, object)?, boxed(input, support)?, *tolerance_m)
        }
        Statement::Distance { a, b, min_m, max_m, tolerance_m } => {
            distance(input, boxed(input, a)?, boxed(input, b)?, [*min_m, *max_m], *tolerance_m)
        }
        Statement::Side { object, of, side, tolerance_m } => {
            beside(input, boxed(input, object)?, boxed(input, of)?, *side, *tolerance_m)
        }
        Statement::Color { object, color, delta_e } => {
            let (object, _) = boxed(input, object)?;
            let base_color = |surface: &Surface| {
                let [red, green, blue, _] = surface.base_color;
                [red, green, blue]
            };
            colored(input, object, mean_of_surface(input, object, base_color)?, *color, *delta_e)
        }
        Statement::Count { prefix, below: None, count } => counted(input, prefix, None, *count),
        Statement::Count { prefix, below: Some(below), count } => {
            let (object, _) = boxed(input, below)?;
            counted(input, prefix, object.root, *count)
        }
        Statement::Part { object, name, size_m, centres_m, size_tolerance_m, tolerance_m } => {
            let (object, _) = boxed(input, object)?;
            let (size_tolerance_m, tolerance_m) = (*size_tolerance_m, *tolerance_m);
            parts(input, object, &Wanted { name, size_m: *size_m, centres_m, size_tolerance_m, tolerance_m })
        }
        Statement::Fill { object, share, tolerance } => {
            let (object, aabb) = boxed(input, object)?;
            filled(input, object, aabb, *share, *tolerance)
        }
        Statement::Surface { object, roughness, metallic, tolerance } => {
            let (object, _) = boxed(input, object)?;
            surfaced(input, object, *roughness, *metallic, *tolerance)?
        }
        Statement::Below { object, parents } => {
            let (object, _) = boxed(input, object)?;
            below(input, object, parents)?
        }
        Statement::Moves { object, time_s, position_m, tolerance_m } => {
            let (object, _) = boxed(input, object)?;
            moves(input, object, *time_s, *position_m, *tolerance_m)?
        }
        Statement::Lights { light, count } => lights(input, *light, *count),
        Statement::CameraAt { position_m, tolerance_m } => camera_at(input, *position_m, *tolerance_m),
        Statement::CameraAims { object, tolerance_deg } => {
            let (object, aabb) = boxed(input, object)?;
            camera_aims(input, object, aabb, *tolerance_deg)
        }
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
    let (remark, fix) = resize(input, object, size, spec.size_m, tolerance);
    let evidence = Evidence {
        value: errors.into_iter().fold(0.0, f64::max),
        threshold: tolerance,
        unit: "relative error of an extent".into(),
        message: format!("it measures {} m; {} m is asked for{remark}", vector(size), vector(spec.size_m)),
        fix,
        ..input.object_evidence(COMPONENT, object)
    };
    Graded::new(grade, evidence)
}

fn at(input: &Input<'_>, object: &Object, aabb: &Aabb, position_m: [f64; 3], tolerance_m: f64) -> Graded {
    let centre: [f64; 3] = aabb.centre().coords.into();
    let by = [0, 1, 2].map(|axis: usize| position_m[axis] - centre[axis]);
    let error_m = by.iter().map(|part| part * part).sum::<f64>().sqrt();
    let message = format!("its centre is at {}; {} is asked for", vector(centre), vector(position_m));
    let fix = move_object(input, object, by);
    let evidence = metres(input, object, error_m, tolerance_m, message, fix);
    Graded::new(tolerant(input, error_m, tolerance_m), evidence)
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
    let inwards = |axis: usize| (below.min[axis] - top.min[axis]).max(0.0) + (below.max[axis] - top.max[axis]).min(0.0);
    let message = format!(
        "the underside is {} m above the top of {}, a share of {} of it over {}",
        shown_m(gap_m),
        support.name,
        rounded(share),
        support.name
    );
    let fix = move_object(input, object, [inwards(0), -gap_m, inwards(2)]);
    let evidence = metres(input, object, gap_m, tolerance_m, message, fix);
    Graded::new(tolerant(input, gap_m.abs(), tolerance_m) * share, evidence)
}

fn distance(
    input: &Input<'_>,
    (_, box_a): (&Object, &Aabb),
    (b, box_b): (&Object, &Aabb),
    [min_m, max_m]: [f64; 2],
    tolerance_m: f64,
) -> Graded {
    let between = box_b.centre() - box_a.centre();
    let distance_m = (between.x * between.x + between.z * between.z).sqrt();
    let error_m = (min_m - distance_m).max(distance_m - max_m).max(0.0);
    let message = format!("they are {} m apart; {min_m} to {max_m} m are asked for", shown_m(distance_m));
    let outwards_m = if distance_m < min_m { error_m } else { -error_m };
    let along = if distance_m > 0.0 { between / distance_m } else { Vector3::x() };
    let fix = move_object(input, b, [along.x * outwards_m, 0.0, along.z * outwards_m]);
    let grade = tolerant(input, error_m, tolerance_m);
    Graded::new(grade, metres(input, b, error_m, tolerance_m, message, fix))
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
    let message = format!("it is not wholly on the {name} side of {}", of.name);
    let fix = move_object(input, object, direction.map(|part| part * error_m));
    let grade = tolerant(input, error_m, tolerance_m);
    Graded::new(grade, metres(input, object, error_m, tolerance_m, message, fix))
}

fn colored(input: &Input<'_>, object: &Object, mean: [f64; 3], color: [f64; 3], delta_e: f64) -> Graded {
    let difference = delta_e_2000(lab(mean), lab(color));
    let evidence = Evidence {
        value: difference,
        threshold: delta_e,
        unit: "CIEDE2000".into(),
        message: format!("the linear base colour is {}; {} is asked for", vector(mean), vector(color)),
        fix: format!("material.create with base_color {} and material.assign it to its meshes", vector(color)),
        ..input.object_evidence(COMPONENT, object)
    };
    Graded::new(tolerant(input, difference, delta_e), evidence)
}

/// Weighted by area.
fn mean_of_surface<const N: usize>(
    input: &Input<'_>,
    object: &Object,
    value: impl Fn(&Surface) -> [f64; N],
) -> Option<[f64; N]> {
    let (mut sum, mut whole_m2) = ([0.0; N], 0.0);
    for mesh in object.meshes.iter().filter_map(|index| input.baked.meshes.get(*index)) {
        for (corners, surface) in mesh.triangles.iter().zip(&mesh.triangle_surface) {
            let [a, b, c] = corners.map(|corner| mesh.positions.get(corner as usize));
            let (a, b, c, surface) = (a?, b?, c?, mesh.surfaces.get(*surface as usize)?);
            let area_m2 = (b - a).cross(&(c - a)).norm() / 2.0;
            whole_m2 += area_m2;
            for (part, value) in sum.iter_mut().zip(value(surface)) {
                *part += value * area_m2;
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
        value: found,
        threshold: asked,
        unit: "nodes".into(),
        message: format!("{found} visible nodes have names that begin with {prefix:?}; {count} are asked for"),
        fix: if found < asked { "add what is missing".into() } else { "node.delete the surplus".into() },
        ..evidence_of(input.import, COMPONENT, &outermost)
    };
    Graded::new((1.0 - (found - asked).abs() / asked.max(1.0)).max(0.0), evidence)
}
