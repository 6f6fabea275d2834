//! `scene.describe`: which nodes are listed, what is said of them, how long a page is.

use crate::play::{done, played, refused};
use scene_api::Workspace;
use serde_json::{Value, json};

/// `n_1` table without a mesh, `n_2` its top, `n_3` a lamp, `n_4` a camera.
fn room() -> Workspace {
    played(&[
        ("node.create", json!({"name": "table"})),
        ("node.create", json!({"name": "Table top", "parent": "n_1", "translation": [0, 1, 0]})),
        ("mesh.add_primitive", json!({"node": "n_2", "shape": {"kind": "box", "size_m": [1, 0.1, 1]}})),
        ("light.add", json!({"name": "lamp", "light": {"kind": "point"}, "intensity": 9, "translation": [0, 3, 0]})),
        ("camera.add", json!({"name": "eye", "translation": [0, 1, 5]})),
        ("material.create", json!({"name": "oak"})),
    ])
}

fn ids(result: &Value) -> Vec<&str> {
    result["nodes"].as_array().unwrap().iter().map(|node| node["id"].as_str().unwrap()).collect()
}

#[test]
fn filters_choose_the_nodes() {
    let room = room();
    let top = json!({"min_m": [-0.5, 0.95, -0.5], "max_m": [0.5, 1.05, 0.5]});
    for (filter, wanted) in [
        (json!({}), vec!["n_1", "n_2", "n_3", "n_4"]),
        (json!({"name": "TABLE"}), vec!["n_1", "n_2"]),
        (json!({"below": "n_1"}), vec!["n_2"]),
        (json!({"kind": "mesh"}), vec!["n_2"]),
        (json!({"kind": "light"}), vec!["n_3"]),
        (json!({"kind": "camera"}), vec!["n_4"]),
        (json!({"kind": "empty"}), vec!["n_1"]),
        (json!({"inside": top}), vec!["n_1", "n_2"]),
        (json!({"inside": {"min_m": [-1, 0, -1], "max_m": [1, 1.04, 1]}}), vec![]),
        (json!({"inside": {"min_m": [-1, 2, -1], "max_m": [1, 4, 1]}}), vec!["n_3"]),
        (json!({"name": "table", "kind": "mesh"}), vec!["n_2"]),
        (json!({"name": "lamp", "kind": "mesh"}), vec![]),
    ] {
        let (_, reply) = done(&room, "scene.describe", &json!({ "filter": filter }));
        assert_eq!(ids(&reply["result"]), wanted, "{filter}");
        assert_eq!(reply["result"]["matching"], wanted.len(), "{filter}");
    }
    let (_, both) = done(&room, "scene.describe", &json!({"nodes": ["n_1", "n_3"], "filter": {"name": "a"}}));
    assert_eq!(ids(&both["result"]), ["n_1", "n_3"]);
    let first = json!({"filter": {"name": "table"}, "page_size": 1});
    let (_, first) = done(&room, "scene.describe", &first);
    assert_eq!((&first["result"]["matching"], &first["result"]["next_page_token"]), (&json!(2), &json!("n_1")));
}

#[test]
fn fields_choose_what_is_said() {
    let room = room();
    let members = |of: &Value| {
        let mut names: Vec<String> = of.as_object().unwrap().keys().cloned().collect();
        names.sort();
        names
    };
    let (_, reply) = done(&room, "scene.describe", &json!({"fields": ["name", "world_aabb_m"]}));
    for node in reply["result"]["nodes"].as_array().unwrap() {
        assert_eq!(members(node), ["id", "name", "world_aabb_m"]);
    }
    assert!(reply["result"].get("materials").is_none());
    assert_eq!(reply["result"]["totals"]["nodes"], 4);
    let (_, reply) = done(&room, "scene.describe", &json!({"fields": ["materials"]}));
    assert_eq!(members(&reply["result"]["nodes"][0]), ["id"]);
    assert_eq!(reply["result"]["materials"][0]["name"], "oak");
    // Every field that can be asked for is one that is there.
    let (_, whole) = done(&room, "scene.describe", &json!({}));
    let all =
        ["name", "parent", "visible", "transform", "world_translation_m", "world_aabb_m", "mesh", "light", "camera"];
    let (_, asked) = done(&room, "scene.describe", &json!({ "fields": all }));
    assert_eq!(asked["result"]["nodes"], whole["result"]["nodes"]);
}

#[test]
fn pages_end_early_where_they_would_be_long() {
    let mut workspace = Workspace::default();
    for index in 0..100 {
        let name = format!("{index}{}", "é".repeat(120));
        workspace = done(&workspace, "node.create", &json!({ "name": name })).0;
    }
    let (mut seen, mut pages, mut token) = (Vec::new(), 0, Value::Null);
    loop {
        let (_, reply) = done(&workspace, "scene.describe", &json!({"page_size": 100, "page_token": token}));
        let result = &reply["result"];
        let length = result["nodes"].to_string().len();
        assert!(length <= (32 << 10) + 200, "{length}");
        seen.extend(ids(result).into_iter().map(str::to_owned));
        pages += 1;
        token = result["next_page_token"].clone();
        if token.is_null() {
            break;
        }
        assert!(length > 30 << 10, "{length}");
    }
    let wanted: Vec<String> = (1..=100).map(|index| format!("n_{index}")).collect();
    assert_eq!(seen, wanted);
    assert!(pages > 1);
}

#[test]
fn what_cannot_be_listed_is_refused_with_its_place() {
    let room = room();
    for (arguments, code, pointer) in [
        (json!({"filter": {"below": "n_9"}}), "NOT_FOUND", "/filter/below"),
        (json!({"filter": {"kind": "lamp"}}), "INVALID_ARGUMENT", "/filter/kind"),
        (json!({"filter": {"colour": "red"}}), "INVALID_ARGUMENT", "/filter/colour"),
        (json!({"filter": "table"}), "TYPE_MISMATCH", "/filter"),
        (
            json!({"filter": {"inside": {"min_m": [0, 1, 0], "max_m": [1, 0, 1]}}}),
            "OUT_OF_RANGE",
            "/filter/inside/max_m/1",
        ),
        (json!({"filter": {"inside": {"min_m": [0, 1, 0]}}}), "INVALID_ARGUMENT", "/filter/inside/max_m"),
        (json!({"fields": ["names"]}), "INVALID_ARGUMENT", "/fields/0"),
    ] {
        let error = refused(&room, "scene.describe", &arguments.to_string());
        assert_eq!((&error["code"], &error["pointer"]), (&json!(code), &json!(pointer)), "{arguments}: {error}");
    }
}
