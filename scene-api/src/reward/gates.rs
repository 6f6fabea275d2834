//! Gates: what must hold before quality counts for anything.

use super::delivered::Delivered;
use super::evidence::{Finding, metres, rounded, worst};
use super::fix::scale_by;
use super::input::{Input, Object, evidence_of, id_of};
use super::profile::GateKind;
use super::sight::{OVER_BUDGET, Sight, look_at_objects, shown};
use super::thresholds::Thresholds;
use rl_protocol::{Evidence, Gate};
use scene_document::Baked;
use scene_document::gltf::{Import, Issue, ReadError, Severity};

/// Passed where there are no findings.
fn gate(kind: GateKind, findings: Vec<Finding>, t: &Thresholds) -> Gate {
    let passed = findings.is_empty();
    let (evidence, truncated) = worst(findings);
    Gate { name: kind.name().into(), passed, evidence, truncated, thresholds: t.of_gate(kind) }
}

/// Fails a gate that nothing could be measured for.
pub(crate) fn not_reached(kind: GateKind, t: &Thresholds) -> Gate {
    let evidence = Evidence {
        component: kind.name().into(),
        value: 0.0,
        threshold: 1.0,
        unit: "measured".into(),
        message: "not measured, because an earlier gate failed".into(),
        fix: "mend what failed the gates before".into(),
        ..Evidence::default()
    };
    gate(kind, vec![Finding { badness: 1.0, evidence }], t)
}

/// Of a file that gave a scene: no remark of severity Error, and for a task nothing that a viewer evaluates and the
/// scorer does not.
pub(crate) fn export(import: &Import, has_task: bool, t: &Thresholds) -> Gate {
    let mut findings = faults(&import.issues);
    let unknown = import.not_evaluated.iter().filter(|_| has_task);
    findings.extend(unknown.map(|unknown| {
        let message = format!("{} is not evaluated, so what it shows cannot be scored", unknown.what);
        fault(2.0, unknown.pointer.clone(), message)
    }));
    gate(GateKind::Export, findings, t)
}

/// Of a file that gave none, through a fault of its own.
pub(crate) fn unreadable(error: &ReadError, t: &Thresholds) -> Gate {
    let mut findings = match error {
        ReadError::Invalid { issues } => faults(issues),
        ReadError::LimitExceeded { what, given, allowed } => vec![excess(GateKind::Export, what, *given, *allowed)],
        ReadError::Unsupported { pointer, .. } => vec![fault(2.0, pointer.clone(), error.to_string())],
        ReadError::Panicked { .. } => Vec::new(),
    };
    if findings.is_empty() {
        findings.push(fault(1.0, String::new(), error.to_string()));
    }
    gate(GateKind::Export, findings, t)
}

/// Errors only; those that name a place first.
fn faults(issues: &[Issue]) -> Vec<Finding> {
    let errors = issues.iter().filter(|issue| issue.severity == Severity::Error);
    errors
        .map(|issue| {
            let badness = if issue.pointer.is_empty() { 1.0 } else { 2.0 };
            fault(badness, issue.pointer.clone(), format!("{}: {}", issue.code, issue.message))
        })
        .collect()
}

fn fault(badness: f64, pointer: String, message: String) -> Finding {
    Finding {
        badness,
        evidence: Evidence {
            component: GateKind::Export.name().into(),
            value: 1.0,
            threshold: 0.0,
            unit: "errors".into(),
            pointer,
            message,
            fix: "mend the file at this place".into(),
            ..Evidence::default()
        },
    }
}

fn excess(kind: GateKind, what: &str, given: u64, allowed: u64) -> Finding {
    Finding {
        badness: 1.0,
        evidence: Evidence {
            component: kind.name().into(),
            value: given as f64,
            threshold: allowed as f64,
            unit: what.into(),
            message: format!("{given} {what}; at most {allowed} are allowed"),
            fix: format!("use fewer {what}"),
            ..Evidence::default()
        },
    }
}

/// Positions, normals, placements of lights and cameras: finite, and positions within the limit.
pub(crate) fn finite(import: &Delivered, baked: &Baked, t: &Thresholds) -> Gate {
    let within = |value: &f64| value.is_finite() && value.abs() <= t.coordinate_max_m;
    let meshes = baked.meshes.iter().filter_map(|mesh| {
        let bad = mesh.positions.iter().flat_map(|position| position.coords.iter()).find(|&value| !within(value));
        let mut normals = mesh.normals.iter().flatten().flat_map(|normal| normal.iter());
        bad.or_else(|| normals.find(|value| !value.is_finite())).map(|value| (mesh.node, *value))
    });
    let lights = baked.lights.iter().filter_map(|light| {
        let mut values = light.position.coords.iter().chain(light.direction.iter());
        values.find(|&value| !within(value)).map(|value| (light.node, *value))
    });
    let cameras = baked.cameras.iter().filter_map(|camera| {
        camera.world_from_camera.iter().find(|&value| !within(value)).map(|value| (camera.node, *value))
    });
    let findings = meshes
        .chain(lights)
        .chain(cameras)
        .map(|(node, value)| Finding {
            badness: if value.is_finite() { 1.0 } else { 2.0 },
            evidence: Evidence {
                value,
                threshold: t.coordinate_max_m,
                unit: "m".into(),
                message: format!("a coordinate in world space is {value:.3e}"),
                fix: "move or scale the node so that all coordinates are finite and within the limit".into(),
                ..evidence_of(import, GateKind::Finite.name(), &[node])
            },
        })
        .collect();
    gate(GateKind::Finite, findings, t)
}

/// The budgets of an episode's scene, which a file made elsewhere need not have kept.
pub(crate) fn integrity(import: &Delivered, baked: &Baked, t: &Thresholds) -> Gate {
    let triangles: usize = baked.meshes.iter().map(|mesh| mesh.triangles.len()).sum();
    let budgets = [
        ("nodes", import.scene.nodes().size(), t.nodes_max),
        ("triangles", triangles, t.triangles_max),
        ("materials", import.scene.materials().size(), t.materials_max),
        ("lights", baked.lights.len(), t.lights_max),
        ("cameras", baked.cameras.len(), t.cameras_max),
    ];
    let given = budgets.map(|(what, given, allowed)| (what, u64::try_from(given).unwrap_or(u64::MAX), allowed));
    let over = given.into_iter().filter(|(_, given, allowed)| given > allowed);
    let findings = over.map(|(what, given, allowed)| excess(GateKind::Integrity, what, given, allowed)).collect();
    gate(GateKind::Integrity, findings, t)
}

/// Every required object has some triangles with area and, together, some area; what cannot be seen is not there.
pub(crate) fn present(input: &Input<'_>) -> Gate {
    let t = input.thresholds;
    let mut findings = Vec::new();
    let mut remarks = Vec::new();
    for object in &input.objects {
        let areas = areas_m2(input, object);
        let solid = areas.len();
        let target_m2 = object.target_m.map_or(0.0, |[x, y, z]| 2.0 * (x * y + y * z + z * x));
        let share = areas.iter().sum::<f64>() / target_m2;
        let missing = if object.root.is_none() {
            Some((0.0, 1.0, "nodes", format!("no node is named {:?}", object.name)))
        } else if solid < t.present_triangles_min {
            let (given, least) = (solid as f64, t.present_triangles_min as f64);
            Some((given, least, "triangles", format!("{:?} has {solid} visible triangles with area", object.name)))
        } else if share < t.present_area_share_min {
            let message =
                format!("the surface of {:?} is a share of {} of its target box's", object.name, rounded(share));
            Some((share, t.present_area_share_min, "share of area", message))
        } else {
            None
        };
        let evidence = input.object_evidence(GateKind::Present.name(), object);
        if let Some((value, threshold, unit, message)) = missing {
            let fix = format!("build {:?}: a node of exactly this name with opaque meshes on or below it", object.name);
            let evidence = Evidence { value, threshold, unit: unit.into(), message, fix, ..evidence };
            findings.push(Finding { badness: 1.0, evidence });
        } else if !object.duplicates.is_empty() {
            let ids: Vec<String> = object.duplicates.iter().map(|id| id_of(input.import, *id)).collect();
            let message = format!("further nodes are named {:?}; the first visible one is the object", object.name);
            let value = (1 + ids.len()) as f64;
            let fix = format!("node.delete {}, or give another name", ids.join(", "));
            let evidence = Evidence { value, threshold: 1.0, unit: "nodes".into(), message, fix, ..evidence };
            remarks.push(Finding { badness: 0.0, evidence });
        }
    }
    let passed = findings.is_empty();
    findings.append(&mut remarks);
    Gate { passed, ..gate(GateKind::Present, findings, t) }
}

/// Of the triangles that the mesh check does not find degenerate.
fn areas_m2(input: &Input<'_>, object: &Object) -> Vec<f64> {
    let g = &input.tolerances;
    let bodies = object.meshes.iter().filter_map(|index| input.bodies.get(*index));
    bodies
        .flat_map(|body| {
            let diagonal_m = body.aabb().diagonal();
            let corners = (0..body.mesh().triangles.len()).filter_map(move |triangle| body.mesh().corners(triangle));
            corners.filter_map(move |[a, b, c]| {
                let doubled_m2 = (b - a).cross(&(c - a)).norm();
                let longest_m = (b - a).norm().max((c - b).norm()).max((a - c).norm());
                let low = doubled_m2 < g.degenerate_height_share * diagonal_m * longest_m;
                let small = doubled_m2 < 2.0 * g.degenerate_area_share * diagonal_m * diagonal_m;
                (doubled_m2 > 0.0 && !low && !small).then_some(doubled_m2 / 2.0)
            })
        })
        .collect()
}

/// No required object is microscopic or gigantic, and at most one thing fills most of the bounds.
pub(crate) fn scale(input: &Input<'_>) -> Gate {
    let t = input.thresholds;
    let mut findings = Vec::new();
    let scaled = |object: &Object, factor: f64| {
        let call = object.root.and_then(|root| scale_by(input, root, [factor; 3]));
        call.unwrap_or_else(|| format!("make {} smaller", object.name))
    };
    for object in input.present() {
        let (Some(aabb), Some(target)) = (&object.aabb, object.target_m) else { continue };
        let (longest, asked) = (aabb.extents().max(), target.into_iter().fold(0.0, f64::max));
        let ratio = longest / asked;
        if !(t.side_ratio_min..=t.side_ratio_max).contains(&ratio) {
            let evidence = Evidence {
                value: ratio,
                threshold: if ratio < 1.0 { t.side_ratio_min } else { t.side_ratio_max },
                unit: "longest side over its target".into(),
                message: format!("{} is {} m long; {} m is asked for", object.name, metres(longest), metres(asked)),
                fix: scaled(object, 1.0 / ratio),
                ..input.object_evidence(GateKind::Scale.name(), object)
            };
            findings.push(Finding { badness: 1.0, evidence });
        }
    }
    let bounds_m3 = input.task.map_or(f64::INFINITY, |task| task.bounds_m.volume_m3());
    let share_of = |object: &Object| object.aabb.as_ref().map_or(0.0, |aabb| aabb.extents().product() / bounds_m3);
    let huge: Vec<&Object> = input.groups().filter(|object| share_of(object) > t.bounds_volume_share_max).collect();
    if huge.len() > t.oversized_objects_max {
        findings.extend(huge.into_iter().map(|object| Finding {
            badness: share_of(object),
            evidence: Evidence {
                value: share_of(object),
                threshold: t.bounds_volume_share_max,
                unit: "share of the bounds' volume".into(),
                message: format!("{} is one of several that fill the bounds", object.name),
                fix: scaled(object, libm::cbrt(t.bounds_volume_share_max / share_of(object))),
                ..input.object_evidence(GateKind::Scale.name(), object)
            },
        }));
    }
    gate(GateKind::Scale, findings, t)
}

/// The model's camera exists and sees something, other than the inside of a closed body.
pub(crate) fn foreground(input: &Input<'_>, sight: &Sight) -> Gate {
    let t = input.thresholds;
    let (share, message) = match &sight.model {
        None => (0.0, "the scene has no camera".into()),
        Some(model) if model.frame.over_budget => (0.0, OVER_BUDGET.into()),
        Some(model) => {
            let pixels = model.frame.mesh.len().max(1) as f64;
            let share = shown(input, &model.frame).flatten().count() as f64 / pixels;
            (share, format!("the active camera shows something in a share of {} of its picture", rounded(share)))
        }
    };
    if share >= t.foreground_share_min {
        return gate(GateKind::Foreground, Vec::new(), t);
    }
    let camera = sight.model.as_ref().and_then(|model| model.camera);
    let evidence = Evidence {
        value: share,
        threshold: t.foreground_share_min,
        unit: "share of the picture".into(),
        message,
        fix: look_at_objects(input, sight),
        ..evidence_of(input.import, GateKind::Foreground.name(), camera.as_slice())
    };
    gate(GateKind::Foreground, vec![Finding { badness: 1.0, evidence }], t)
}

/// What the renderer says; `blank` where that is nothing.
pub(crate) fn renderability(blank: Option<Evidence>, t: &Thresholds) -> Gate {
    let findings = blank.into_iter().map(|evidence| Finding { badness: 1.0, evidence }).collect();
    gate(GateKind::Renderability, findings, t)
}

/// Of a rendered picture that shows nothing, without a message.
pub(crate) fn blank(input: &Input<'_>, sight: &Sight) -> Evidence {
    let camera = sight.model.as_ref().and_then(|model| model.camera);
    Evidence {
        value: 0.0,
        threshold: 0.0,
        unit: "share of the picture that differs from the background".into(),
        fix: look_at_objects(input, sight),
        ..evidence_of(input.import, GateKind::Renderability.name(), camera.as_slice())
    }
}
