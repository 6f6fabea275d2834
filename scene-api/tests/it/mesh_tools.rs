//! Tools that make meshes and change them, against volumes and places worked out by hand.

use crate::play::{done, played, refusal, refused};
use geometry_checks::{Mesh, Tolerances, integrity, normals};
use scene_api::{Groups, Workspace};
use scene_document::NodeId;
use serde_json::{Value, json};
use std::f64::consts::{FRAC_1_SQRT_2, TAU};

/// `n_1` without a mesh.
pub(crate) fn bare() -> Workspace {
    played(&[("node.create", json!({"name": "a"}))])
}

/// After a call on `n_1`.
pub(crate) fn after(workspace: &Workspace, name: &str, mut arguments: Value) -> (Workspace, Value) {
    arguments["node"] = json!("n_1");
    let (workspace, reply) = done(workspace, name, &arguments);
    (workspace, reply["result"].clone())
}

/// The mesh of `n_1` in world space.
pub(crate) fn mesh(workspace: &Workspace) -> Mesh {
    let baked = workspace.scene.bake();
    let mesh = baked.meshes.into_iter().find(|mesh| mesh.node == NodeId(1)).unwrap();
    Mesh { positions: mesh.positions, normals: mesh.normals, triangles: mesh.triangles }
}

pub(crate) fn volume(mesh: &Mesh) -> f64 {
    let cone = |index: usize| {
        let [a, b, c] = mesh.corners(index).unwrap().map(|corner| corner.coords);
        a.dot(&b.cross(&c)) / 6.0
    };
    (0..mesh.triangles.len()).map(cone).sum()
}

pub(crate) fn bounds(mesh: &Mesh) -> [[f64; 2]; 3] {
    let aabb = mesh.aabb().unwrap();
    [0, 1, 2].map(|axis| [aabb.min[axis], aabb.max[axis]])
}

/// Closed, without a fault, looking outward, and of this volume.
pub(crate) fn assert_solid(workspace: &Workspace, volume_m3: f64) {
    let mesh = mesh(workspace);
    let found = integrity(&mesh, false, &Tolerances::default());
    assert!(found.value() == 1.0, "{:?}", found.faults);
    let looks = normals(&mesh, false, &Tolerances::default());
    assert!(looks.value() > 1.0 - 1e-9, "{:?}", looks.faults);
    let measured = volume(&mesh);
    assert!((measured / volume_m3 - 1.0).abs() < 1e-5, "{measured} instead of {volume_m3}");
}

pub(crate) fn spans(given: [[f64; 2]; 3], wanted: [[f64; 2]; 3]) {
    let mut pairs = given.iter().flatten().zip(wanted.iter().flatten());
    assert!(pairs.all(|(a, b)| (a - b).abs() < 1e-6), "{given:?} instead of {wanted:?}");
}

#[test]
fn a_turned_rectangle_is_a_prism() {
    // An n-gon of radius 1 has the area n/2 · sin(2π/n).
    let rectangle = json!([[0, 0], [1, 0], [1, 2], [0, 2]]);
    let back = json!([[0, 2], [1, 2], [1, 0], [0, 0]]);
    let side = json!([[1, 0], [1, 2]]);
    for profile in [rectangle.clone(), back, side] {
        let (made, _) = after(&bare(), "mesh.add_lathe", json!({"profile": profile, "segments": 8}));
        assert_solid(&made, 8.0 / 2.0 * FRAC_1_SQRT_2 * 2.0);
        spans(bounds(&mesh(&made)), [[-1.0, 1.0], [0.0, 2.0], [-1.0, 1.0]]);
    }
    // A quarter from +X to −Z in four steps of 22.5°.
    let quarter = json!({"profile": rectangle, "segments": 4, "sweep_deg": 90});
    let (made, _) = after(&bare(), "mesh.add_lathe", quarter);
    assert_solid(&made, 4.0 / 2.0 * 0.382_683_432_365_089_8 * 2.0);
    spans(bounds(&mesh(&made)), [[0.0, 1.0], [0.0, 2.0], [-1.0, 0.0]]);
}

#[test]
fn a_turned_profile_may_be_a_ring_or_end_in_a_point() {
    let ring = json!({"profile": [[1, 0], [2, 0], [2, 1], [1, 1]], "ends": "joined", "segments": 4});
    let (made, _) = after(&bare(), "mesh.add_lathe", ring.clone());
    assert_solid(&made, 2.0 * (4.0 - 1.0));
    let mut half = ring;
    half["sweep_deg"] = json!(180);
    // Four steps of 45°.
    let (made, _) = after(&bare(), "mesh.add_lathe", half);
    assert_solid(&made, 4.0 / 2.0 * FRAC_1_SQRT_2 * (4.0 - 1.0));
    let cone = json!({"profile": [[0, 1], [1, 0]], "segments": 4});
    let (made, result) = after(&bare(), "mesh.add_lathe", cone);
    assert_solid(&made, 2.0 / 3.0);
    assert_eq!(result["triangles"], 8);
}

#[test]
fn an_extruded_outline_has_its_area_times_its_height() {
    let l = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let back: Vec<[f64; 2]> = l.into_iter().rev().collect();
    for outline in [json!(l), json!(back)] {
        let flat = json!({"outline": outline, "height_m": 0.5});
        let (made, result) = after(&bare(), "mesh.add_extrusion", flat);
        assert_solid(&made, 2.0);
        spans(bounds(&mesh(&made)), [[0.0, 3.0], [0.0, 0.5], [0.0, 2.0]]);
        assert_eq!(result["triangles"], 2 * 4 + 2 * 6);
        let upright = json!({"outline": outline, "height_m": 0.5, "plane": "xy"});
        let (made, _) = after(&bare(), "mesh.add_extrusion", upright);
        assert_solid(&made, 2.0);
        spans(bounds(&mesh(&made)), [[0.0, 3.0], [0.0, 2.0], [0.0, 0.5]]);
    }
    let windows = json!([[[1, 1], [2, 1], [2, 2], [1, 2]], [[3, 3], [3, 3.5], [3.5, 3.5], [3.5, 3]]]);
    let wall = json!({"outline": [[0, 0], [4, 0], [4, 4], [0, 4]], "holes": windows, "height_m": 2});
    let (made, _) = after(&bare(), "mesh.add_extrusion", wall);
    assert_solid(&made, 2.0 * (16.0 - 1.0 - 0.25));
}

#[test]
fn a_swept_square_is_its_area_times_the_length_of_the_path() {
    let square = json!({"kind": "polygon", "points": [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]});
    for (path, length_m) in [
        (json!([[0, 0, 0], [0, 0, 2]]), 2.0),
        (json!([[0, 0, 0], [0, 2, 0]]), 2.0),
        (json!([[0, 0, 0], [1, 0, 0], [1, 0, 2]]), 3.0),
        (json!([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]), 3.0),
    ] {
        let (made, _) = after(&bare(), "mesh.add_sweep", json!({"profile": square, "path": path}));
        assert_solid(&made, 0.04 * length_m);
    }
    // Profile up is up, and the profile's x is on the left.
    let odd = json!({"kind": "polygon", "points": [[0, 0], [0.3, 0], [0, 0.2]]});
    let (made, _) = after(&bare(), "mesh.add_sweep", json!({"profile": odd, "path": [[0, 0, 0], [0, 0, 1]]}));
    spans(bounds(&mesh(&made)), [[0.0, 0.3], [0.0, 0.2], [0.0, 1.0]]);
    assert_solid(&made, 0.03);
}

#[test]
fn a_closed_sweep_is_a_torus_of_flat_sides() {
    let path: Vec<[f64; 3]> = (0..8)
        .map(|step| {
            let angle_rad = TAU * f64::from(step) / 8.0;
            [libm::cos(angle_rad), 0.0, libm::sin(angle_rad)]
        })
        .collect();
    let circle = json!({"kind": "circle", "radius_m": 0.2, "sides": 6});
    let (made, result) = after(&bare(), "mesh.add_sweep", json!({"profile": circle, "path": path, "closed": true}));
    // A hexagon of radius 0.2 along eight sides of 2 · sin(22.5°).
    assert_solid(&made, 3.0 * 0.866_025_403_784_438_6 * 0.04 * 8.0 * 2.0 * 0.382_683_432_365_089_8);
    assert_eq!(result["triangles"], 2 * 6 * 8);
    // Out of one plane the frames do not come back by themselves; the rest is spread, and the solid closes.
    let heights = [0.0, 0.3, 0.1].into_iter().cycle();
    let wavy: Vec<[f64; 3]> = path.iter().zip(heights).map(|([x, _, z], y)| [*x, y, *z]).collect();
    let thin = json!({"kind": "circle", "radius_m": 0.1, "sides": 6});
    let wavy = json!({"profile": thin, "path": wavy, "closed": true, "curve": "catmull_rom"});
    let (made, _) = after(&bare(), "mesh.add_sweep", wavy);
    assert_solid(&made, volume(&mesh(&made)).abs());
}

#[test]
fn shading_is_smooth_up_to_the_angle_and_flat_beyond() {
    let drum = |angle_deg: f64| json!({"profile": [[1, 0], [1, 2]], "segments": 16, "smooth_angle_deg": angle_deg});
    let (flat, _) = after(&bare(), "mesh.add_lathe", drum(0.0));
    let (smooth, _) = after(&bare(), "mesh.add_lathe", drum(30.0));
    // Sixteen sides at 22.5°: four corners each, or two for every edge; and two ends of sixteen corners and a centre.
    assert_eq!(mesh(&flat).positions.len(), 16 * 4 + 2 * 17);
    assert_eq!(mesh(&smooth).positions.len(), 16 * 2 + 2 * 17);
    let smooth = mesh(&smooth);
    for (position, normal) in smooth.positions.iter().zip(smooth.normals.iter().flatten()) {
        let is_side = normal.y.abs() < 0.5;
        assert!(!is_side || (normal.x - position.x).abs() + (normal.z - position.z).abs() < 1e-5, "{normal}");
        assert!(is_side || normal.y.abs() > 1.0 - 1e-6, "{normal}");
    }
}

/// A tetrahedron on `n_1` of the triangles given.
fn tetrahedron(positions: Value, triangles: Value) -> Workspace {
    after(&bare(), "mesh.set_data", json!({"positions": positions, "triangles": triangles})).0
}

#[test]
fn midpoints_keep_the_shape_and_loop_rounds_it() {
    let cube = json!({"shape": {"kind": "box", "size_m": [1, 1, 1]}});
    let (cube, _) = after(&bare(), "mesh.add_primitive", cube);
    let (finer, result) = after(&cube, "mesh.subdivide", json!({"method": "midpoint", "levels": 2}));
    assert_eq!(result["triangles"], 12 * 16);
    assert_solid(&finer, 1.0);
    // Of a regular tetrahedron about the origin: the corners go to a quarter, the new points to a quarter of the sum of
    // their edge's ends.
    let regular = json!([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]);
    let solid = tetrahedron(regular, json!([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]));
    let (round, result) = after(&solid, "mesh.subdivide", json!({"method": "loop"}));
    assert_eq!(result["triangles"], 16);
    let mesh = mesh(&round);
    for position in &mesh.positions {
        let mut parts = [position.x.abs(), position.y.abs(), position.z.abs()];
        parts.sort_by(f64::total_cmp);
        assert!(parts == [0.25, 0.25, 0.25] || parts == [0.0, 0.0, 0.5], "{position}");
    }
    assert_eq!(integrity(&mesh, false, &Tolerances::default()).value(), 1.0);
}

#[test]
fn corners_that_nearly_meet_are_made_one() {
    let cracked = json!([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1.00001, 0, 0]]);
    let cracked = tetrahedron(cracked, json!([[0, 2, 1], [0, 4, 3], [0, 3, 2], [1, 2, 3]]));
    assert!(integrity(&mesh(&cracked), false, &Tolerances::default()).closed < 1.0);
    let (whole, result) = after(&cracked, "mesh.merge_by_distance", json!({}));
    assert_eq!((&result["merged_points"], &result["removed_triangles"]), (&json!(1), &json!(0)));
    assert_solid(&whole, 1.0 / 6.0);
    let (same, result) = after(&cracked, "mesh.merge_by_distance", json!({"distance_m": 1e-6}));
    assert_eq!(result["merged_points"], 0);
    assert!(integrity(&mesh(&same), false, &Tolerances::default()).closed < 1.0);
}

#[test]
fn triangles_are_turned_outward_shell_by_shell() {
    let corners = json!([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    for (triangles, turned) in [
        (json!([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]), 0),
        (json!([[0, 1, 2], [0, 1, 3], [0, 3, 2], [1, 2, 3]]), 1),
        (json!([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]), 4),
    ] {
        let given = tetrahedron(corners.clone(), triangles);
        let (after, result) = after(&given, "mesh.recalculate_normals", json!({}));
        assert_eq!((&result["turned_triangles"], &result["shells"]), (&json!(turned), &json!(1)));
        assert_solid(&after, 1.0 / 6.0);
    }
    let kept = tetrahedron(corners, json!([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]));
    let (kept, _) = after(&kept, "mesh.recalculate_normals", json!({"outside": false}));
    assert!(volume(&mesh(&kept)) < 0.0);
    let (flipped, _) = after(&kept, "mesh.flip_normals", json!({}));
    assert_solid(&flipped, 1.0 / 6.0);
}

#[test]
fn an_applied_transform_moves_nothing() {
    let placed = json!({"translation": [1, 2, 3], "rotation_euler_deg": [0, 90, 30], "scale": [-2, 1, 3]});
    let (made, _) = after(&bare(), "node.set_transform", placed);
    let (made, _) = after(&made, "mesh.add_primitive", json!({"shape": {"kind": "wedge", "size_m": [1, 2, 3]}}));
    let below = json!({"name": "b", "parent": "n_1", "translation": [1, 0, 0], "rotation_euler_deg": [90, 0, 0]});
    let (made, _) = done(&made, "node.create", &below);
    let (applied, _) = after(&made, "mesh.apply_transform", json!({}));
    let node = applied.scene.node(NodeId(1)).unwrap();
    assert_eq!(node.transform, scene_document::Trs::from_translation([1.0, 2.0, 3.0]));
    let moved = applied.scene.world_from_node(NodeId(2)) - made.scene.world_from_node(NodeId(2));
    assert!(moved.norm() < 1e-9, "{moved}");
    let (old, new) = (mesh(&made), mesh(&applied));
    assert_eq!(old.positions.len(), new.positions.len());
    assert!(old.positions.iter().zip(&new.positions).all(|(a, b)| (a - b).norm() < 1e-5));
    // Half a box of 6 m³, six times as large.
    assert_solid(&applied, 18.0);
}

#[test]
fn refusals_name_code_and_place() {
    let (cube, _) = after(&bare(), "mesh.add_primitive", json!({"shape": {"kind": "box", "size_m": [1, 1, 1]}}));
    let circle = |radius_m: f64| json!({"kind": "circle", "radius_m": radius_m, "sides": 4});
    let square = json!([[0, 0], [1, 0], [1, 1], [0, 1]]);
    for (name, arguments, code, pointer) in [
        ("mesh.add_lathe", json!({"profile": [[1, 0], [1, 0], [0, 1]]}), "DEGENERATE", "/profile/1"),
        ("mesh.add_lathe", json!({"profile": [[1, 0], [-1, 0]]}), "OUT_OF_RANGE", "/profile/1/0"),
        ("mesh.add_lathe", json!({"profile": [[1, 0], [1, 1]], "sweep_deg": 359.5}), "OUT_OF_RANGE", "/sweep_deg"),
        ("mesh.add_lathe", json!({"profile": [[1, 0], [2, 0]]}), "DEGENERATE", "/profile"),
        ("mesh.add_lathe", json!({"profile": [[0, 0], [1, -1], [1, 1]], "ends": "joined"}), "DEGENERATE", "/profile/0"),
        ("mesh.add_extrusion", json!({"outline": square, "height_m": 0}), "OUT_OF_RANGE", "/height_m"),
        (
            "mesh.add_extrusion",
            json!({"outline": [[0, 0], [2, 2], [2, 0], [0, 1]], "height_m": 1}),
            "DEGENERATE",
            "/outline/2",
        ),
        (
            "mesh.add_extrusion",
            json!({"outline": square, "height_m": 1, "holes": [[[5, 5], [6, 5], [5, 6]]]}),
            "DEGENERATE",
            "/holes/0",
        ),
        ("mesh.add_sweep", json!({"profile": circle(0.1), "path": [[0, 0, 0], [0, 0, 0]]}), "DEGENERATE", "/path/1"),
        (
            "mesh.add_sweep",
            json!({"profile": circle(0.1), "path": [[0, 0, 0], [1, 0, 0], [0, 0, 0.01]]}),
            "DEGENERATE",
            "/path/1",
        ),
        (
            "mesh.add_sweep",
            json!({"profile": circle(0.4), "path": [[0, 0, 0], [1, 0, 0], [1, 0, 0.5], [0, 0, 0.5]]}),
            "DEGENERATE",
            "/path/1",
        ),
        (
            "mesh.add_sweep",
            json!({"profile": circle(0.1), "path": [[0, 0, 0], [1, 0, 0]], "closed": true}),
            "DEGENERATE",
            "/path",
        ),
        ("mesh.subdivide", json!({"levels": 4}), "OUT_OF_RANGE", "/levels"),
        ("mesh.merge_by_distance", json!({"distance_m": 5}), "DEGENERATE", "/distance_m"),
    ] {
        let mut arguments = arguments;
        arguments["node"] = json!("n_1");
        refusal(&cube, name, &arguments, code, pointer);
    }
    let ball = json!({"shape": {"kind": "uv_sphere", "radius_m": 1, "segments": 256, "rings": 128}});
    let (ball, _) = after(&bare(), "mesh.add_primitive", ball);
    let error = refused(&ball, "mesh.subdivide", r#"{"node": "n_1", "levels": 3}"#);
    assert_eq!((&error["code"], &error["pointer"]), (&json!("LIMIT_EXCEEDED"), &json!("/levels")));
    let core = Workspace { groups: Groups::CORE, ..cube };
    assert_eq!(refused(&core, "mesh.flip_normals", r#"{"node": "n_1"}"#)["code"], "NOT_FOUND");
}
