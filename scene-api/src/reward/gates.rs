//! Gates: what must hold before quality counts for anything.

use super::evidence::{Finding, rounded, worst};
use super::input::{Input, Object, evidence_of};
use super::profile::{GateKind, Thresholds};
use super::sight::Sight;
use rl_protocol::{Evidence, Gate};
use scene_document::Baked;
use scene_document::gltf::{Import, Issue, ReadError, Severity};

/// Passed where there are no findings.
fn gate(kind: GateKind, findings: Vec<Finding>) -> Gate {
    Gate { name: kind.name().into(), passed: findings.is_empty(), evidence: worst(findings).0 }
}

/// Fails a gate that nothing could be measured for.
pub(crate) fn not_reached(kind: GateKind, why: &str) -> Gate {
    let evidence = Evidence { component: kind.name().into(), message: why.into(), ..Evidence::default() };
    gate(kind, vec![Finding { badness: 1.0, evidence }])
}

/// Of a file that gave a scene: no remark of severity Error, and no more bytes than allowed.
pub(crate) fn export(bytes: usize, issues: &[Issue], t: &Thresholds) -> Gate {
    let mut findings = faults(issues);
    if bytes > t.export_bytes_max {
        findings.push(excess(GateKind::Export, "bytes", bytes, t.export_bytes_max));
    }
    gate(GateKind::Export, findings)
}

/// Of a file that gave none, through a fault of its own.
pub(crate) fn unreadable(error: &ReadError) -> Gate {
    let findings = match error {
        ReadError::Invalid { issues } => faults(issues),
        _ => Vec::new(),
    };
    if findings.is_empty() {
        not_reached(GateKind::Export, &error.to_string())
    } else {
        gate(GateKind::Export, findings)
    }
}

/// Errors only; those that name a place first.
fn faults(issues: &[Issue]) -> Vec<Finding> {
    let errors = issues.iter().filter(|issue| issue.severity == Severity::Error);
    errors
        .map(|issue| Finding {
            badness: if issue.pointer.is_empty() { 1.0 } else { 2.0 },
            evidence: Evidence {
                component: GateKind::Export.name().into(),
                value: 1.0,
                unit: "errors".into(),
                pointer: issue.pointer.clone(),
                message: format!("{}: {}", issue.code, issue.message),
                ..Evidence::default()
            },
        })
        .collect()
}

fn excess(kind: GateKind, what: &str, given: usize, allowed: usize) -> Finding {
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
pub(crate) fn finite(import: &Import, baked: &Baked, t: &Thresholds) -> Gate {
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
    gate(GateKind::Finite, findings)
}

/// Every required object has some triangles with area and, together, some area; what cannot be seen is not there.
pub(crate) fn present(input: &Input<'_>) -> Gate {
    let t = input.thresholds;
    let mut findings = Vec::new();
    let mut remarks = Vec::new();
    for object in &input.objects {
        let areas = areas_m2(input, object);
        let solid = areas.iter().filter(|area| **area > 0.0).count();
        let target_m2 = object.target_m.map_or(0.0, |[x, y, z]| 2.0 * (x * y + y * z + z * x));
        let share = areas.iter().sum::<f64>() / target_m2;
        let missing = if object.root.is_none() {
            Some((0.0, 1.0, "nodes", format!("no node is named {:?}", object.name)))
        } else if solid < t.present_triangles_min {
            let (given, least) = (solid as f64, t.present_triangles_min as f64);
            Some((given, least, "triangles", format!("{:?} has {solid} visible triangles with area", object.name)))
        } else if share < t.present_area_share_min {
            let message = format!("the surface of {:?} is {share:.2e} of its target box's", object.name);
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
            let ids: Vec<String> = object.duplicates.iter().map(ToString::to_string).collect();
            let message = format!("further nodes are named {:?}; the first is the object", object.name);
            let value = (1 + ids.len()) as f64;
            let fix = format!("rename or delete {}", ids.join(", "));
            let evidence = Evidence { value, threshold: 1.0, unit: "nodes".into(), message, fix, ..evidence };
            remarks.push(Finding { badness: 0.0, evidence });
        }
    }
    let passed = findings.is_empty();
    findings.append(&mut remarks);
    Gate { passed, ..gate(GateKind::Present, findings) }
}

fn areas_m2(input: &Input<'_>, object: &Object) -> Vec<f64> {
    let bodies = object.meshes.iter().filter_map(|index| input.bodies.get(*index));
    bodies
        .flat_map(|body| (0..body.mesh().triangles.len()).filter_map(move |triangle| body.mesh().corners(triangle)))
        .map(|[a, b, c]| (b - a).cross(&(c - a)).norm() / 2.0)
        .collect()
}

/// No required object is microscopic or gigantic, and at most one thing fills most of the bounds.
pub(crate) fn scale(input: &Input<'_>) -> Gate {
    let t = input.thresholds;
    let mut findings = Vec::new();
    for object in input.present() {
        let (Some(aabb), Some(target)) = (&object.aabb, object.target_m) else { continue };
        let (longest, asked) = (aabb.extents().max(), target.into_iter().fold(0.0, f64::max));
        let ratio = longest / asked;
        if !(t.side_ratio_min..=t.side_ratio_max).contains(&ratio) {
            let evidence = Evidence {
                value: ratio,
                threshold: if ratio < 1.0 { t.side_ratio_min } else { t.side_ratio_max },
                unit: "longest side over its target".into(),
                message: format!("{} is {} m long; {} m is asked for", object.name, rounded(longest), rounded(asked)),
                fix: format!("scale {} by {}", object.name, rounded(1.0 / ratio)),
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
                fix: format!("make {} smaller", object.name),
                ..input.object_evidence(GateKind::Scale.name(), object)
            },
        }));
    }
    gate(GateKind::Scale, findings)
}

/// The model's camera exists and sees something.
pub(crate) fn foreground(input: &Input<'_>, sight: &Sight) -> Gate {
    let t = input.thresholds;
    let Some((_, frame)) = &sight.model else {
        return not_reached(GateKind::Foreground, "the scene has no camera; add one that looks at the objects");
    };
    let share = frame.mesh.iter().filter(|id| **id != 0).count() as f64 / frame.mesh.len().max(1) as f64;
    if share >= t.foreground_share_min {
        return gate(GateKind::Foreground, Vec::new());
    }
    let camera = input.baked.active_camera.and_then(|index| input.baked.cameras.get(index));
    let nodes: Vec<_> = camera.iter().map(|camera| camera.node).collect();
    let evidence = Evidence {
        value: share,
        threshold: t.foreground_share_min,
        unit: "share of the picture".into(),
        message: format!("the active camera shows something in a share of {share:.4} of its picture"),
        fix: "point the camera at the objects, or move it closer".into(),
        ..evidence_of(input.import, GateKind::Foreground.name(), &nodes)
    };
    gate(GateKind::Foreground, vec![Finding { badness: 1.0, evidence }])
}

/// Nodes and triangles within the budgets.
pub(crate) fn integrity(input: &Input<'_>) -> Gate {
    let t = input.thresholds;
    let budgets =
        [("nodes", input.import.scene.nodes().size(), t.nodes_max), ("triangles", input.triangles, t.triangles_max)];
    let over = budgets.into_iter().filter(|(_, given, allowed)| given > allowed);
    gate(
        GateKind::Integrity,
        over.map(|(what, given, allowed)| excess(GateKind::Integrity, what, given, allowed)).collect(),
    )
}
