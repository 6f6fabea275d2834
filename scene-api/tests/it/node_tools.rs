use crate::examples::node::{calls, refusals};
use crate::play::{done, near, played, refusal, refused};
use scene_api::{Limits, Workspace};
use scene_document::NodeId;
use scene_document::gltf::{self, write_glb};
use serde_json::{Value, json};

/// Of a point of the node, in world space.
fn in_world(workspace: &Workspace, id: u32, point: [f64; 3]) -> Vec<f64> {
    let world = workspace.scene.world_from_node(NodeId(id)).transform_point(&nalgebra::Point3::from(point));
    world.iter().copied().collect()
}

fn name_of(workspace: &Workspace, id: u32) -> &str {
    workspace.scene.node(NodeId(id)).unwrap().name.as_str()
}

/// `n_1` rig: at x = 1, turned by 90° about y (+X to −Z), doubled. `n_2`: a root at [3, 1, 0] with a box.
fn rig_and_box() -> Workspace {
    played(&[
        (
            "node.create",
            json!({"name": "rig", "translation": [1, 0, 0], "rotation_euler_deg": [0, 90, 0], "scale": [2, 2, 2]}),
        ),
        ("node.create", json!({"name": "box", "translation": [3, 1, 0]})),
        ("mesh.add_primitive", json!({"node": "n_2", "shape": {"kind": "box", "size_m": [1, 1, 1]}})),
    ])
}

#[test]
fn the_examples_are_as_they_say() {
    let workspace = played(&calls());
    for (name, arguments, code) in refusals() {
        assert_eq!(refused(&workspace, name, &arguments.to_string())["code"], code, "{name} {arguments}");
    }
    assert_eq!(workspace.scene.meshes().size(), 2, "all copies are linked");
    assert_eq!((name_of(&workspace, 7), name_of(&workspace, 13)), ("chair_2", "stool"));
    assert_eq!(workspace.scene.bake().meshes.len(), 10, "the stool is hidden");
}

#[test]
fn a_node_under_another_parent_stays_where_it_is() {
    let apart = rig_and_box();
    let (kept, reply) = done(&apart, "node.set_parent", &json!({"node": "n_2", "parent": "n_1"}));
    near(&in_world(&kept, 2, [0.0; 3]), &[3.0, 1.0, 0.0]);
    near(&in_world(&kept, 2, [0.5, 0.0, 0.0]), &[3.5, 1.0, 0.0]);
    let local = kept.scene.node(NodeId(2)).unwrap().transform;
    near(&local.translation, &[0.0, 0.5, 1.0]);
    near(&local.scale, &[0.5; 3]);
    assert_eq!((&reply["result"]["parent"], &reply["changed"]), (&json!("n_1"), &json!(["n_2"])));
    assert_eq!(reply["consequences"]["new_overlaps"], json!([]));

    let (root, _) = done(&kept, "node.set_parent", &json!({"node": "n_2"}));
    assert_eq!(root.scene.node(NodeId(2)).unwrap().parent, None);
    near(&in_world(&root, 2, [0.5, 0.0, 0.0]), &[3.5, 1.0, 0.0]);

    let as_it_is = json!({"node": "n_2", "parent": "n_1", "keep_world": false});
    near(&in_world(&done(&apart, "node.set_parent", &as_it_is).0, 2, [0.0; 3]), &[1.0, 2.0, -6.0]);
}

#[test]
fn no_parent_makes_a_cycle_a_shear_or_a_double_name() {
    let workspace = played(&[
        ("node.create", json!({"name": "flat", "scale": [3, 1, 1]})),
        ("node.create", json!({"name": "a", "parent": "n_1"})),
        ("node.create", json!({"name": "a", "rotation_euler_deg": [0, 45, 0]})),
        ("node.create", json!({"name": "b", "rotation_euler_deg": [0, 45, 0]})),
    ]);
    let under = |node: &str, parent: &str| json!({"node": node, "parent": parent});
    for (arguments, code) in [
        (under("n_1", "n_2"), "INVALID_ARGUMENT"),
        (under("n_1", "n_1"), "INVALID_ARGUMENT"),
        (under("n_3", "n_1"), "NAME_CONFLICT"),
        (under("n_4", "n_1"), "UNSUPPORTED"),
        (under("n_4", "n_9"), "NOT_FOUND"),
    ] {
        refusal(&workspace, "node.set_parent", &arguments, code, "/parent");
    }
    done(&workspace, "node.set_parent", &json!({"node": "n_4", "parent": "n_1", "keep_world": false}));
}

#[test]
fn a_duplicate_is_the_whole_subtree_moved_in_the_world() {
    let mut workspace = rig_and_box();
    for (name, arguments) in [
        ("node.set_parent", json!({"node": "n_2", "parent": "n_1"})),
        ("light.add", json!({"name": "bulb", "light": {"kind": "point"}, "intensity": 10, "parent": "n_2"})),
    ] {
        workspace = done(&workspace, name, &arguments).0;
    }
    let (linked, reply) = done(&workspace, "node.duplicate", &json!({"node": "n_2", "move_by_m": [0, 2, 0.5]}));
    assert_eq!(reply["result"]["node"], "n_4");
    assert_eq!((&reply["result"]["name"], &reply["result"]["nodes"]), (&json!("box_2"), &json!(["n_4", "n_5"])));
    assert_eq!(reply["changed"], json!(["n_4", "n_5", "lgt_2"]));
    near(&in_world(&linked, 4, [0.0; 3]), &[3.0, 3.0, 0.5]);
    near(&in_world(&linked, 2, [0.0; 3]), &[3.0, 1.0, 0.0]);
    let (bulb, of_copy) = (linked.scene.node(NodeId(5)).unwrap(), linked.scene.node(NodeId(4)).unwrap());
    assert_eq!((bulb.name.as_str(), bulb.parent, of_copy.parent), ("bulb", Some(NodeId(4)), Some(NodeId(1))));
    assert_eq!((linked.scene.meshes().size(), linked.scene.lights().size()), (1, 2));

    let own = json!({"node": "n_2", "name": "own", "meshes": "copied", "move_by_m": [0, 2, 0]});
    let (apart, _) = done(&workspace, "node.duplicate", &own);
    assert_eq!((name_of(&apart, 4), apart.scene.meshes().size()), ("own", 2));

    refusal(&workspace, "node.duplicate", &json!({"node": "n_2", "name": "box"}), "NAME_CONFLICT", "/name");
    let far = json!({"node": "n_2", "move_by_m": [0, 1000, 0]});
    refusal(&workspace, "node.duplicate", &far, "LIMIT_EXCEEDED", "/move_by_m");
}

#[test]
fn an_array_is_a_row_a_ring_or_a_spiral() {
    let leg = played(&[
        ("node.create", json!({"name": "leg_1", "translation": [0.2, 0.25, 0.1]})),
        ("mesh.add_primitive", json!({"node": "n_1", "shape": {"kind": "box", "size_m": [0.1, 0.5, 0.05]}})),
        ("node.create", json!({"name": "leg_3", "translation": [5, 0, 0]})),
    ]);
    let (ring, reply) = done(&leg, "node.array", &json!({"node": "n_1", "count": 4, "turn_deg": 90}));
    let copies = json!([
        {"node": "n_3", "name": "leg_2"}, {"node": "n_4", "name": "leg_4"}, {"node": "n_5", "name": "leg_5"},
    ]);
    assert_eq!(reply["result"]["copies"], copies, "leg_3 is taken");
    near(&in_world(&ring, 3, [0.0; 3]), &[0.1, 0.25, -0.2]);
    near(&in_world(&ring, 4, [0.0; 3]), &[-0.2, 0.25, -0.1]);
    near(&in_world(&ring, 5, [0.0; 3]), &[-0.1, 0.25, 0.2]);
    near(&in_world(&ring, 3, [0.05, 0.0, 0.0]), &[0.1, 0.25, -0.25]);
    assert_eq!(ring.scene.meshes().size(), 1);

    let (row, _) = done(&leg, "node.array", &json!({"node": "n_1", "count": 3, "step_m": [0, 0, -0.5]}));
    near(&in_world(&row, 4, [0.0; 3]), &[0.2, 0.25, -0.9]);

    let spiral = json!({"node": "n_1", "count": 3, "step_m": [0, 1, 0], "turn_deg": 180, "centre_m": [1, 0, 0]});
    let (spiral, _) = done(&leg, "node.array", &spiral);
    near(&in_world(&spiral, 3, [0.0; 3]), &[1.8, 1.25, -0.1]);
    near(&in_world(&spiral, 4, [0.0; 3]), &[0.2, 2.25, 0.1]);

    let (tilted, _) = done(&leg, "node.array", &json!({"node": "n_1", "count": 2, "turn_deg": 90, "axis": "x"}));
    near(&in_world(&tilted, 3, [0.0; 3]), &[0.2, -0.1, 0.25]);
}

#[test]
fn an_array_that_says_too_little_or_asks_too_much_is_refused() {
    let leg = played(&[("node.create", json!({"name": "leg"}))]);
    for (arguments, code, pointer) in [
        (json!({"node": "n_1", "count": 3}), "INVALID_ARGUMENT", ""),
        (json!({"node": "n_1", "count": 1, "turn_deg": 90}), "OUT_OF_RANGE", "/count"),
        (json!({"node": "n_1", "count": 3, "step_m": [0, 1, 0], "axis": "x"}), "INVALID_ARGUMENT", "/axis"),
        (json!({"node": "n_1", "count": 3, "step_m": [0, 600, 0]}), "LIMIT_EXCEEDED", "/step_m"),
        (json!({"node": "n_1", "count": 3, "turn_deg": 90, "axis": "up"}), "INVALID_ARGUMENT", "/axis"),
    ] {
        refusal(&leg, "node.array", &arguments, code, pointer);
    }
    let small = Workspace { limits: Limits { nodes: 3, ..Limits::default() }, ..leg };
    let row = |count: u32| json!({"node": "n_1", "count": count, "step_m": [1, 0, 0]});
    refusal(&small, "node.array", &row(4), "LIMIT_EXCEEDED", "/count");
    done(&small, "node.array", &row(3));
}

#[test]
fn a_mirror_image_is_across_a_plane_of_the_world() {
    let turned = played(&[
        ("node.create", json!({"name": "hook", "translation": [1, 2, 3], "rotation_euler_deg": [0, 30, 0]})),
        ("mesh.add_primitive", json!({"node": "n_1", "shape": {"kind": "wedge", "size_m": [1, 0.5, 0.25]}})),
        ("node.create", json!({"name": "tip", "parent": "n_1", "translation": [1, 0, 0]})),
    ]);
    let (copy, reply) = done(&turned, "node.mirror", &json!({"node": "n_1", "axis": "x", "at_m": 0.5}));
    assert_eq!((&reply["result"]["node"], &reply["result"]["name"]), (&json!("n_3"), &json!("hook_2")));
    near(&in_world(&copy, 3, [0.0; 3]), &[0.0, 2.0, 3.0]);
    // The tip is at 1 + cos 30°, 2, 3 - sin 30°.
    let cos_30_deg = 0.75_f64.sqrt();
    near(&in_world(&copy, 4, [0.0; 3]), &[-cos_30_deg, 2.0, 2.5]);
    near(&in_world(&copy, 1, [0.0; 3]), &[1.0, 2.0, 3.0]);
    let factors = copy.scene.node(NodeId(3)).unwrap().transform.scale;
    assert_eq!(factors.iter().filter(|factor| **factor < 0.0).count(), 1);

    let in_place = json!({"node": "n_1", "axis": "y", "at_m": 2, "in_place": true});
    let (there, reply) = done(&turned, "node.mirror", &in_place);
    assert_eq!((&reply["result"]["node"], reply["changed"].as_array().unwrap().len()), (&json!("n_1"), 1));
    near(&in_world(&there, 1, [0.0, 0.25, 0.0]), &[1.0, 1.75, 3.0]);
    let (back, _) = done(&there, "node.mirror", &in_place);
    near(&in_world(&back, 1, [0.5, 0.25, 0.1]), &in_world(&turned, 1, [0.5, 0.25, 0.1]));

    let named = json!({"node": "n_1", "axis": "x", "in_place": true, "name": "other"});
    refusal(&turned, "node.mirror", &named, "INVALID_ARGUMENT", "/name");
    refusal(&turned, "node.mirror", &json!({"node": "n_1", "axis": "x", "at_m": 1001}), "OUT_OF_RANGE", "/at_m");
    let under_flat = played(&[
        ("node.create", json!({"name": "flat", "scale": [2, 1, 1], "rotation_euler_deg": [0, 30, 0]})),
        ("node.create", json!({"name": "child", "parent": "n_1"})),
    ]);
    refusal(&under_flat, "node.mirror", &json!({"node": "n_2", "axis": "x"}), "UNSUPPORTED", "/node");
    done(&under_flat, "node.mirror", &json!({"node": "n_2", "axis": "y"}));
}

#[test]
fn a_new_name_is_unique_among_siblings() {
    let workspace = rig_and_box();
    let (renamed, reply) = done(&workspace, "node.rename", &json!({"node": "n_2", "name": "crate"}));
    assert_eq!((name_of(&renamed, 2), &reply["result"]["before"]), ("crate", &json!("box")));
    done(&workspace, "node.rename", &json!({"node": "n_2", "name": "box"}));
    refusal(&workspace, "node.rename", &json!({"node": "n_2", "name": "rig"}), "NAME_CONFLICT", "/name");
    refusal(&workspace, "node.rename", &json!({"node": "n_2", "name": " "}), "OUT_OF_RANGE", "/name");
}

#[test]
fn what_is_hidden_is_not_there_and_carries_nothing() {
    let standing = played(&[
        ("node.create", json!({"name": "plinth", "translation": [0, 0.5, 0]})),
        ("mesh.add_primitive", json!({"node": "n_1", "shape": {"kind": "box", "size_m": [1, 1, 1]}})),
        ("node.create", json!({"name": "ball", "translation": [0, 1.05, 0]})),
        ("mesh.add_primitive", json!({"node": "n_2", "shape": {"kind": "box", "size_m": [0.1, 0.1, 0.1]}})),
    ]);
    let hide = |visible: bool| json!({"node": "n_1", "visible": visible});
    let (hidden, reply) = done(&standing, "node.set_visibility", &hide(false));
    assert_eq!(reply["consequences"]["lost_support"], json!([{"node": "n_2", "name": "ball", "gap_m": 1.0}]));
    assert_eq!(reply["result"], json!({"node": "n_1", "visible": false, "hidden_by": "n_1"}));
    assert_eq!(hidden.scene.bake().meshes.len(), 1);
    let (_, bounds) = done(&hidden, "query.bounds", &json!({"nodes": ["n_1"]}));
    assert_eq!(bounds["result"]["all_m"], Value::Null);
    refusal(&hidden, "place.on", &json!({"node": "n_2", "support": "n_1"}), "NOT_FOUND", "/support");
    let (_, described) = done(&hidden, "scene.describe", &json!({}));
    let shown: Vec<&Value> =
        described["result"]["nodes"].as_array().unwrap().iter().map(|node| &node["visible"]).collect();
    assert_eq!(shown, [&json!(false), &json!(true)]);

    let (below, _) = done(&hidden, "node.set_parent", &json!({"node": "n_2", "parent": "n_1"}));
    let (_, reply) = done(&below, "node.set_visibility", &json!({"node": "n_2", "visible": true}));
    assert_eq!(reply["result"]["hidden_by"], "n_1");

    let (shown, reply) = done(&hidden, "node.set_visibility", &hide(true));
    assert_eq!(reply["consequences"]["lost_support"], json!([]));
    assert_eq!(shown.scene.state_hash(), standing.scene.state_hash());
}

#[test]
fn extras_are_kept_exported_shown_on_request_and_removed() {
    let bare = rig_and_box();
    let extras = json!({"part_number": "C-17", "tags": ["oak", {"year": 1987.5}], "none": null});
    let (kept, reply) = done(&bare, "node.set_extras", &json!({"node": "n_2", "extras": extras}));
    assert_eq!(reply["result"], json!({"node": "n_2", "bytes": extras.to_string().len()}));
    assert_eq!(reply["changed"], json!(["n_2"]));
    assert_ne!(kept.scene.state_hash().0, bare.scene.state_hash().0);
    assert_eq!(kept.scene.node(NodeId(2)).unwrap().extras(), Some(&extras));

    let shown = |workspace: &Workspace, arguments: Value| {
        done(workspace, "scene.describe", &arguments).1["result"]["nodes"][1].clone()
    };
    assert_eq!(shown(&kept, json!({"fields": ["extras"]})), json!({"id": "n_2", "extras": extras}));
    assert!(shown(&kept, json!({})).get("extras").is_none());

    let glb = write_glb(&kept.scene).unwrap();
    let read = gltf::read(&glb, &|_| None, &gltf::Limits::default()).unwrap();
    let boxed = read.scene.nodes().values().find(|node| node.name == "box").unwrap();
    assert_eq!(boxed.extras(), Some(&extras));

    let (copied, _) = done(&kept, "node.duplicate", &json!({"node": "n_2"}));
    assert_eq!(copied.scene.node(NodeId(3)).unwrap().extras(), Some(&extras));
    for without in [json!({"node": "n_2", "extras": null}), json!({"node": "n_2"})] {
        assert_eq!(done(&kept, "node.set_extras", &without).0.scene.state_hash().0, bare.scene.state_hash().0);
    }
    let deep = |levels: usize| (1..levels).fold(json!({}), |inner, _| json!({ "in": inner }));
    done(&bare, "node.set_extras", &json!({"node": "n_2", "extras": deep(8)}));
    for extras in [deep(9), json!({"note": "x".repeat(4096)})] {
        let arguments = json!({"node": "n_2", "extras": extras});
        refusal(&bare, "node.set_extras", &arguments, "LIMIT_EXCEEDED", "/extras");
    }
}
