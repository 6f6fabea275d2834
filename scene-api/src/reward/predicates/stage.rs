//! Lights by their kind, and the camera that the scene is seen through.

use super::{COMPONENT, Graded, tolerant};
use crate::reward::evidence::{rounded, vector};
use crate::reward::fix::{move_by, point};
use crate::reward::input::{Input, Object, evidence_of, id_of};
use crate::task::LightSort;
use geometry_checks::Aabb;
use nalgebra::Vector3;
use rl_protocol::Evidence;
use scene_document::{LightKind, NodeId};

pub(super) fn lights(input: &Input<'_>, asked: LightSort, count: u32) -> Graded {
    let sort = |kind: LightKind| match kind {
        LightKind::Directional => LightSort::Directional,
        LightKind::Point => LightSort::Point,
        LightKind::Spot { .. } => LightSort::Spot,
    };
    let of_kind = input.baked.lights.iter().filter(|light| sort(light.light.kind) == asked);
    let nodes: Vec<NodeId> = of_kind.map(|light| light.node).collect();
    let (found, wanted, name) = (nodes.len() as f64, f64::from(count), asked.name());
    let evidence = Evidence {
        value: found,
        threshold: wanted,
        unit: "lights".into(),
        message: format!("there are {found} {name} lights; {count} are asked for"),
        fix: if found < wanted { "add what is missing with light.add" } else { "node.delete the surplus" }.into(),
        ..evidence_of(input.import, COMPONENT, &nodes)
    };
    Graded::new((1.0 - (found - wanted).abs() / wanted.max(1.0)).max(0.0), evidence)
}

pub(super) fn camera_at(input: &Input<'_>, position_m: [f64; 3], tolerance_m: f64) -> Graded {
    let Some(camera) = input.baked.camera() else {
        return no_camera(format!(r#"camera.add {{"name":"camera","translation":{}}}"#, point(position_m)));
    };
    let eye_m: [f64; 3] = camera.world_from_camera.fixed_view::<3, 1>(0, 3).into_owned().into();
    let by_m = [0, 1, 2].map(|axis: usize| position_m[axis] - eye_m[axis]);
    let error_m = by_m.iter().map(|part| part * part).sum::<f64>().sqrt();
    let evidence = Evidence {
        value: error_m,
        threshold: tolerance_m,
        unit: "m".into(),
        message: format!("the active camera is at {}; {} is asked for", vector(eye_m), vector(position_m)),
        fix: move_by(input, camera.node, by_m),
        ..evidence_of(input.import, COMPONENT, &[camera.node])
    };
    Graded::new(tolerant(input, error_m, tolerance_m), evidence)
}

pub(super) fn camera_aims(input: &Input<'_>, object: &Object, aabb: &Aabb, tolerance_deg: f64) -> Graded {
    let target = aabb.centre();
    let at = point(target.coords.into());
    let Some(camera) = input.baked.camera() else {
        return no_camera(format!(r#"camera.add {{"name":"camera","target":{at}}}"#));
    };
    let eye: Vector3<f64> = camera.world_from_camera.fixed_view::<3, 1>(0, 3).into_owned();
    let forward: Vector3<f64> = -camera.world_from_camera.fixed_view::<3, 1>(0, 2).into_owned();
    let to_object = target.coords - eye;
    let error_deg = libm::atan2(forward.cross(&to_object).norm(), forward.dot(&to_object)).to_degrees();
    let evidence = Evidence {
        value: error_deg,
        threshold: tolerance_deg,
        unit: "degrees".into(),
        message: format!("the active camera looks {}° past the middle of {}", rounded(error_deg), object.name),
        fix: format!(r#"camera.look_at {{"camera":"{}","target":{at}}}"#, id_of(input.import, camera.node)),
        ..evidence_of(input.import, COMPONENT, &[camera.node])
    };
    Graded::new(tolerant(input, error_deg, tolerance_deg), evidence)
}

fn no_camera(fix: String) -> Graded {
    let evidence = Evidence {
        component: COMPONENT.into(),
        value: 0.0,
        threshold: 1.0,
        unit: "cameras".into(),
        message: "the scene has no camera".into(),
        fix,
        ..Evidence::default()
    };
    Graded::new(0.0, evidence)
}
