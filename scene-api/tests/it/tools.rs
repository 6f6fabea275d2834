use crate::play::{done, near, played};
use scene_api::{Group, Workspace, call, tools};
use scene_document::NodeId;
use serde_json::{Value, json};

/// Uses every tool of the core at least once; node ids are given by the order.
fn every_tool() -> Vec<(&'static str, Value)> {
    vec![
        ("scene.create", json!({"name": "still life"})),
        ("node.create", json!({"name": "table", "translation": [1, 0, 0], "scale": [2, 2, 2]})),
        ("node.create", json!({"name": "top", "parent": "n_1", "rotation_euler_deg": [0, 90, 0]})),
        ("node.set_transform", json!({"node": "n_2", "translation": [3, 0, 0], "space": "world"})),
        (
            "material.create",
            json!({"name": "oak", "base_color_srgb": [0.5, 0.0, 1.0], "roughness": 0.7, "alpha_mode": "OPAQUE"}),
        ),
        (
            "mesh.add_primitive",
            json!({"node": "n_2", "shape": {"kind": "box", "size_m": [1, 0.1, 0.5]}, "material": "mat_1"}),
        ),
        ("node.create", json!({"name": "shard"})),
        (
            "mesh.set_data",
            json!({
                "node": "n_3",
                "positions": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
                "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
            }),
        ),
        ("material.assign", json!({"node": "n_3", "material": "mat_1"})),
        (
            "light.add",
            json!({
                "name": "key", "light": {"kind": "spot", "inner_cone_rad": 0.2, "outer_cone_rad": 0.5},
                "intensity": 800, "translation": [0, 5, 0], "target": [0, 0, 0],
            }),
        ),
        ("camera.add", json!({"name": "eye", "translation": [5, 0, 0], "target": [0, 0, 0]})),
        ("camera.look_at", json!({"camera": "n_5", "target": "n_2"})),
        ("query.overlaps", json!({"nodes": ["n_1"]})),
        ("scene.describe", json!({"page_size": 2})),
        ("scene.export", json!({"format": "glb"})),
        ("render.still", json!({"camera": "n_5", "pass": "id", "width": 64, "height": 48})),
        ("camera.frame", json!({"camera": "n_5", "nodes": ["n_2"], "azimuth_deg": 30, "elevation_deg": 20})),
        ("camera.set_active", json!({"camera": "n_5"})),
        ("node.set_parent", json!({"node": "n_3", "parent": "n_1"})),
        ("place.on", json!({"node": "n_3", "support": "n_2", "u": 0.25})),
        ("node.delete", json!({"node": "n_3"})),
        ("episode.submit", json!({})),
    ]
}

#[test]
fn every_tool_runs_and_counts_revisions() {
    let mut workspace = Workspace { has_renderer: true, ..Workspace::default() };
    let mut mutations = 0;
    for (count, (name, arguments)) in (1..).zip(every_tool()) {
        let info = tools(true).find(|tool| tool.name == name).unwrap();
        mutations += u64::from(!info.read_only);
        let (after, reply) = done(&workspace, name, &arguments);
        assert_eq!(reply["revision"], mutations, "{name}");
        assert_eq!(reply["budget"]["calls_left"], 200 - count, "{name}");
        assert_eq!(reply.get("consequences").is_some(), !info.read_only && name != "episode.submit", "{name}");
        if info.read_only {
            assert_eq!(after.scene.state_hash().0, workspace.scene.state_hash().0, "{name}");
        }
        workspace = after;
    }
    assert!(workspace.submitted);
    let used: Vec<&str> = every_tool().iter().map(|(name, _)| *name).collect();
    for tool in tools(true).filter(|tool| tool.group == Group::Core) {
        assert!(used.contains(&tool.name), "{} has no example", tool.name);
    }
}

#[test]
fn schemas_are_closed_objects_that_know_the_examples() {
    for tool in tools(true) {
        let schema = (tool.schema)();
        assert_eq!(schema["type"], "object", "{}", tool.name);
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        assert!(!schema.to_string().contains("$ref"), "{} is not self-contained", tool.name);
        assert!(!tool.description.contains('\n') && !tool.description.contains("  "), "{}", tool.name);
        for (_, arguments) in every_tool().iter().filter(|(name, _)| *name == tool.name) {
            for member in arguments.as_object().unwrap().keys() {
                assert!(schema["properties"][member].is_object(), "{} does not know {member}", tool.name);
            }
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(arguments.get(required.as_str().unwrap()).is_some(), "{} lacks {required}", tool.name);
            }
        }
    }
    let shapes = (tools(true).find(|tool| tool.name == "mesh.add_primitive").unwrap().schema)();
    for kind in ["box", "plane", "uv_sphere", "cylinder", "cone", "torus", "wedge", "capsule", "tube", "ico_sphere"] {
        assert!(shapes.to_string().contains(&format!("\"{kind}\"")), "{kind} is missing");
    }
}

#[test]
fn a_call_is_pure() {
    let workspace = played(&every_tool()[..6]);
    let arguments = json!({"node": "n_2", "shape": {"kind": "torus", "ring_radius_m": 0.3, "tube_radius_m": 0.1, "segments": 16, "sides": 8}});
    let first = call(&workspace, "mesh.add_primitive", &arguments.to_string());
    let second = call(&workspace, "mesh.add_primitive", &arguments.to_string());
    assert_eq!(first.1, second.1);
    assert_eq!(first.0.scene.state_hash().0, second.0.scene.state_hash().0);
    assert_eq!(first.1.json["result"]["triangles"], 16 * 8 * 2);
}

#[test]
fn rotations_and_frames_are_as_documented() {
    let (workspace, _) = done(
        &Workspace::default(),
        "node.create",
        &json!({"name": "a", "rotation_euler_deg": [90, 90, 0], "translation": [1, 0, 0], "scale": [2, 2, 2]}),
    );
    let (workspace, _) = done(&workspace, "node.create", &json!({"name": "b", "parent": "n_1"}));
    let (workspace, reply) = done(
        &workspace,
        "node.set_transform",
        &json!({"node": "n_2", "translation": [1, 0, 4], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1], "space": "world"}),
    );
    near(&json!(workspace.scene.node(NodeId(1)).unwrap().transform.rotation), &[0.5, 0.5, 0.5, 0.5]);
    near(&reply["result"]["world_translation_m"], &[1.0, 0.0, 4.0]);
    near(&reply["result"]["transform"]["scale"], &[0.5, 0.5, 0.5]);
    let world = workspace.scene.world_from_node(NodeId(2));
    near(&json!(world.column(0).iter().collect::<Vec<&f64>>()), &[1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn cameras_look_where_they_are_told() {
    let half = 0.5_f64.sqrt();
    for (eye, rotation) in [
        ([0.0, 0.0, 5.0], [0.0, 0.0, 0.0, 1.0]),
        ([5.0, 0.0, 0.0], [0.0, half, 0.0, half]),
        ([0.0, 5.0, 0.0], [-half, 0.0, 0.0, half]),
    ] {
        let made = played(&[("camera.add", json!({"name": "eye", "translation": eye}))]);
        let (_, reply) = done(&made, "camera.look_at", &json!({"camera": "n_1", "target": [0, 0, 0]}));
        near(&reply["result"]["rotation"], &rotation);
    }
    // Under a parent of uneven scale the direction is still exact.
    let made = played(&[
        (
            "node.create",
            json!({"name": "rig", "scale": [1, 3, 2], "rotation_euler_deg": [0, 30, 20], "translation": [1, 1, 1]}),
        ),
        ("camera.add", json!({"name": "eye", "parent": "n_1", "translation": [2, 1, 4], "target": [-1, 0.5, 2]})),
    ]);
    let world = made.scene.world_from_node(NodeId(2));
    let forward = -world.fixed_view::<3, 1>(0, 2).into_owned().normalize();
    let wanted = nalgebra::Vector3::new(-1.0, 0.5, 2.0) - world.fixed_view::<3, 1>(0, 3).into_owned();
    assert!((forward - wanted.normalize()).norm() < 1e-12);
    assert_eq!(made.scene.active_camera(), Some(NodeId(2)));
}

#[test]
fn srgb_colours_become_linear() {
    let made = played(&every_tool()[..5]);
    let color = made.scene.materials().values().next().unwrap().base_color;
    near(&json!(color), &[0.214_041_140_482_232_5, 0.0, 1.0, 1.0]);
}

#[test]
fn description_comes_in_pages() {
    let scene = played(&every_tool()[..14]);
    let (_, first) = done(&scene, "scene.describe", &json!({"page_size": 3}));
    assert_eq!(first["result"]["nodes"].as_array().unwrap().len(), 3);
    assert_eq!(
        first["result"]["totals"],
        json!({"nodes": 5, "meshes": 2, "materials": 1, "lights": 1, "cameras": 1, "triangles": 16})
    );
    assert_eq!(first["result"]["active_camera"], "n_5");
    assert_eq!(first["result"]["materials"][0]["id"], "mat_1");
    let table = &first["result"]["nodes"][0];
    assert_eq!((&table["id"], &table["name"], &table["mesh"]), (&json!("n_1"), &json!("table"), &Value::Null));
    // The top, 1 × 0.1 × 0.5 m turned by 90° about y and doubled, stands at x = 3.
    near(&table["world_aabb_m"]["min"], &[2.5, -0.1, -1.0]);
    near(&table["world_aabb_m"]["max"], &[3.5, 0.1, 1.0]);
    let token = first["result"]["next_page_token"].clone();
    let (_, second) = done(&scene, "scene.describe", &json!({"page_size": 3, "page_token": token}));
    let ids: Vec<&Value> = second["result"]["nodes"].as_array().unwrap().iter().map(|node| &node["id"]).collect();
    assert_eq!(ids, ["n_4", "n_5"]);
    assert_eq!(second["result"]["next_page_token"], Value::Null);
    assert!(second["result"].get("totals").is_none());
    let (_, one) = done(&scene, "scene.describe", &json!({"nodes": ["n_3"]}));
    assert_eq!(one["result"]["nodes"].as_array().unwrap().len(), 1);
    assert_eq!(one["result"]["nodes"][0]["mesh"]["primitives"], json!([{"kind": "triangles"}]));
}

#[test]
fn an_export_is_valid_and_names_its_hash() {
    let scene = played(&every_tool()[..12]);
    let (_, reply) = done(&scene, "scene.export", &json!({}));
    let glb = scene_document::gltf::write_glb(&scene.scene).unwrap();
    assert_eq!(reply["result"]["bytes"], glb.len());
    assert_eq!(reply["result"]["blake3"], blake3::hash(&glb).to_hex().as_str());
    let issues = reply["result"]["issues"].as_array().unwrap();
    assert!(issues.iter().all(|issue| issue["severity"] != "error"), "{issues:?}");
}

#[test]
fn a_new_scene_starts_from_nothing_but_the_ids() {
    let (fresh, reply) = done(&played(&every_tool()[..12]), "scene.create", &json!({}));
    assert_eq!(fresh.scene.nodes().size(), 0);
    assert_eq!(reply["budget"], json!({"calls_left": 187, "triangles_left": 1_000_000, "nodes_left": 2000}));
    assert_eq!(reply["result"]["removed"], json!(["n_1", "n_2", "n_3", "n_4", "n_5"]));
    let changed = json!(["n_1", "n_2", "n_3", "n_4", "n_5", "m_1", "m_2", "mat_1", "lgt_1", "cam_1"]);
    assert_eq!(reply["changed"], changed);
    let (_, made) = done(&fresh, "node.create", &json!({"name": "first"}));
    assert_eq!(made["changed"], json!(["n_6"]));
}

#[test]
fn a_move_is_added_in_world_space_after_the_rest() {
    let made = played(&[
        ("node.create", json!({"name": "rig", "scale": [2, 2, 2], "rotation_euler_deg": [0, 90, 0]})),
        ("node.create", json!({"name": "a", "parent": "n_1", "translation": [1, 0, 0]})),
    ]);
    // The rig turns +X to -Z and doubles it.
    let (_, described) = done(&made, "scene.describe", &json!({"nodes": ["n_2"]}));
    near(&described["result"]["nodes"][0]["world_translation_m"], &[0.0, 0.0, -2.0]);
    let (_, moved) = done(&made, "node.set_transform", &json!({"node": "n_2", "move_by_m": [0.5, 0, 0]}));
    near(&moved["result"]["world_translation_m"], &[0.5, 0.0, -2.0]);
    let both = json!({"node": "n_2", "translation": [0, 1, 0], "move_by_m": [0, 0, 3]});
    near(&done(&made, "node.set_transform", &both).1["result"]["world_translation_m"], &[0.0, 2.0, 3.0]);
}

#[test]
fn schemas_say_the_ranges_and_nothing_internal() {
    let schema = |name: &str| (tools(true).find(|tool| tool.name == name).unwrap().schema)();
    for tool in tools(true) {
        let text = (tool.schema)().to_string();
        assert!(!text.contains("::") && !text.contains("Args"), "{}: {text}", tool.name);
    }
    let shapes = schema("mesh.add_primitive");
    let kinds = shapes["properties"]["shape"]["oneOf"].as_array().unwrap();
    let members =
        |kind: &str| &kinds.iter().find(|shape| shape["properties"]["kind"]["const"] == kind).unwrap()["properties"];
    assert_eq!(members("box")["size_m"]["items"]["exclusiveMinimum"], 0);
    assert_eq!(members("cone")["radius_m"]["exclusiveMinimum"], 0);
    let of = |range: &Value| (range["minimum"].clone(), range["maximum"].clone());
    assert_eq!(of(&members("torus")["segments"]), (json!(3), json!(256)));
    assert_eq!(of(&members("uv_sphere")["rings"]), (json!(2), json!(128)));
    assert_eq!(of(&schema("scene.describe")["properties"]["page_size"]), (json!(1), json!(100)));
    let material = schema("material.create");
    assert_eq!(of(&material["properties"]["base_color"]["items"]), (json!(0), json!(1)));
    assert_eq!(of(&material["properties"]["roughness"]), (json!(0), json!(1)));
}
