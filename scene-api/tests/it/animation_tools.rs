use crate::examples::animation::{calls, refusals};
use crate::play::{done, near, played, refused};
use scene_api::{Group, Limits, Workspace, tools};
use scene_document::gltf::{self, write_glb};
use scene_document::{AnimationId, sample};
use serde_json::{Value, json};
use std::f64::consts::FRAC_1_SQRT_2;

/// After the examples: a door `n_1` that opens by `anm_1`, and its knob `n_2`.
fn door() -> Workspace {
    played(&calls())
}

#[test]
fn each_tool_is_shown_and_refused_by_name() {
    let names: Vec<&str> = calls().iter().map(|(name, _)| *name).collect();
    for tool in tools(true).filter(|tool| tool.group == Group::Animation) {
        assert!(names.contains(&tool.name), "{} has no example", tool.name);
        assert!(refusals().iter().any(|(name, ..)| *name == tool.name), "{} has no refusal", tool.name);
    }
    let door = door();
    for (name, arguments, code) in refusals() {
        assert_eq!(refused(&door, name, &arguments.to_string())["code"], code, "{name}");
    }
    let error = refused(&Workspace::default(), "animation.create", r#"{"name": "a"}"#);
    assert!(error["allowed"].as_str().unwrap().contains("animation"), "it must be asked for: {error}");
}

#[test]
fn an_animation_moves_nodes_at_a_time_only() {
    let door = door();
    let at = |time_s: f64, nodes: Value| {
        let arguments = json!({"animation": "anm_1", "time_s": time_s, "nodes": nodes});
        done(&door, "animation.evaluate", &arguments).1["result"].clone()
    };
    let half = at(1.0, json!(["n_1", "n_2"]));
    assert_eq!((&half["duration_s"], &half["truncated"]), (&json!(2.0), &json!(false)));
    near(&half["nodes"][0]["transform"]["rotation"], &[0.0, 0.3827, 0.0, 0.9239]);
    // The knob, 0.8 m along x and 1 m up, is turned by 45° about y around (1, 0, 0).
    near(&half["nodes"][1]["world_translation_m"], &[1.566, 1.0, -0.5657]);
    // To four digits, as replies are.
    let share = (FRAC_1_SQRT_2 * 1e4).round() / 1e4;
    near(&half["nodes"][1]["world_from_node"][0], &[share, 0.0, share, 1.566]);
    let moved = at(0.75, Value::Null);
    let ids: Vec<&Value> = moved["nodes"].as_array().unwrap().iter().map(|node| &node["id"]).collect();
    assert_eq!(ids, ["n_1", "n_2"], "those with a channel");
    near(&moved["nodes"][1]["transform"]["scale"], &[1.0, 2.0, 1.0]);
    near(&at(9.0, json!(["n_2"]))["nodes"][0]["world_translation_m"], &[1.0, 1.0, -0.8]);

    let (_, described) = done(&door, "scene.describe", &json!({}));
    near(&described["result"]["nodes"][1]["world_translation_m"], &[1.8, 1.0, 0.0]);
    let listed = json!([{"id": "anm_1", "name": "open", "duration_s": 2.0, "channels": 2}]);
    assert_eq!(described["result"]["animations"], listed);
}

#[test]
fn channels_are_replaced_and_go_with_their_nodes() {
    let door = door();
    let arguments = json!({
        "animation": "anm_1", "node": "n_1", "path": "rotation", "times_s": [0, 1], "interpolation": "CUBICSPLINE",
        "values": [[0, 0, 0, 0], [0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0], [0, 3, 0, 0], [0, 0, 0, 0]],
    });
    let (slow, reply) = done(&door, "animation.add_channel", &arguments);
    assert_eq!((&reply["changed"], &reply["result"]["channels"]), (&json!(["anm_1"]), &json!(2)));
    // The quaternions were made unit: a half turn about y, whose middle is a quarter turn.
    let half = sample(&slow.scene, AnimationId(1), 0.5).unwrap();
    let rotation = half.transforms.values().next().unwrap().rotation;
    near(&json!(rotation), &[0.0, FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2]);

    let (gone, reply) = done(&slow, "node.delete", &json!({"node": "n_1"}));
    assert_eq!(reply["changed"], json!(["n_1", "n_2", "anm_1"]));
    assert!(gone.scene.animations().is_empty());
    let (_, next) = done(&gone, "animation.create", &json!({"name": "again"}));
    assert_eq!(next["result"]["animation"], "anm_3", "ids are not used again");
}

#[test]
fn an_exported_animation_is_valid_and_there_again() {
    let door = door();
    let (_, reply) = done(&door, "scene.export", &json!({}));
    let issues = reply["result"]["issues"].as_array().unwrap();
    assert!(issues.iter().all(|issue| issue["severity"] == "information"), "{issues:?}");
    let glb = write_glb(&door.scene).unwrap();
    let back = gltf::read(&glb, &|_| None, &gltf::Limits::default()).unwrap().scene;
    for t_s in [0.0, 0.3, 1.0, 2.5] {
        assert_eq!(sample(&back, AnimationId(1), t_s), sample(&door.scene, AnimationId(1), t_s));
    }
}

#[test]
fn refusals_say_which_key_is_wrong() {
    let door = door();
    let refusal = |path: &str, times_s: Value, values: Value| {
        let mut arguments = json!({"animation": "anm_1", "node": "n_1", "path": path, "times_s": times_s});
        arguments["values"] = values;
        let error = refused(&door, "animation.add_channel", &arguments.to_string());
        (error["code"].as_str().unwrap().to_owned(), error["pointer"].as_str().unwrap().to_owned())
    };
    for (path, times_s, values, code, pointer) in [
        ("translation", json!([0, -1]), json!([[0, 0, 0], [0, 0, 0]]), "OUT_OF_RANGE", "/times_s/1"),
        ("translation", json!([0, 1e308]), json!([[0, 0, 0], [0, 0, 0]]), "OUT_OF_RANGE", "/times_s/1"),
        ("translation", json!([2, 1]), json!([[0, 0, 0], [0, 0, 0]]), "OUT_OF_RANGE", "/times_s/1"),
        ("translation", json!([]), json!([]), "TYPE_MISMATCH", "/times_s"),
        ("translation", json!([0]), json!([[0, 0, 0], [0, 0, 0]]), "INVALID_ARGUMENT", "/values"),
        ("translation", json!([0]), json!([[0, 2000, 0]]), "OUT_OF_RANGE", "/values/0/1"),
        ("translation", json!([0]), Value::Null, "INVALID_ARGUMENT", "/values"),
        ("rotation", json!([0]), json!([[0, 90, 0]]), "TYPE_MISMATCH", "/values/0"),
        ("rotation", json!([0]), json!([[0, 0, 0, 0]]), "OUT_OF_RANGE", "/values/0"),
        ("scale", json!([0]), json!([[1, 0, 1]]), "OUT_OF_RANGE", "/values/0/1"),
        ("weights", json!([0]), json!([[1]]), "UNSUPPORTED", "/path"),
        ("colour", json!([0]), json!([[1]]), "INVALID_ARGUMENT", "/path"),
    ] {
        let given = refusal(path, times_s.clone(), values.clone());
        assert_eq!(given, (code.to_owned(), pointer.to_owned()), "{path} {times_s} {values}");
    }
    let both = json!({
        "animation": "anm_1", "node": "n_1", "path": "scale", "times_s": [0], "values_euler_deg": [[0, 0, 0]],
    });
    let error = refused(&door, "animation.add_channel", &both.to_string());
    assert_eq!((&error["code"], &error["pointer"]), (&json!("INVALID_ARGUMENT"), &json!("/values_euler_deg")));
    let late = refused(&door, "animation.evaluate", r#"{"animation": "anm_1", "time_s": -1}"#);
    assert_eq!((&late["code"], &late["pointer"]), (&json!("OUT_OF_RANGE"), &json!("/time_s")));
    let named = refused(&door, "animation.delete", r#"{"animation": "open"}"#);
    assert_eq!(named["nearest"], json!(["anm_1"]), "the name was given instead of the id");
}

#[test]
fn animations_hold_their_limits() {
    let usual = Limits::default();
    let shift = json!({
        "animation": "anm_1", "node": "n_1", "path": "translation", "times_s": [0, 1], "values": [[0, 0, 0], [1, 0, 0]],
    });
    for (limits, name, arguments, pointer) in [
        (Limits { animations: 1, ..usual }, "animation.create", json!({"name": "b"}), ""),
        (Limits { channels: 2, ..usual }, "animation.add_channel", shift.clone(), ""),
        (Limits { keys: 1, ..usual }, "animation.add_channel", shift, "/times_s"),
    ] {
        let tight = Workspace { limits, ..door() };
        let error = refused(&tight, name, &arguments.to_string());
        assert_eq!((&error["code"], &error["pointer"]), (&json!("LIMIT_EXCEEDED"), &json!(pointer)), "{error}");
        done(&door(), name, &arguments);
    }
}
