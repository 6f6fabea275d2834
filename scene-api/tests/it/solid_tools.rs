//! Booleans and bevels, against volumes worked out by hand and against exact clipping of convex solids.

use crate::mesh_tools::{assert_solid, bounds, mesh, spans, volume};
use crate::play::{done, refused};
use geometry_checks::{Body, FaultKind, Mesh, Tolerances, convex_overlap, integrity};
use scene_api::{Groups, Workspace};
use scene_document::NodeId;
use serde_json::{Value, json};
use std::f64::consts::{PI, SQRT_2};

/// A shape with the node's placement, as `node.create` takes it.
type Placed = (Value, Value);

/// `n_1`, `n_2` and so on.
fn scene(solids: &[Placed]) -> Workspace {
    let empty = Workspace { groups: Groups::all(), ..Workspace::default() };
    (1..).zip(solids).fold(empty, |workspace, (number, (shape, place))| {
        let mut node = place.clone();
        node["name"] = json!(format!("solid {number}"));
        let (workspace, _) = done(&workspace, "node.create", &node);
        done(&workspace, "mesh.add_primitive", &json!({"node": format!("n_{number}"), "shape": shape})).0
    })
}

fn cuboid(size_m: [f64; 3], at: [f64; 3]) -> Placed {
    (json!({"kind": "box", "size_m": size_m}), json!({"translation": at}))
}

fn cube() -> Placed {
    cuboid([1.0; 3], [0.0; 3])
}

fn cylinder(radius_m: f64, height_m: f64, at: [f64; 3]) -> Placed {
    let shape = json!({"kind": "cylinder", "radius_m": radius_m, "height_m": height_m, "segments": 24});
    (shape, json!({"translation": at}))
}

/// Of a regular 24-gon with this circumradius.
fn polygon_m2(radius_m: f64) -> f64 {
    12.0 * radius_m * radius_m * libm::sin(PI / 12.0)
}

fn of(operation: &str) -> Value {
    json!({"node": "n_1", "other": "n_2", "operation": operation})
}

fn combined(workspace: &Workspace, operation: &str) -> Workspace {
    done(workspace, "mesh.boolean", &of(operation)).0
}

/// The mesh of a node in world space.
fn mesh_of(workspace: &Workspace, node: u32) -> Mesh {
    let baked = workspace.scene.bake().meshes.into_iter().find(|mesh| mesh.node == NodeId(node)).unwrap();
    Mesh { positions: baked.positions, normals: baked.normals, triangles: baked.triangles }
}

#[test]
fn boxes_are_united_subtracted_and_intersected() {
    // Crossing, side by side, a pocket that is flush with the top, a notch through an edge, equal, inside, apart.
    for (second, volumes_m3) in [
        (cuboid([1.0; 3], [0.5; 3]), [Some(1.875), Some(0.875), Some(0.125)]),
        (cuboid([1.0; 3], [1.0, 0.0, 0.0]), [Some(2.0), Some(1.0), None]),
        (cuboid([1.0, 0.5, 1.0], [1.0, 0.25, 0.0]), [Some(1.5), Some(1.0), None]),
        (cuboid([0.5; 3], [0.0, 0.25, 0.0]), [Some(1.0), Some(0.875), Some(0.125)]),
        (cuboid([0.5, 0.5, 2.0], [0.25, 0.25, 0.0]), [Some(1.25), Some(0.75), Some(0.25)]),
        (cube(), [Some(1.0), None, Some(1.0)]),
        (cuboid([0.5; 3], [0.0; 3]), [Some(1.0), Some(0.875), Some(0.125)]),
        (cuboid([1.0; 3], [3.0, 0.0, 0.0]), [Some(2.0), Some(1.0), None]),
    ] {
        let two = scene(&[cube(), second]);
        for (operation, volume_m3) in ["union", "difference", "intersection"].into_iter().zip(volumes_m3) {
            if let Some(volume_m3) = volume_m3 {
                let (after, reply) = done(&two, "mesh.boolean", &of(operation));
                assert_solid(&after, volume_m3);
                assert_eq!(reply["result"]["volume_m3"], volume_m3, "{reply}");
            } else {
                let error = refused(&two, "mesh.boolean", &of(operation).to_string());
                assert_eq!((&error["code"], &error["pointer"]), (&json!("DEGENERATE"), &json!("/operation")));
            }
        }
    }
    let beside = combined(&scene(&[cube(), cuboid([1.0; 3], [1.0, 0.0, 0.0])]), "union");
    spans(bounds(&mesh(&beside)), [[-0.5, 1.5], [-0.5, 0.5], [-0.5, 0.5]]);
}

#[test]
fn holes_have_the_volume_of_what_made_them() {
    // Through, and just as deep as the cube is high.
    for height_m in [1.0, 2.0] {
        let drilled = combined(&scene(&[cube(), cylinder(0.25, height_m, [0.0; 3])]), "difference");
        assert_solid(&drilled, 1.0 - polygon_m2(0.25));
    }
    // An eighth of a sphere between three planes that its meridians and its equator lie in.
    let sphere = (json!({"kind": "uv_sphere", "radius_m": 0.5, "segments": 16, "rings": 8}), json!({}));
    let two = scene(&[sphere, cuboid([1.0; 3], [0.5; 3])]);
    assert_solid(&combined(&two, "intersection"), volume(&mesh(&two)) / 8.0);
    // One hole after the other, each in the result of the one before.
    let mut solids = vec![cube()];
    solids.extend([-0.3, 0.0, 0.3].map(|x| cylinder(0.1, 2.0, [x, 0.0, 0.1])));
    let mut plate = scene(&solids);
    for drill in ["n_2", "n_3", "n_4"] {
        let call = json!({"node": "n_1", "other": drill, "operation": "difference"});
        (plate, _) = done(&plate, "mesh.boolean", &call);
    }
    assert_solid(&plate, 1.0 - 3.0 * polygon_m2(0.1));
}

/// Numbers in [0, 1), the same every time.
fn draws() -> impl FnMut() -> f64 {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[test]
fn two_hundred_turned_convex_pairs_agree_with_exact_clipping() {
    let mut draw = draws();
    let mut compared = 0;
    for round in 0..200 {
        let mut solid = |kind: usize| {
            let mut size = || 0.3 + 0.7 * draw();
            let shape = match kind % 5 {
                0 => json!({"kind": "box", "size_m": [size(), size(), size()]}),
                1 => json!({"kind": "cylinder", "radius_m": size() / 2.0, "height_m": size(), "segments": 12}),
                2 => json!({"kind": "cone", "radius_m": size() / 2.0, "height_m": size(), "segments": 9}),
                3 => json!({"kind": "ico_sphere", "radius_m": size() / 2.0, "subdivisions": 1}),
                _ => json!({"kind": "wedge", "size_m": [size(), size(), size()]}),
            };
            let at = [(); 3].map(|()| draw() * 0.5);
            let turn = [(); 3].map(|()| draw() * 360.0);
            // A mirror every now and then.
            let scale = [if round % 7 == 3 { -1.0 } else { 1.0 }, 1.0, 0.5 + draw()];
            (shape, json!({"translation": at, "rotation_euler_deg": turn, "scale": scale}))
        };
        let pair = scene(&[solid(round), solid(round / 5)]);
        let tolerances = Tolerances::default();
        let [a, b] = [1, 2].map(|node| Body::new(mesh_of(&pair, node), &tolerances));
        assert!(a.is_convex() && b.is_convex(), "{round}");
        let common_m3 = convex_overlap(&a, &b, &tolerances).map_or(0.0, |overlap| overlap.volume_m3);
        if common_m3 < 1e-3 * a.volume_m3().min(b.volume_m3()) {
            continue;
        }
        compared += 1;
        for (operation, wanted_m3) in [
            ("union", a.volume_m3() + b.volume_m3() - common_m3),
            ("difference", a.volume_m3() - common_m3),
            ("intersection", common_m3),
        ] {
            // One that is wholly inside the other leaves nothing, which is refused.
            if wanted_m3 < 1e-9 {
                continue;
            }
            let after = mesh(&combined(&pair, operation));
            let measured_m3 = volume(&after);
            let off_m3 = (measured_m3 - wanted_m3).abs();
            assert!(
                off_m3 < 1e-5 * a.volume_m3().max(b.volume_m3()),
                "{round} {operation}: {measured_m3}, {wanted_m3}"
            );
            let found = integrity(&after, false, &tolerances);
            assert!(found.faults.iter().all(|fault| fault.kind != FaultKind::OpenEdge), "{round} {operation}");
        }
    }
    assert!(compared > 100, "only {compared} pairs overlap");
}

#[test]
fn the_same_call_gives_the_same_bytes() {
    let ball =
        (json!({"kind": "ico_sphere", "radius_m": 0.6, "subdivisions": 2}), json!({"translation": [0.2, 0.1, 0]}));
    let two = scene(&[cube(), ball]);
    let first = combined(&two, "union").scene.state_hash();
    assert!((0..8).all(|_| combined(&two, "union").scene.state_hash().0 == first.0));
}

#[test]
fn triangles_keep_the_material_of_the_solid_that_they_come_from() {
    let mut two = scene(&[cube(), cylinder(0.25, 2.0, [0.0; 3])]);
    for (number, name) in [(1, "oak"), (2, "brass")] {
        (two, _) = done(&two, "material.create", &json!({"name": name, "base_color": [0.5, 0.5, 0.5]}));
        let assigned = json!({"node": format!("n_{number}"), "material": format!("mat_{number}")});
        (two, _) = done(&two, "material.assign", &assigned);
    }
    let materials = |workspace: &Workspace| -> Vec<String> {
        let mesh = workspace.scene.node(NodeId(1)).and_then(|node| node.mesh).unwrap();
        let primitives = &workspace.scene.meshes().get(&mesh).unwrap().primitives;
        primitives.iter().map(|primitive| primitive.material.unwrap().to_string()).collect()
    };
    assert_eq!(materials(&combined(&two, "difference")), ["mat_1", "mat_2"]);
    let (alike, _) = done(&two, "material.assign", &json!({"node": "n_2", "material": "mat_1"}));
    assert_eq!(materials(&combined(&alike, "difference")), ["mat_1"]);
}

#[test]
fn the_other_node_goes_unless_it_is_kept() {
    let two = scene(&[cube(), cuboid([1.0; 3], [0.5; 3])]);
    assert!(combined(&two, "union").scene.node(NodeId(2)).is_none());
    let mut keeping = of("union");
    keeping["keep_other"] = json!(true);
    let (kept, _) = done(&two, "mesh.boolean", &keeping);
    assert_eq!(volume(&mesh_of(&kept, 2)), volume(&mesh_of(&two, 2)));
    let (parent, _) = done(&two, "node.create", &json!({"name": "below", "parent": "n_2"}));
    let error = refused(&parent, "mesh.boolean", &of("union").to_string());
    assert_eq!((&error["code"], &error["pointer"]), (&json!("UNSUPPORTED"), &json!("/keep_other")));
    done(&parent, "mesh.boolean", &keeping);
}

#[test]
fn what_is_no_solid_is_refused() {
    let two = scene(&[cube(), cuboid([1.0; 3], [0.5; 3])]);
    let with = |name: &str, arguments: Value| done(&two, name, &arguments).0;
    let sheet = with("mesh.add_primitive", json!({"node": "n_2", "shape": {"kind": "plane", "size_m": [1, 1]}}));
    let inward = with("mesh.flip_normals", json!({"node": "n_1"}));
    let (tall, _) = done(&two, "node.create", &json!({"name": "tall"}));
    let shape = json!({"kind": "box", "size_m": [1, 2, 1]});
    let (tall, _) = done(&tall, "mesh.add_primitive", &json!({"node": "n_3", "shape": shape}));
    let (morphing, _) = done(&tall, "mesh.add_morph_target", &json!({"node": "n_2", "shape": "n_3", "name": "taller"}));
    // Two tetrahedra in one mesh, the one half in the other.
    let through = with(
        "mesh.set_data",
        json!({
            "node": "n_2",
            "positions": [
                [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1], [1.1, 0.1, 0.1], [0.1, 1.1, 0.1], [0.1, 0.1, 1.1],
            ],
            "triangles": [
                [0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3], [4, 6, 5], [4, 5, 7], [4, 7, 6], [5, 6, 7],
            ],
        }),
    );
    let edge = scene(&[cube(), cuboid([1.0; 3], [1.0, 1.0, 0.0])]);
    for (workspace, code, pointer) in [
        (&sheet, "DEGENERATE", "/other"),
        (&inward, "DEGENERATE", "/node"),
        (&morphing, "UNSUPPORTED", "/other"),
        (&through, "DEGENERATE", "/other"),
        (&edge, "DEGENERATE", "/other"),
    ] {
        let error = refused(workspace, "mesh.boolean", &of("union").to_string());
        assert_eq!((&error["code"], &error["pointer"]), (&json!(code), &json!(pointer)), "{error}");
    }
}

#[test]
fn a_chamfered_cube_has_the_volume_of_twelve_prisms_less() {
    for width_m in [0.05, 0.1, 0.3] {
        let call = json!({"node": "n_1", "width_m": width_m});
        let (after, reply) = done(&scene(&[cube()]), "mesh.bevel", &call);
        // A plane at 45° that touches a ball of radius w between two sides cuts off t = w (2 − √2) of each. Twelve prisms
        // of t²/2; at each of eight corners three pairs of them have t³/3 in common, and all three t³/4.
        let t = width_m * (2.0 - SQRT_2);
        assert_solid(&after, 1.0 - 12.0 * t * t / 2.0 + 8.0 * (3.0 / 3.0 - 1.0 / 4.0) * t * t * t);
        spans(bounds(&mesh(&after)), [[-0.5, 0.5]; 3]);
        assert_eq!(reply["result"]["edges"], 12);
    }
}

#[test]
fn more_segments_come_nearer_to_the_ball() {
    let rounded = |segments: u32| {
        let call = json!({"node": "n_1", "width_m": 0.1, "segments": segments});
        let (after, _) = done(&scene(&[cube()]), "mesh.bevel", &call);
        assert_solid(&after, volume(&mesh(&after)));
        volume(&mesh(&after))
    };
    let volumes_m3: Vec<f64> = (1..=8).map(rounded).collect();
    assert!(volumes_m3.windows(2).all(|pair| pair[1] < pair[0]), "{volumes_m3:?}");
    // Cylinders along the edges, without corners, would leave 1 − 12 (1 − π/4) w² and a little more at each corner.
    let without_corners_m3 = 1.0 - 12.0 * (1.0 - PI / 4.0) * 0.01;
    assert!((0.0..0.003).contains(&(volumes_m3[7] - without_corners_m3)), "{volumes_m3:?}");
}

#[test]
fn the_rims_of_a_cylinder_are_bevelled_and_its_sides_are_not() {
    let call = json!({"node": "n_1", "width_m": 0.1});
    let (after, reply) = done(&scene(&[cylinder(0.5, 1.0, [0.0; 3])]), "mesh.bevel", &call);
    assert_eq!(reply["result"]["edges"], 48);
    // Within t of either end the sides, a apart from the axis, are as much nearer to it.
    let (a, t) = (0.5 * libm::cos(PI / 24.0), 0.1 * (2.0 - SQRT_2));
    let cubes = a * a * a - (a - t) * (a - t) * (a - t);
    assert_solid(&after, 24.0 * libm::tan(PI / 24.0) * (a * a * (1.0 - 2.0 * t) + 2.0 * cubes / 3.0));
    // Sides of a 24-gon differ by 15°.
    let mut all = call;
    all["angle_deg"] = json!(10);
    let (rounder, reply) = done(&scene(&[cylinder(0.5, 1.0, [0.0; 3])]), "mesh.bevel", &all);
    assert_eq!(reply["result"]["edges"], 48 + 24);
    assert_solid(&rounder, volume(&mesh(&rounder)));
    assert!(volume(&mesh(&rounder)) < volume(&mesh(&after)));
}

#[test]
fn what_cannot_be_bevelled_is_refused() {
    let cube = scene(&[cube()]);
    let ring = json!({"kind": "tube", "outer_radius_m": 0.5, "inner_radius_m": 0.3, "height_m": 0.2, "segments": 12});
    let sheet = json!({"kind": "plane", "size_m": [1, 1]});
    let with = |shape: Value| done(&cube, "mesh.add_primitive", &json!({"node": "n_1", "shape": shape})).0;
    for (workspace, arguments, code, pointer) in [
        (&cube, json!({"width_m": 0.9}), "OUT_OF_RANGE", "/width_m"),
        (&cube, json!({"width_m": 1e-5, "segments": 8}), "OUT_OF_RANGE", "/width_m"),
        (&cube, json!({"width_m": 0.1, "angle_deg": 100}), "DEGENERATE", "/angle_deg"),
        (&with(ring), json!({"width_m": 0.01}), "UNSUPPORTED", "/node"),
        (&with(sheet), json!({"width_m": 0.01}), "DEGENERATE", "/node"),
    ] {
        let mut call = arguments;
        call["node"] = json!("n_1");
        let error = refused(workspace, "mesh.bevel", &call.to_string());
        assert_eq!((&error["code"], &error["pointer"]), (&json!(code), &json!(pointer)), "{error}");
    }
}
