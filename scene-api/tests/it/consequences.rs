use crate::play::{done, played};
use scene_api::Workspace;
use serde_json::{Value, json};

/// Table `n_1` (top `n_2` with its upper face at y = 0.74, legs `n_3`–`n_6` on the ground) and an empty cup `n_7`.
fn table_and_cup(cup_y_m: f64) -> Workspace {
    let mut calls = vec![
        ("node.create", json!({"name": "table"})),
        ("node.create", json!({"name": "top", "parent": "n_1", "translation": [0, 0.72, 0]})),
        ("mesh.add_primitive", json!({"node": "n_2", "shape": {"kind": "box", "size_m": [1.2, 0.04, 0.8]}})),
    ];
    for (node, (x, z)) in (3..).zip([(-0.55, -0.35), (0.55, -0.35), (0.55, 0.35), (-0.55, 0.35)]) {
        let name = format!("leg_{node}");
        calls.push(("node.create", json!({"name": name, "parent": "n_1", "translation": [x, 0.35, z]})));
        let shape = json!({"kind": "box", "size_m": [0.06, 0.7, 0.06]});
        calls.push(("mesh.add_primitive", json!({"node": format!("n_{node}"), "shape": shape})));
    }
    calls.push(("node.create", json!({"name": "cup", "translation": [0, cup_y_m, 0]})));
    played(&calls)
}

fn with_cup(workspace: &Workspace) -> (Workspace, Value) {
    let shape = json!({"kind": "cylinder", "radius_m": 0.04, "height_m": 0.1, "segments": 32});
    done(workspace, "mesh.add_primitive", &json!({"node": "n_7", "shape": shape}))
}

fn nothing() -> Value {
    json!({"new_overlaps": [], "lost_support": [], "floating": [], "truncated": false})
}

#[test]
fn a_sunken_cup_is_a_new_overlap_once() {
    let (sunken, reply) = with_cup(&table_and_cup(0.789));
    let overlaps = reply["consequences"]["new_overlaps"].as_array().unwrap();
    assert_eq!(overlaps.len(), 1, "{reply}");
    let found = &overlaps[0];
    assert_eq!((&found["a"], &found["b"]), (&json!("n_7"), &json!("n_2")));
    assert_eq!((&found["a_name"], &found["b_name"]), (&json!("cup"), &json!("top")));
    assert!((found["thickness_m"].as_f64().unwrap() - 0.001).abs() < 1e-6, "{found}");
    // Area of the regular 32-gon × 1 mm.
    let area_m2 = 0.5 * 32.0 * 0.04 * 0.04 * 0.195_090_322;
    let volume_m3 = found["volume_m3"].as_f64().unwrap();
    assert!((volume_m3 / (area_m2 * 0.001) - 1.0).abs() < 2e-3, "{volume_m3}");
    assert_eq!(found["fix"], r#"node.set_transform {"node":"n_7","move_by_m":[0,0.001,0]}"#);

    let fix = found["fix"].as_str().unwrap().split_once(' ').unwrap();
    let (_, cleared) = done(&sunken, fix.0, &serde_json::from_str(fix.1).unwrap());
    assert_eq!(cleared["result"]["world_translation_m"], json!([0.0, 0.79, 0.0]));
    assert_eq!(done(&sunken, "query.overlaps", &json!({})).1["result"]["overlaps"][0]["fix"], found["fix"]);

    let (_, again) = done(&sunken, "node.set_transform", &json!({"node": "n_7", "translation": [0.1, 0.789, 0]}));
    assert_eq!(again["consequences"]["new_overlaps"], json!([]), "it was there before");
    let (_, mended) = done(&sunken, "node.set_transform", &json!({"node": "n_7", "translation": [0, 0.79, 0]}));
    assert_eq!(mended["consequences"], nothing());
}

#[test]
fn a_joint_of_one_object_is_not_reported_but_queried() {
    let table = table_and_cup(0.79);
    // The top is 40 mm thick: 3.9 mm are within the 10 % of a joint, 20 mm are not.
    for (rise_m, reported) in [(0.0039, 0), (0.02, 1)] {
        let moved = json!({"node": "n_3", "translation": [-0.55, 0.35 + rise_m, -0.35]});
        let (after, reply) = done(&table, "node.set_transform", &moved);
        assert_eq!(reply["consequences"]["new_overlaps"].as_array().unwrap().len(), reported, "{reply}");
        let (_, all) = done(&after, "query.overlaps", &json!({"nodes": ["n_1"]}));
        assert_eq!(all["result"]["total"], 1);
        assert_eq!(all["result"]["overlaps"][0]["joint"], reported == 0);
        assert_eq!(all["result"]["overlaps"][0]["method"], "convex");
        let (_, elsewhere) = done(&after, "query.overlaps", &json!({"nodes": ["n_7"]}));
        assert_eq!(elsewhere["result"]["total"], 0);
    }
}

#[test]
fn a_table_moved_away_leaves_the_cup_without_support() {
    let (standing, reply) = with_cup(&table_and_cup(0.79));
    assert_eq!(reply["consequences"]["lost_support"], json!([]));
    let (_, reply) = done(&standing, "node.set_transform", &json!({"node": "n_1", "translation": [5, 0, 0]}));
    assert_eq!(reply["consequences"]["lost_support"], json!([{"node": "n_7", "name": "cup", "gap_m": 0.74}]));
    let (_, reply) = done(&standing, "node.delete", &json!({"node": "n_1"}));
    assert_eq!(reply["consequences"]["lost_support"][0]["name"], "cup");
}

#[test]
fn an_object_lifted_or_made_in_the_air_floats() {
    let (standing, _) = with_cup(&table_and_cup(0.79));
    let (lifted, reply) = done(&standing, "node.set_transform", &json!({"node": "n_7", "translation": [0, 0.89, 0]}));
    assert_eq!(reply["consequences"]["lost_support"], json!([{"node": "n_7", "name": "cup", "gap_m": 0.1}]));
    let (_, reply) = done(&lifted, "node.set_transform", &json!({"node": "n_7", "translation": [0, 0.99, 0]}));
    assert_eq!(reply["consequences"]["lost_support"], json!([]), "it floated before");
    assert_eq!(reply["consequences"]["floating"], json!([{"node": "n_7", "name": "cup", "gap_m": 0.2}]));
    let (_, reply) = with_cup(&table_and_cup(1.0));
    assert_eq!(reply["consequences"]["lost_support"], json!([]), "it never had any");
    assert_eq!(reply["consequences"]["floating"], json!([{"node": "n_7", "name": "cup", "gap_m": 0.21}]));
}

#[test]
fn what_changes_no_shape_has_no_consequences() {
    let (standing, _) = with_cup(&table_and_cup(0.789));
    let (painted, _) = done(&standing, "material.create", &json!({"name": "oak"}));
    for (name, arguments) in [
        ("material.assign", json!({"node": "n_7", "material": "mat_1"})),
        ("node.create", json!({"name": "empty", "parent": "n_1", "translation": [0, 0.72, 0]})),
        ("camera.add", json!({"name": "eye", "translation": [0, 1, 3]})),
    ] {
        let (_, reply) = done(&painted, name, &arguments);
        assert_eq!(reply["consequences"], nothing(), "{name}");
    }
}

#[test]
fn at_most_ten_are_listed() {
    let mut calls = Vec::new();
    for node in 1..=13 {
        calls.push(("node.create", json!({"name": format!("rod_{node}"), "translation": [f64::from(node), 0.5, 0]})));
        let shape = json!({"kind": "box", "size_m": [0.1, 1, 0.1]});
        calls.push(("mesh.add_primitive", json!({"node": format!("n_{node}"), "shape": shape})));
    }
    calls.push(("node.create", json!({"name": "beam", "translation": [7, 0.5, 0]})));
    let beam = json!({"node": "n_14", "shape": {"kind": "box", "size_m": [14, 0.2, 0.2]}});
    let (_, reply) = done(&played(&calls), "mesh.add_primitive", &beam);
    assert_eq!(reply["consequences"]["new_overlaps"].as_array().unwrap().len(), 10);
    assert_eq!(reply["consequences"]["truncated"], true);
}

#[test]
fn the_smaller_object_is_moved_whole() {
    // A block that reaches into the edge of the table's top.
    let mut workspace = table_and_cup(5.0);
    for (name, arguments) in [
        ("node.create", json!({"name": "block", "translation": [0.7, 0, 0]})),
        ("node.create", json!({"name": "body", "parent": "n_8", "translation": [0, 0.72, 0]})),
    ] {
        workspace = done(&workspace, name, &arguments).0;
    }
    let shape = json!({"node": "n_9", "shape": {"kind": "box", "size_m": [0.25, 0.02, 0.1]}});
    let (_, reply) = done(&workspace, "mesh.add_primitive", &shape);
    let found = &reply["consequences"]["new_overlaps"][0];
    assert_eq!((&found["a"], &found["b"]), (&json!("n_9"), &json!("n_2")), "{reply}");
    let fix = found["fix"].as_str().unwrap().split_once(' ').unwrap();
    let arguments: Value = serde_json::from_str(fix.1).unwrap();
    assert_eq!((fix.0, &arguments["node"]), ("node.set_transform", &json!("n_8")), "the root moves");
    let (after, _) = done(&workspace, "mesh.add_primitive", &shape);
    let (cleared, _) = done(&after, fix.0, &arguments);
    assert_eq!(done(&cleared, "query.overlaps", &json!({})).1["result"]["total"], 0);
}

#[test]
fn what_would_take_too_long_is_left_out_and_said() {
    // Moved together, 23 boxes that share volume are 253 pairs, and 24 are 276.
    let mut workspace = played(&[("node.create", json!({"name": "heap"}))]);
    for node in 2..=25 {
        let name = format!("box_{node}");
        let place = json!({"name": name, "parent": "n_1", "translation": [0, 0.5, 0.01 * f64::from(node)]});
        workspace = done(&workspace, "node.create", &place).0;
        let shape = json!({"kind": "box", "size_m": [1, 1, 1]});
        workspace = done(&workspace, "mesh.add_primitive", &json!({"node": format!("n_{node}"), "shape": shape})).0;
        if node >= 24 {
            let (_, reply) = done(&workspace, "node.set_transform", &json!({"node": "n_1", "move_by_m": [1, 0, 0]}));
            assert_eq!(reply["consequences"]["truncated"], node == 25);
            assert_eq!(reply["consequences"]["new_overlaps"], json!([]), "all were there before");
        }
    }
}
