//! Tools that change materials, lights and cameras that are there, light rigs and framing.

use crate::play::{done, near, played, refusal, refused};
use nalgebra::{Matrix4, Point3, Vector3};
use scene_api::Workspace;
use scene_document::{LightKind, NodeId, Projection, View};
use scene_raster::RasterScene;
use serde_json::{Value, json};
use std::f64::consts::PI;

/// `n_1`, a cube around the origin with the material `mat_1`.
fn cube(side_m: f64, albedo: f64) -> Vec<(&'static str, Value)> {
    vec![
        ("node.create", json!({"name": "cube"})),
        ("material.create", json!({"name": "matt", "base_color": [albedo, albedo, albedo]})),
        (
            "mesh.add_primitive",
            json!({"node": "n_1", "shape": {"kind": "box", "size_m": [side_m, side_m, side_m]}, "material": "mat_1"}),
        ),
    ]
}

#[test]
fn a_material_changes_wherever_it_is_used() {
    let mut calls = cube(1.0, 0.5);
    calls.extend([
        ("node.create", json!({"name": "other", "translation": [3, 0, 0]})),
        ("mesh.add_primitive", json!({"node": "n_2", "shape": {"kind": "plane", "size_m": [1, 1]}})),
        ("material.assign", json!({"node": "n_2", "material": "mat_1"})),
        ("material.update", json!({"material": "mat_1", "base_color": [1, 0, 0, 0.25], "roughness": 0.3})),
    ]);
    let made = played(&calls);
    let (after, reply) =
        done(&made, "material.update", &json!({"material": "mat_1", "base_color": [0, 0, 1], "metallic": 1}));
    assert_eq!(reply["result"], json!({"material": "mat_1", "used_by_nodes": 2}));
    assert_eq!(reply["changed"], json!(["mat_1"]));
    for mesh in after.scene.bake().meshes {
        let surface = mesh.surfaces[0];
        assert_eq!(surface.base_color, [0.0, 0.0, 1.0, 0.25], "alpha that is not given stays");
        assert_eq!((surface.metallic, surface.roughness), (1.0, 0.3));
    }
    for (arguments, code, pointer) in [
        (json!({"material": "mat_1"}), "INVALID_ARGUMENT", ""),
        (json!({"material": "mat_2", "metallic": 1}), "NOT_FOUND", "/material"),
        (json!({"material": "mat_1", "roughness": 2}), "OUT_OF_RANGE", "/roughness"),
        (json!({"material": "mat_1", "base_color": [1, 0]}), "TYPE_MISMATCH", "/base_color"),
        (
            json!({"material": "mat_1", "base_color": [1, 0, 0], "base_color_srgb": [1, 0, 0]}),
            "INVALID_ARGUMENT",
            "/base_color_srgb",
        ),
    ] {
        refusal(&made, "material.update", &arguments, code, pointer);
    }
}

#[test]
fn a_light_keeps_what_is_not_said() {
    let lamp = json!({
        "name": "lamp", "light": {"kind": "point"}, "intensity": 100, "color": [1, 0.5, 0], "range_m": 7,
        "translation": [5, 0, 0],
    });
    let made = played(&[("light.add", lamp), ("node.create", json!({"name": "middle"}))]);
    let (after, reply) = done(&made, "light.update", &json!({"node": "n_1", "intensity": 50, "target": "n_2"}));
    let light = after.scene.bake().lights.remove(0);
    assert_eq!((light.light.kind, light.light.intensity), (LightKind::Point, 50.0));
    assert_eq!((light.light.color, light.light.range_m), ([1.0, 0.5, 0.0], Some(7.0)));
    assert!((light.direction + Vector3::x()).norm() < 1e-12, "{}", light.direction);
    let half = 0.5_f64.sqrt();
    near(&reply["result"]["rotation"], &[0.0, half, 0.0, half]);

    let sun = json!({"node": "n_1", "light": {"kind": "directional"}, "intensity": 300, "endless": true});
    let (after, _) = done(&made, "light.update", &sun);
    let light = after.scene.bake().lights.remove(0).light;
    assert_eq!((light.kind, light.intensity, light.range_m), (LightKind::Directional, 300.0, None));
    assert_eq!(after.scene.lights().size(), 1);
    for (arguments, code, pointer) in [
        (json!({"node": "n_1"}), "INVALID_ARGUMENT", ""),
        (json!({"node": "n_2", "intensity": 1}), "NOT_FOUND", "/node"),
        (json!({"node": "n_1", "light": {"kind": "directional"}}), "INVALID_ARGUMENT", "/intensity"),
        (json!({"node": "n_1", "light": "spot"}), "TYPE_MISMATCH", "/light"),
        (json!({"node": "n_1", "light": {"kind": "spot"}}), "INVALID_ARGUMENT", "/light/inner_cone_rad"),
        (
            json!({"node": "n_1", "light": {"kind": "spot", "inner_cone_rad": 1, "outer_cone_rad": 0.5}}),
            "OUT_OF_RANGE",
            "/light/inner_cone_rad",
        ),
        (json!({"node": "n_1", "range_m": 2, "endless": true}), "INVALID_ARGUMENT", "/endless"),
        (json!({"node": "n_1", "target": [5, 0, 0]}), "DEGENERATE", "/target"),
        (json!({"node": "n_1", "target": "n_9"}), "NOT_FOUND", "/target"),
        (json!({"node": "n_1", "target": 7}), "TYPE_MISMATCH", "/target"),
    ] {
        refusal(&made, "light.update", &arguments, code, pointer);
    }
    let error = refused(&made, "light.update", r#"{"node": "n_1", "light": "spot"}"#);
    assert_eq!(error["allowed"], "an object of kind directional, point, spot");
}

#[test]
fn a_camera_keeps_what_is_not_said() {
    let made = played(&[("camera.add", json!({"name": "eye", "znear_m": 0.25, "zfar_m": 40}))]);
    let projection = |workspace: &Workspace| workspace.scene.bake().cameras[0].projection;
    let updated = |arguments: Value| projection(&done(&made, "camera.update", &arguments).0);
    assert_eq!(
        updated(json!({"camera": "n_1", "yfov_deg": 90})),
        Projection::Perspective { yfov_rad: 90_f64.to_radians(), aspect: None, znear_m: 0.25, zfar_m: Some(40.0) }
    );
    assert_eq!(
        updated(json!({"camera": "n_1", "znear_m": 0.5, "endless": true})),
        Projection::Perspective { yfov_rad: 50_f64.to_radians(), aspect: None, znear_m: 0.5, zfar_m: None }
    );
    let flat = json!({"camera": "n_1", "orthographic": {"xmag_m": 2, "ymag_m": 1}, "zfar_m": 60});
    assert_eq!(
        updated(flat.clone()),
        Projection::Orthographic { xmag_m: 2.0, ymag_m: 1.0, znear_m: 0.25, zfar_m: 60.0 }
    );
    let (parallel, _) = done(&made, "camera.update", &flat);
    let (back, reply) = done(&parallel, "camera.update", &json!({"camera": "n_1", "yfov_deg": 90}));
    assert!(matches!(projection(&back), Projection::Perspective { zfar_m: Some(60.0), .. }), "{reply}");
    assert_eq!((&reply["result"]["camera"], back.scene.active_camera()), (&json!("n_1"), Some(NodeId(1))));
    refusal(&parallel, "camera.update", &json!({"camera": "n_1", "endless": true}), "INVALID_ARGUMENT", "/endless");
    for (arguments, code, pointer) in [
        (json!({"camera": "n_1"}), "INVALID_ARGUMENT", ""),
        (json!({"camera": "n_2", "yfov_deg": 90}), "NOT_FOUND", "/camera"),
        (json!({"camera": "n_1", "yfov_deg": 180}), "OUT_OF_RANGE", "/yfov_deg"),
        (json!({"camera": "n_1", "zfar_m": 0.125}), "OUT_OF_RANGE", "/zfar_m"),
        (json!({"camera": "n_1", "zfar_m": 9, "endless": true}), "INVALID_ARGUMENT", "/endless"),
    ] {
        refusal(&made, "camera.update", &arguments, code, pointer);
    }
}

#[test]
fn the_active_camera_is_chosen() {
    let made = played(&[
        ("camera.add", json!({"name": "first"})),
        ("camera.add", json!({"name": "second"})),
        ("node.create", json!({"name": "none"})),
    ]);
    assert_eq!(made.scene.active_camera(), Some(NodeId(2)));
    let (after, reply) = done(&made, "camera.set_active", &json!({"camera": "n_1"}));
    assert_eq!(after.scene.active_camera(), Some(NodeId(1)));
    assert_eq!(reply["result"], json!({"active_camera": "n_1", "before": "n_2"}));
    refusal(&made, "camera.set_active", &json!({"camera": "n_3"}), "NOT_FOUND", "/camera");
}

/// How far from the middle of a picture each corner of the box is, in its half width and half height.
fn seen_at(camera_from_world: &Matrix4<f64>, tangent: f64, aspect: f64, min: [f64; 3], max: [f64; 3]) -> Vec<[f64; 2]> {
    let corner = |bits: usize| {
        let side = |axis: usize| if (bits >> axis) & 1 == 1 { max[axis] } else { min[axis] };
        camera_from_world.transform_point(&Point3::new(side(0), side(1), side(2)))
    };
    let seen = |at: Point3<f64>| {
        assert!(at.z < 0.0, "{at} is behind the camera");
        [at.x / (-at.z * tangent * aspect), at.y / (-at.z * tangent)]
    };
    (0..8).map(corner).map(seen).collect()
}

#[test]
fn a_framed_box_touches_the_margin_on_both_sides() {
    // A camera of a right angle sees 1 m to each side of the front, which is 1 m before the middle, from 1 m away.
    let mut calls = cube(2.0, 0.5);
    calls.push(("camera.add", json!({"name": "eye", "yfov_deg": 90, "translation": [0, 0, 9]})));
    let made = played(&calls);
    let (_, reply) = done(&made, "camera.frame", &json!({"camera": "n_2", "margin": 0, "aspect": 1}));
    near(&reply["result"]["world_translation_m"], &[0.0, 0.0, 2.0]);
    near(&reply["result"]["reach"], &[1.0, 1.0]);
    assert_eq!((&reply["result"]["azimuth_deg"], &reply["result"]["elevation_deg"]), (&json!(0.0), &json!(0.0)));

    // From any side, also of a camera below a turned and scaled parent.
    let made = played(&[
        ("node.create", json!({"name": "shelf"})),
        ("mesh.add_primitive", json!({"node": "n_1", "shape": {"kind": "box", "size_m": [2, 0.5, 1]}})),
        ("node.create", json!({"name": "rig", "rotation_euler_deg": [10, 40, 0], "scale": [1, 3, 2]})),
        ("camera.add", json!({"name": "eye", "parent": "n_2", "yfov_deg": 60, "translation": [1, 2, 3]})),
    ]);
    let tangent = libm::tan(PI / 6.0);
    for (azimuth_deg, elevation_deg, aspect) in
        [(0_i32, 0_i32, 4.0 / 3.0), (35, 20, 4.0 / 3.0), (-120, -30, 0.5), (200, 70, 3.0), (0, 90, 1.0)]
    {
        let wanted = json!({
            "camera": "n_3", "azimuth_deg": azimuth_deg, "elevation_deg": elevation_deg, "aspect": aspect,
        });
        let (after, reply) = done(&made, "camera.frame", &wanted);
        let camera = after.scene.bake().cameras.remove(0);
        let camera_from_world = camera.world_from_camera.try_inverse().unwrap();
        let seen = seen_at(&camera_from_world, tangent, aspect, [-1.0, -0.25, -0.5], [1.0, 0.25, 0.5]);
        let ends = [0, 1].map(|axis| {
            let least = seen.iter().map(|at| at[axis]).fold(f64::INFINITY, f64::min);
            (least, seen.iter().map(|at| at[axis]).fold(f64::NEG_INFINITY, f64::max))
        });
        for (least, most) in ends {
            assert!(-0.9 - 1e-6 <= least && most <= 0.9 + 1e-6, "{wanted}: {ends:?} {reply}");
        }
        let touches = |(least, most): (f64, f64)| (least + 0.9).abs() < 1e-6 && (most - 0.9).abs() < 1e-6;
        assert!(ends.into_iter().any(touches), "{wanted}: {ends:?} {reply}");
        let back = camera.world_from_camera.fixed_view::<3, 1>(0, 2).into_owned();
        let (elevation_rad, azimuth_rad) = (f64::from(elevation_deg).to_radians(), f64::from(azimuth_deg).to_radians());
        let (sine, cosine) = (libm::sin(azimuth_rad), libm::cos(azimuth_rad));
        let level = libm::cos(elevation_rad);
        let from = Vector3::new(level * sine, libm::sin(elevation_rad), level * cosine);
        assert!((back - from).norm() < 1e-6, "{wanted}: {back}");
    }
}

#[test]
fn framing_says_why_it_cannot() {
    let mut calls = cube(2.0, 0.5);
    calls.extend([
        ("camera.add", json!({"name": "eye"})),
        ("node.create", json!({"name": "hood", "parent": "n_2"})),
        ("mesh.add_primitive", json!({"node": "n_3", "shape": {"kind": "box", "size_m": [1, 1, 1]}})),
    ]);
    let made = played(&calls);
    for (arguments, code, pointer) in [
        (json!({"camera": "n_1"}), "NOT_FOUND", "/camera"),
        (json!({"camera": "n_2", "nodes": ["n_9"]}), "NOT_FOUND", "/nodes/0"),
        (json!({"camera": "n_2", "nodes": []}), "NOT_FOUND", "/nodes"),
        (json!({"camera": "n_2", "nodes": ["n_3"]}), "NOT_FOUND", "/nodes"),
        (json!({"camera": "n_2", "margin": 1}), "OUT_OF_RANGE", "/margin"),
        (json!({"camera": "n_2", "elevation_deg": 91}), "OUT_OF_RANGE", "/elevation_deg"),
    ] {
        refusal(&made, "camera.frame", &arguments, code, pointer);
    }
    // What hangs on the camera moves with it and is left out.
    let (_, reply) = done(&made, "camera.frame", &json!({"camera": "n_2"}));
    near(&reply["result"]["target_m"], &[0.0, 0.0, 0.0]);
}

#[test]
fn framing_moves_clip_planes_and_parallel_views() {
    let mut calls = cube(2.0, 0.5);
    calls.push(("camera.add", json!({"name": "eye", "yfov_deg": 90, "znear_m": 500, "zfar_m": 600})));
    calls.push((
        "camera.add",
        json!({"name": "plan", "orthographic": {"xmag_m": 8, "ymag_m": 4}, "translation": [0, 50, 0]}),
    ));
    let made = played(&calls);
    let framed = |arguments: Value| {
        let (after, _) = done(&made, "camera.frame", &arguments);
        let baked = after.scene.bake();
        baked.cameras.into_iter().find(|camera| arguments["camera"] == camera.node.to_string()).unwrap()
    };
    let eye = framed(json!({"camera": "n_2", "azimuth_deg": 0, "elevation_deg": 0}));
    let Projection::Perspective { znear_m, zfar_m: Some(zfar_m), .. } = eye.projection else { panic!("{eye:?}") };
    let distance_m = eye.world_from_camera[(2, 3)];
    assert!(znear_m < distance_m - 1.0 && zfar_m > distance_m + 1.0, "{eye:?}");
    // Twice as wide as high: the height of 2 m and a margin of a half need a half height of 2 m.
    let plan = framed(json!({"camera": "n_3", "azimuth_deg": 0, "elevation_deg": 90, "margin": 0.5}));
    let Projection::Orthographic { xmag_m, ymag_m, .. } = plan.projection else { panic!("{plan:?}") };
    assert!((xmag_m - 4.0).abs() < 1e-9 && (ymag_m - 2.0).abs() < 1e-9, "{plan:?}");
    assert!(plan.world_from_camera[(1, 3)] > 1.0, "{plan:?}");
}

/// cd/m² of what is seen at the origin from a point.
fn luminance(workspace: &Workspace, eye: [f64; 3]) -> f64 {
    let raster = RasterScene::new(&workspace.scene.bake());
    let view = View::looking_at(Point3::from(eye), Point3::origin(), 0.2, 21, 21);
    let lit = raster.light(&view, &raster.frame(&view));
    lit.luminance[10 * 21 + 10]
}

#[test]
fn rigs_expose_a_subject_between_18_and_60_cd_m2() {
    // Luminance of a surface is the sum over the lamps of theirs, times the cosine between its normal and the lamp.
    // Three points, front: 30 cos 45° cos 45° + 10 cos 15° cos 45°; top: 30 sin 45° + 10 sin 15° + 20 sin 40°.
    for (rig, front, top) in [("three_point", 21.830, 36.657), ("studio", 21.229, 32.0), ("sun_sky", 20.704, 33.213)] {
        for albedo in [0.18, 0.5] {
            // The lamps are 40 m away, so that light falls evenly on a cube of 0.2 m.
            let arguments = json!({"name": "rig", "rig": rig, "target": [0, 0, 0], "radius_m": 10, "albedo": albedo});
            let mut calls = cube(0.2, albedo);
            calls.push(("light.add_rig", arguments));
            let made = played(&calls);
            for (eye, wanted) in [([0.0, 0.0, 3.0], front), ([0.0, 3.0, 0.0], top)] {
                let given = luminance(&made, eye);
                assert!((given / wanted - 1.0).abs() < 0.02, "{rig} from {eye:?}: {given}, not {wanted}");
                assert!((18.0..=60.0).contains(&given), "{rig}: {given}");
            }
        }
    }
}

#[test]
fn a_rig_is_as_strong_as_its_subject_is_large() {
    // The cube's half diagonal is 3 m: lamps at 12 m. 30 cd/m² from albedo 0.5 are 30 π / 0.5 = 188.5 lux.
    let side_m = 6.0 / 3_f64.sqrt();
    let mut calls = cube(side_m, 0.5);
    calls.push(("camera.add", json!({"name": "eye", "translation": [20, 3, 0], "target": [0, 0, 0]})));
    let made = played(&calls);
    let rig = json!({"name": "rig", "rig": "three_point", "target": "n_1"});
    let (after, reply) = done(&made, "light.add_rig", &rig);
    let result = &reply["result"];
    assert_eq!((&result["node"], &result["radius_m"]), (&json!("n_3"), &json!(3.0)));
    assert_eq!(result["azimuth_deg"], 90.0, "the side of the active camera");
    let key = &result["lights"][0];
    assert_eq!((&key["node"], &key["name"], &key["unit"]), (&json!("n_4"), &json!("key"), &json!("candela")));
    let candela = 30.0 * PI / 0.5 * 144.0;
    assert!((key["intensity"].as_f64().unwrap() / candela - 1.0).abs() < 1e-3, "{key}");

    let lights = after.scene.bake().lights;
    assert_eq!(lights.len(), 3);
    for light in &lights {
        assert!((light.position.coords.norm() - 12.0).abs() < 1e-5, "{light:?}");
        assert!((light.direction + light.position.coords / 12.0).norm() < 1e-5, "{light:?}");
    }
    // To the right of a viewer at +X is -Z.
    let wanted = 12.0 * Vector3::new(0.5, 0.5_f64.sqrt(), -0.5);
    assert!((lights[0].position.coords - wanted).norm() < 1e-5, "{:?}", lights[0]);

    let (dark, _) = done(&after, "node.delete", &json!({"node": "n_3"}));
    assert!(dark.scene.lights().is_empty());
    for (arguments, code, pointer) in [
        (json!({"name": "cube", "rig": "studio", "target": "n_1"}), "NAME_CONFLICT", "/name"),
        (json!({"name": "rig", "rig": "studio", "target": "n_9"}), "NOT_FOUND", "/target"),
        (json!({"name": "rig", "rig": "disco", "target": "n_1"}), "INVALID_ARGUMENT", "/rig"),
        (json!({"name": "rig", "rig": "studio", "target": "n_1", "radius_m": 500}), "LIMIT_EXCEEDED", "/target"),
        (json!({"name": "rig", "rig": "studio", "target": [0, 0, 5000]}), "OUT_OF_RANGE", "/target/2"),
    ] {
        refusal(&made, "light.add_rig", &arguments, code, pointer);
    }
}

#[test]
fn what_is_added_may_aim_at_a_node() {
    let scene = played(&cube(1.0, 0.5));
    for (name, arguments) in [
        ("camera.add", json!({"name": "eye", "translation": [3, 2, 1]})),
        ("light.add", json!({"name": "lamp", "light": {"kind": "point"}, "intensity": 9, "translation": [3, 2, 1]})),
    ] {
        let at = |target: Value| {
            let mut arguments = arguments.clone();
            arguments["target"] = target;
            arguments
        };
        let turned = |target: Value| {
            let (added, _) = done(&scene, name, &at(target));
            added.scene.node(NodeId(2)).unwrap().transform.rotation
        };
        near(&turned(json!("n_1")), &turned(json!([0, 0, 0])));
        refusal(&scene, name, &at(json!("n_9")), "NOT_FOUND", "/target");
    }
}
