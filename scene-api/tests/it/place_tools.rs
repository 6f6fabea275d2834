use crate::play::{boxes, done, near, played, refusal};
use scene_api::Workspace;
use serde_json::{Value, json};

/// The box after a move, and that it broke nothing.
#[track_caller]
fn lies(reply: &Value, min: [f64; 3], max: [f64; 3]) {
    near(&reply["result"]["world_aabb_m"]["min"], &min);
    near(&reply["result"]["world_aabb_m"]["max"], &max);
    assert_eq!(reply["consequences"]["new_overlaps"], json!([]));
}

#[test]
fn things_are_put_on_others() {
    // A slab whose top is at 0.74 m, and a box of 8 × 10 × 8 cm.
    let scene = boxes(&[([0.0, 0.37, 0.0], [1.2, 0.74, 0.8]), ([5.0, 5.0, 5.0], [0.08, 0.1, 0.08])]);
    let (_, middle) = done(&scene, "place.on", &json!({"node": "n_2", "support": "n_1"}));
    lies(&middle, [-0.04, 0.74, -0.04], [0.04, 0.84, 0.04]);
    assert_eq!(middle["consequences"]["floating"], json!([]));
    let (_, aside) = done(&scene, "place.on", &json!({"node": "n_2", "support": "n_1", "u": 0.25, "v": 1}));
    lies(&aside, [-0.34, 0.74, 0.36], [-0.26, 0.84, 0.44]);
    near(&aside["result"]["moved_by_m"], &[-5.3, -4.21, -4.6]);
    refusal(&scene, "place.on", &json!({"node": "n_1", "support": "n_1"}), "INVALID_ARGUMENT", "/support");
    refusal(&scene, "place.on", &json!({"node": "n_1", "support": "n_2", "u": 1.5}), "OUT_OF_RANGE", "/u");
}

#[test]
fn a_part_is_put_on_the_rest_of_its_object() {
    // Doubled and turned: 1.6 m along x, 2.4 m along z, the top at 0.74 m.
    let scene = played(&[
        (
            "node.create",
            json!({"name": "slab", "translation": [0, 0.37, 0], "rotation_euler_deg": [0, 90, 0], "scale": [2, 2, 2]}),
        ),
        ("mesh.add_primitive", json!({"node": "n_1", "shape": {"kind": "box", "size_m": [1.2, 0.37, 0.8]}})),
        ("node.create", json!({"name": "cup", "parent": "n_1", "translation": [0, 3, 0]})),
        ("mesh.add_primitive", json!({"node": "n_2", "shape": {"kind": "box", "size_m": [0.04, 0.05, 0.04]}})),
    ]);
    let (_, reply) = done(&scene, "place.on", &json!({"node": "n_2", "support": "n_1", "v": 0}));
    lies(&reply, [-0.04, 0.74, -1.24], [0.04, 0.84, -1.16]);
    refusal(&scene, "place.on", &json!({"node": "n_1", "support": "n_2"}), "INVALID_ARGUMENT", "/support");
}

#[test]
fn things_are_put_beside_others() {
    let scene = boxes(&[([0.0, 0.37, 0.0], [1.2, 0.74, 0.8]), ([7.0, 0.45, 7.0], [0.4, 0.9, 0.4])]);
    let put = |arguments: Value| done(&scene, "place.against", &arguments).1;
    let right = put(json!({"node": "n_2", "to": "n_1", "side": "+x", "gap_m": 0.1}));
    lies(&right, [0.7, 0.0, -0.2], [1.1, 0.9, 0.2]);
    lies(&put(json!({"node": "n_2", "to": "n_1", "side": "-x"})), [-1.0, 0.0, -0.2], [-0.6, 0.9, 0.2]);
    lies(&put(json!({"node": "n_2", "to": "n_1", "side": "+z"})), [-0.2, 0.0, 0.4], [0.2, 0.9, 0.8]);
    let behind = put(json!({"node": "n_2", "to": "n_1", "side": "-z", "along": 0.25}));
    lies(&behind, [-0.5, 0.0, -0.8], [-0.1, 0.9, -0.4]);
    let up = json!({"node": "n_2", "to": "n_1", "side": "+y"});
    refusal(&scene, "place.against", &up, "INVALID_ARGUMENT", "/side");
}

/// Cubes of 0.2, 0.4 and 0.6 m.
fn three() -> Workspace {
    boxes(&[
        ([0.0, 0.1, 0.0], [0.2, 0.2, 0.2]),
        ([1.0, 0.5, 1.0], [0.4, 0.4, 0.4]),
        ([2.0, 0.9, -1.0], [0.6, 0.6, 0.6]),
    ])
}

#[test]
fn edges_come_into_line() {
    let scene = three();
    let (_, floor) =
        done(&scene, "place.align", &json!({"nodes": ["n_1", "n_2"], "axis": "y", "edge": "min", "to": 0}));
    assert_eq!(floor["revision"], scene.revision + 1, "one call, one revision");
    let moved = |reply: &Value, index: usize| reply["result"]["moved"][index]["moved_by_m"].clone();
    near(&moved(&floor, 0), &[0.0, 0.0, 0.0]);
    near(&moved(&floor, 1), &[0.0, -0.3, 0.0]);
    let to_third = json!({"nodes": ["n_1", "n_2", "n_3"], "axis": "z", "edge": "max", "to": "n_3"});
    let (_, front) = done(&scene, "place.align", &to_third);
    assert_eq!(front["result"]["moved"].as_array().unwrap().len(), 2, "what is aligned to stays");
    near(&moved(&front, 0), &[0.0, 0.0, -0.8]);
    near(&moved(&front, 1), &[0.0, 0.0, -1.9]);
    near(&json!([front["result"]["aligned_at_m"]]), &[-0.7]);
    let alone = json!({"nodes": ["n_3"], "axis": "z", "edge": "max", "to": "n_3"});
    refusal(&scene, "place.align", &alone, "INVALID_ARGUMENT", "/nodes");
    let unknown = json!({"nodes": ["n_1", "n_7"], "axis": "z", "edge": "max", "to": 0});
    refusal(&scene, "place.align", &unknown, "NOT_FOUND", "/nodes/1");
    let far = json!({"nodes": ["n_1"], "axis": "x", "edge": "max", "to": 5000});
    refusal(&scene, "place.align", &far, "LIMIT_EXCEEDED", "/to");
}

#[test]
fn gaps_become_equal() {
    let scene = three();
    let all = ["n_3", "n_1", "n_2"];
    let moved = |reply: &Value, index: usize| reply["result"]["moved"][index]["moved_by_m"].clone();
    // From −0.1 to 2.3 m there are 1.2 m of cubes, so twice 0.6 m of air.
    let (_, shared) = done(&scene, "place.distribute", &json!({"nodes": all, "axis": "x"}));
    near(&json!([shared["result"]["gap_m"]]), &[0.6]);
    for (index, x_m) in [0.0, -0.1, 0.0].into_iter().enumerate() {
        near(&moved(&shared, index), &[x_m, 0.0, 0.0]);
    }
    let (_, close) = done(&scene, "place.distribute", &json!({"nodes": all, "axis": "x", "spacing_m": 0.05}));
    for (index, x_m) in [0.0, -0.65, -1.1].into_iter().enumerate() {
        near(&moved(&close, index), &[x_m, 0.0, 0.0]);
    }
    let crowded = boxes(&[([0.0; 3], [1.0; 3]), ([0.5, 2.0, 0.0], [1.0; 3]), ([1.0, 4.0, 0.0], [1.0; 3])]);
    let across = json!({"nodes": ["n_1", "n_2", "n_3"], "axis": "x"});
    refusal(&crowded, "place.distribute", &across, "OUT_OF_RANGE", "/nodes");
    refusal(&scene, "place.distribute", &json!({"nodes": ["n_1"], "axis": "x"}), "TYPE_MISMATCH", "/nodes");
}

#[test]
fn things_fall_onto_meshes_and_not_onto_boxes() {
    let slab = ([0.0, 0.37, 0.0], [1.2, 0.74, 0.8]);
    let scene = boxes(&[slab, ([0.0, 3.0, 0.0], [0.4, 0.4, 0.4]), ([9.0, 3.0, 0.0], [0.4, 0.4, 0.4])]);
    let (_, onto_slab) = done(&scene, "place.drop", &json!({"node": "n_2"}));
    lies(&onto_slab, [-0.2, 0.74, -0.2], [0.2, 1.14, 0.2]);
    assert_eq!(onto_slab["result"]["rests_on"], "n_1");
    assert_eq!(onto_slab["consequences"]["floating"], json!([]));
    let (_, onto_ground) = done(&scene, "place.drop", &json!({"node": "n_3", "ground_y_m": -1}));
    lies(&onto_ground, [8.8, -1.0, -0.2], [9.2, -0.6, 0.2]);
    assert_eq!(onto_ground["result"]["rests_on"], "ground");

    // A wedge whose slope is y = 0.5 − z: the box meets it with its lower edge at z = 0.1.
    let slope = played(&[
        ("node.create", json!({"name": "wedge", "translation": [0, 0.5, 0]})),
        ("mesh.add_primitive", json!({"node": "n_1", "shape": {"kind": "wedge", "size_m": [1, 1, 1]}})),
        ("node.create", json!({"name": "box", "translation": [0, 3, 0.2]})),
        ("mesh.add_primitive", json!({"node": "n_2", "shape": {"kind": "box", "size_m": [0.2, 0.2, 0.2]}})),
    ]);
    let (_, onto_slope) = done(&slope, "place.drop", &json!({"node": "n_2"}));
    lies(&onto_slope, [-0.1, 0.4, 0.1], [0.1, 0.6, 0.3]);
}

#[test]
fn what_is_under_a_top_falls_to_the_ground() {
    let top = ([0.0, 0.72, 0.0], [1.2, 0.04, 0.8]);
    let scene = boxes(&[top, ([0.0, 0.5, 0.0], [0.1, 0.1, 0.1])]);
    let (_, reply) = done(&scene, "place.drop", &json!({"node": "n_2"}));
    lies(&reply, [-0.05, 0.0, -0.05], [0.05, 0.1, 0.05]);
}

#[test]
fn what_is_a_little_sunk_is_lifted_and_what_is_inside_is_refused() {
    let slab = ([0.0, 0.37, 0.0], [1.2, 0.74, 0.8]);
    let sunk = |y_m: f64| boxes(&[slab, ([0.0, y_m, 0.0], [0.4, 0.4, 0.4])]);
    let (_, lifted) = done(&sunk(0.93), "place.drop", &json!({"node": "n_2"}));
    near(&lifted["result"]["moved_by_m"], &[0.0, 0.01, 0.0]);
    lies(&lifted, [-0.2, 0.74, -0.2], [0.2, 1.14, 0.2]);
    let error = refusal(&sunk(0.74), "place.drop", &json!({"node": "n_2"}), "DEGENERATE", "/node");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains(r#"node.set_transform {"node":"n_2","move_by_m":[0,0.2"#), "{message}");
    let ground = boxes(&[([0.0, 0.195, 0.0], [0.4, 0.4, 0.4])]);
    near(&done(&ground, "place.drop", &json!({"node": "n_1"})).1["result"]["moved_by_m"], &[0.0, 0.005, 0.0]);
}

#[test]
fn things_turn_towards_others_about_the_vertical() {
    let half = 0.5_f64.sqrt();
    let scene = played(&[
        ("node.create", json!({"name": "seat", "translation": [1, 0, 0]})),
        ("node.create", json!({"name": "rig", "rotation_euler_deg": [0, 90, 0], "scale": [2, 3, 2]})),
        ("node.create", json!({"name": "head", "parent": "n_2"})),
        ("node.create", json!({"name": "flat", "scale": [1, 1, 3]})),
        ("node.create", json!({"name": "sheared", "parent": "n_4"})),
        ("node.create", json!({"name": "up", "rotation_euler_deg": [-90, 0, 0]})),
    ]);
    // The height of the target does not matter.
    let (_, seat) = done(&scene, "place.face", &json!({"node": "n_1", "target": [6, 7, 0]}));
    near(&seat["result"]["rotation"], &[0.0, half, 0.0, half]);
    near(&json!([seat["result"]["turned_deg"]]), &[90.0]);
    // The head's +Z is the world's +X.
    let (after, head) = done(&scene, "place.face", &json!({"node": "n_3", "target": [0, 0, 5]}));
    near(&json!([head["result"]["turned_deg"]]), &[-90.0]);
    let forward = after.scene.world_from_node(scene_document::NodeId(3)).column(2).into_owned();
    near(&json!([forward.x, forward.y, forward.z]), &[0.0, 0.0, 2.0]);
    refusal(&scene, "place.face", &json!({"node": "n_5", "target": [1, 0, 1]}), "UNSUPPORTED", "/node");
    refusal(&scene, "place.face", &json!({"node": "n_6", "target": [1, 0, 1]}), "DEGENERATE", "/node");
    refusal(&scene, "place.face", &json!({"node": "n_1", "target": [1, 2, 0]}), "DEGENERATE", "/target");
}
