use crate::play::{boxes, done, near, played, refusal};
use scene_api::Workspace;
use serde_json::{Value, json};

fn asked(workspace: &Workspace, name: &str, arguments: &Value) -> Value {
    let (after, reply) = done(workspace, name, arguments);
    assert_eq!(after.revision, workspace.revision);
    reply["result"].clone()
}

#[test]
fn bounds_are_those_of_the_subtree() {
    let scene = played(&[
        ("node.create", json!({"name": "root", "translation": [1, 0, 0], "scale": [2, 2, 2]})),
        ("node.create", json!({"name": "part", "parent": "n_1", "translation": [0, 1, 0]})),
        ("mesh.add_primitive", json!({"node": "n_2", "shape": {"kind": "box", "size_m": [1, 0.5, 2]}})),
        ("node.create", json!({"name": "empty"})),
    ]);
    let found = asked(&scene, "query.bounds", &json!({"nodes": ["n_1", "n_3"]}));
    let bounds = &found["nodes"][0]["bounds_m"];
    near(&bounds["min"], &[0.0, 1.5, -2.0]);
    near(&bounds["max"], &[2.0, 2.5, 2.0]);
    near(&bounds["size"], &[2.0, 1.0, 4.0]);
    near(&bounds["centre"], &[1.0, 2.0, 0.0]);
    assert_eq!(found["nodes"][1], json!({"node": "n_3", "bounds_m": null}));
    assert_eq!(&found["all_m"], bounds);
    refusal(&scene, "query.bounds", &json!({"nodes": []}), "TYPE_MISMATCH", "/nodes");
    refusal(&scene, "query.bounds", &json!({"nodes": ["n_1", "n_8"]}), "NOT_FOUND", "/nodes/1");
}

#[test]
fn distances_are_between_surfaces() {
    let cube = [1.0; 3];
    let scene = boxes(&[([0.0; 3], cube), ([1.25, 0.0, 0.0], cube), ([0.5, 0.5, 0.5], cube), ([0.0; 3], [0.1; 3])]);
    let apart = asked(&scene, "query.distance", &json!({"a": "n_1", "b": "n_2"}));
    near(&json!([apart["distance_m"]]), &[0.25]);
    near(&json!([apart["points_m"][0][0], apart["points_m"][1][0]]), &[0.5, 0.75]);
    assert_eq!((&apart["nodes"], &apart["truncated"]), (&json!(["n_1", "n_2"]), &json!(false)));
    let crossing = asked(&scene, "query.distance", &json!({"a": "n_1", "b": "n_3"}));
    assert_eq!(crossing["distance_m"], 0.0);
    let inside = asked(&scene, "query.distance", &json!({"a": "n_1", "b": "n_4"}));
    assert_eq!((&inside["distance_m"], &inside["points_m"]), (&json!(0.0), &Value::Null));
    refusal(&scene, "query.distance", &json!({"a": "n_1", "b": "n_1"}), "INVALID_ARGUMENT", "/b");
}

#[test]
fn rays_meet_the_first_surface() {
    let scene = boxes(&[([0.0, 0.25, 0.0], [0.5; 3]), ([0.0, -5.0, 0.0], [9.0, 1.0, 9.0])]);
    let hit = |arguments: Value| asked(&scene, "query.raycast", &arguments)["hit"].clone();
    let down = hit(json!({"origin_m": [0, 2, 0], "direction": [0, -3, 0]}));
    assert_eq!((&down["node"], &down["distance_m"], &down["from_behind"]), (&json!("n_1"), &json!(1.5), &json!(false)));
    near(&down["point_m"], &[0.0, 0.5, 0.0]);
    near(&down["normal"], &[0.0, 1.0, 0.0]);
    let out = hit(json!({"origin_m": [0, 0.25, 0], "direction": [0, 1, 0]}));
    assert_eq!((&out["distance_m"], &out["from_behind"]), (&json!(0.25), &json!(true)));
    assert_eq!(hit(json!({"origin_m": [0, 2, 0], "direction": [0, -1, 0], "max_m": 1.4})), Value::Null);
    assert_eq!(hit(json!({"origin_m": [0, 2, 0], "direction": [0, 1, 0]})), Value::Null);
    let nowhere = json!({"origin_m": [0, 2, 0], "direction": [0, 0, 0]});
    refusal(&scene, "query.raycast", &nowhere, "DEGENERATE", "/direction");
    let far = json!({"origin_m": [0, 2e9, 0], "direction": [0, 1, 0]});
    refusal(&scene, "query.raycast", &far, "OUT_OF_RANGE", "/origin_m/1");
}

/// A block with its top at 0.5 m, and a plank of 1 m over it.
fn plank(x_m: f64, y_m: f64) -> Workspace {
    boxes(&[([0.0, 0.25, 0.0], [0.5; 3]), ([x_m, y_m, 0.0], [1.0, 0.125, 0.25])])
}

#[test]
fn support_says_what_carries_and_what_hangs_over() {
    let asked_of = |workspace: &Workspace, node: &str| asked(workspace, "query.support", &json!({"node": node}));
    let block = asked_of(&plank(0.125, 0.5625), "n_1");
    assert_eq!((&block["rests_on"], &block["overhang_share"]), (&json!(["ground"]), &json!(0.0)));
    assert_eq!((&block["stands"], &block["gap_m"]), (&json!(1.0), &json!(0.0)));
    // Half of the plank is over the block.
    let held = asked_of(&plank(0.125, 0.5625), "n_2");
    assert_eq!((&held["rests_on"], &held["stands"], &held["gap_m"]), (&json!(["n_1"]), &json!(1.0), &json!(0.0)));
    near(&json!([held["overhang_share"]]), &[0.5]);
    // A quarter is, and its middle is not.
    let tips = asked_of(&plank(0.5, 0.5625), "n_2");
    near(&json!([tips["stands"], tips["overhang_share"]]), &[0.5, 0.75]);
    let floats = asked_of(&plank(0.125, 0.6625), "n_2");
    assert_eq!((&floats["rests_on"], &floats["overhang_share"]), (&json!([]), &Value::Null));
    near(&json!([floats["stands"], floats["gap_m"]]), &[0.0, 0.1]);
    assert_eq!(floats["truncated"], false);
}

#[test]
fn hidden_things_are_told_from_seen_ones() {
    let mut scene = boxes(&[([0.0, 0.5, 1.0], [1.0, 1.0, 0.2]), ([0.0, 0.5, -1.0], [0.5, 0.5, 0.2])]);
    let eye = json!({"name": "eye", "translation": [0, 0.5, 5], "target": [0, 0.5, 0]});
    refusal(&scene, "query.visible", &json!({}), "NOT_FOUND", "/camera");
    scene = done(&scene, "camera.add", &eye).0;
    let found = asked(&scene, "query.visible", &json!({}));
    assert_eq!((&found["camera"], &found["truncated"]), (&json!("n_3"), &json!(false)));
    let (front, rear) = (&found["nodes"][0], &found["nodes"][1]);
    assert_eq!((&front["node"], &front["hidden_share"]), (&json!("n_1"), &json!(0.0)));
    assert_eq!((&rear["node"], &rear["hidden_share"], &rear["pixels"]), (&json!("n_2"), &json!(1.0), &json!(0)));
    near(&json!([front["in_frame_share"], rear["in_frame_share"]]), &[1.0, 1.0]);
    // 1 m at 3.9 m, of 192 pixels over 50°.
    let side_px = 192.0 / (2.0 * 3.9 * libm::tan(25.0_f64.to_radians()));
    let pixels = front["pixels"].as_f64().unwrap();
    assert!((pixels / (side_px * side_px) - 1.0).abs() < 0.05, "{pixels} of {}", side_px * side_px);
    let only = asked(&scene, "query.visible", &json!({"nodes": ["n_2"]}));
    assert_eq!(only["nodes"], json!([rear]));
}

#[test]
fn lighting_is_read_in_candela_a_square_metre() {
    let dark = boxes(&[([0.0, -0.05, 0.0], [4.0, 0.1, 4.0])]);
    let eye = json!({"name": "eye", "translation": [0, 3, 0.5], "target": [0, 0, 0]});
    let dark = done(&dark, "camera.add", &eye).0;
    let unlit = asked(&dark, "query.lighting", &json!({}));
    near(&json!([unlit["median_cd_m2"], unlit["black_share"]]), &[0.0, 1.0]);
    // 18 π lux on a white matt floor are middle grey.
    let sun = json!({
        "name": "sun", "light": {"kind": "directional"}, "intensity": 18.0 * std::f64::consts::PI,
        "translation": [0, 5, 0], "target": [0, 0, 0],
    });
    let lit = done(&dark, "light.add", &sun).0;
    let found = asked(&lit, "query.lighting", &json!({"nodes": ["n_1"]}));
    near(&json!([found["median_cd_m2"], found["exposure_ev"], found["contrast_log2"]]), &[18.0, 0.0, 0.0]);
    near(&json!([found["black_share"], found["white_share"]]), &[0.0, 0.0]);
    assert_eq!(found["aims"]["median_cd_m2"], 18.0);
    let nothing = asked(&lit, "query.lighting", &json!({"nodes": ["n_2"]}));
    assert_eq!((&nothing["pixels"], &nothing["median_cd_m2"]), (&json!(0), &Value::Null));
    refusal(&lit, "query.lighting", &json!({"camera": "n_1"}), "NOT_FOUND", "/camera");
}

#[test]
fn a_mesh_report_counts_faults() {
    let tetrahedron = |triangles: &[[u32; 3]]| {
        let positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
        let made = played(&[
            ("node.create", json!({"name": "shard"})),
            ("mesh.set_data", json!({"node": "n_1", "positions": positions, "triangles": triangles})),
        ]);
        asked(&made, "query.mesh_report", &json!({"node": "n_1"}))
    };
    let clean = tetrahedron(&[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
    for yes in ["watertight", "manifold", "faces_outwards"] {
        assert_eq!(clean[yes], true, "{yes}: {clean}");
    }
    assert_eq!((&clean["faults"], &clean["triangles"]), (&json!([]), &json!(4)));
    near(&json!([clean["area_m2"], clean["volume_m3"]]), &[2.366, 0.1667]);
    let open = tetrahedron(&[[0, 2, 1], [0, 1, 3], [0, 3, 2]]);
    assert_eq!((&open["watertight"], &open["volume_m3"]), (&json!(false), &Value::Null));
    assert_eq!((&open["faults"][0]["kind"], &open["faults"][0]["count"]), (&json!("open_edges"), &json!(3)));
    let flipped = tetrahedron(&[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 3, 2]]);
    assert_eq!((&flipped["watertight"], &flipped["faces_outwards"]), (&json!(true), &json!(false)));
    let kinds: Vec<&Value> = flipped["faults"].as_array().unwrap().iter().map(|fault| &fault["kind"]).collect();
    assert!(kinds.contains(&&json!("edges_of_flipped_faces")), "{flipped}");
}
