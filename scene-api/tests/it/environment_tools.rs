//! `light.set_environment`: what it does, what it is measured as, and what it earns.

use crate::logs::{Log, call, component};
use crate::play::{boxes, done, near, played, refusal, then};
use rl_protocol::Reward;
use scene_api::{Groups, Workspace};
use scene_document::Environment;
use scene_document::gltf::{Limits, read, write_glb, write_gltf};
use serde_json::{Value, json};
use std::f64::consts::PI;

fn lit(workspace: &Workspace, luminance_cd_m2: f64) -> Workspace {
    done(workspace, "light.set_environment", &json!({"luminance_cd_m2": luminance_cd_m2})).0
}

fn asked(workspace: &Workspace, tool: &str, arguments: &Value) -> Value {
    done(workspace, tool, arguments).1["result"].clone()
}

#[test]
fn an_environment_is_set_told_and_taken_away() {
    let dark = boxes(&[([0.0; 3], [1.0; 3])]);
    let dusk = json!({"luminance_cd_m2": 12, "color": [1, 0.5, 0.25]});
    let (first, reply) = done(&dark, "light.set_environment", &dusk);
    let told = json!({"luminance_cd_m2": 12.0, "color": [1.0, 0.5, 0.25]});
    assert_eq!(reply["result"], json!({"environment": told, "before": null}));
    assert_eq!(reply["changed"], json!(["environment"]));
    assert_eq!(first.scene.lights().size(), 0, "it is no light on a node");
    assert_eq!(asked(&first, "scene.describe", &json!({}))["environment"], told);
    assert!(asked(&dark, "scene.describe", &json!({})).get("environment").is_none());

    let (second, reply) = done(&first, "light.set_environment", &json!({"luminance_cd_m2": 3}));
    let white = json!({"luminance_cd_m2": 3.0, "color": [1.0, 1.0, 1.0]});
    assert_eq!(reply["result"], json!({"environment": white, "before": told}));
    let (none, reply) = done(&second, "light.set_environment", &json!({"luminance_cd_m2": 0}));
    assert_eq!(reply["result"], json!({"environment": null, "before": white}));
    assert_eq!(none.scene.state_hash(), dark.scene.state_hash());

    let (back, reply) = done(&none, "history.undo", &json!({"count": 2}));
    assert_eq!((back.scene.state_hash(), &reply["changed"]), (first.scene.state_hash(), &json!(["environment"])));
    assert_eq!(done(&first, "scene.create", &json!({})).0.scene.environment(), None);

    let saved = done(&first, "checkpoint.save", &json!({"name": "dusk"})).0;
    let differs =
        |workspace: &Workspace| asked(workspace, "scene.diff", &json!({"checkpoint": "dusk"}))["differences"].clone();
    assert_eq!(differs(&saved), json!([]));
    assert_eq!(differs(&lit(&saved, 3.0)), json!([{"id": "environment", "change": "changed"}]));
    assert_eq!(differs(&lit(&saved, 0.0)), json!([{"id": "environment", "change": "deleted"}]));

    for (arguments, pointer) in [
        (json!({"luminance_cd_m2": -1}), "/luminance_cd_m2"),
        (json!({"luminance_cd_m2": 2e9}), "/luminance_cd_m2"),
        (json!({"luminance_cd_m2": 1, "color": [0, 2, 0]}), "/color/1"),
    ] {
        refusal(&dark, "light.set_environment", &arguments, "OUT_OF_RANGE", pointer);
    }
}

#[test]
fn a_light_of_a_file_that_is_taken_away_is_told() {
    let made = played(&[("light.set_environment", json!({"luminance_cd_m2": 15}))]);
    let (mut file, blob) = write_gltf(&made.scene).unwrap();
    file["buffers"][0]["uri"] = json!("image.bin");
    file["extensions"]["EXT_lights_image_based"]["lights"][0]["specularImageSize"] = json!(16);
    let import = read(file.to_string().as_bytes(), &|_| Some(blob.clone()), &Limits::default()).unwrap();
    assert_eq!((import.scene.environment(), import.scene.is_surrounded()), (None, true));
    let kept = Workspace { scene: import.scene, groups: Groups::all(), ..Workspace::default() };
    let saved = done(&kept, "checkpoint.save", &json!({"name": "file"})).0;
    for (luminance_cd_m2, change) in [(0.0, "deleted"), (3.0, "changed")] {
        let differs = asked(&lit(&saved, luminance_cd_m2), "scene.diff", &json!({"checkpoint": "file"}));
        assert_eq!(differs["differences"], json!([{"id": "environment", "change": change}]));
    }
}

#[test]
fn an_environment_is_delivered() {
    let environment = Environment { color: [0.8, 0.9, 1.0], luminance_cd_m2: 15.0 };
    let made = played(&[("light.set_environment", json!({"luminance_cd_m2": 15, "color": [0.8, 0.9, 1]}))]);
    let import = read(&write_glb(&made.scene).unwrap(), &|_| None, &Limits::default()).unwrap();
    assert_eq!((import.scene.environment(), import.not_evaluated.len()), (Some(environment), 0));
}

#[test]
fn an_environment_is_measured_by_what_it_adds() {
    // A white matt floor and, beside it, one of albedo 0.1.
    let floors = boxes(&[([0.0, -0.05, 0.0], [4.0, 0.1, 4.0]), ([4.0, -0.05, 0.0], [4.0, 0.1, 4.0])]);
    let floors = then(
        &floors,
        &[
            ("material.create", json!({"name": "dark", "base_color": [0.1, 0.1, 0.1]})),
            ("material.assign", json!({"node": "n_2", "material": "mat_1"})),
            ("camera.add", json!({"name": "eye", "translation": [2, 5, 0.1], "target": [2, 0, 0]})),
        ],
    );
    let measured = |workspace: &Workspace, nodes: Value| {
        let found = asked(workspace, "query.lighting", &json!({"nodes": nodes}));
        json!([found["median_cd_m2"], found["contrast_log2"], found["environment_cd_m2"]])
    };
    let around = lit(&floors, 18.0);
    near(&measured(&around, json!(["n_1"])), &[18.0, 0.0, 18.0]);
    near(&measured(&around, json!(["n_2"])), &[1.8, 0.0, 18.0]);
    let both = measured(&around, json!(["n_1", "n_2"]));
    assert_eq!(both[1], 0.0, "colours alone are no contrast under an environment: {both}");

    let sun = json!({
        "name": "sun", "light": {"kind": "directional"}, "intensity": 12.0 * PI, "translation": [0, 5, 0],
        "target": [0, 0, 0],
    });
    let sunny = done(&floors, "light.add", &sun).0;
    let without = asked(&sunny, "query.lighting", &json!({"nodes": ["n_1", "n_2"]}));
    assert!(
        without["contrast_log2"].as_f64().unwrap() > 3.0 && without.get("environment_cd_m2").is_none(),
        "{without}"
    );
    near(&measured(&lit(&sunny, 6.0), json!(["n_1"])), &[18.0, 0.0, 6.0]);
}

fn lighting(log: &Log) -> f64 {
    component(&log.reward(), "lighting").value
}

/// The crate under the group `look`, with an environment too.
fn crate_under(environment: Value) -> Log {
    let mut log = Log::reference("crate");
    log.task.tool_groups = vec!["look".into()];
    log.insert_at_the_end([call("light.set_environment", environment)]);
    log
}

#[test]
fn a_little_environment_fills_the_shadows() {
    let filled = lighting(&crate_under(json!({"luminance_cd_m2": 5})));
    let plain = lighting(&Log::reference("crate"));
    assert!(filled > 0.8 && filled >= plain - 1e-9, "{filled}, and {plain} without");
}

#[test]
fn a_fix_of_the_exposure_names_the_environment_too() {
    let mut log = crate_under(json!({"luminance_cd_m2": 0.5, "color": [0.5, 0.75, 1]}));
    log.making("key")["intensity"] = json!(100.0);
    log.making("fill")["intensity"] = json!(30.0);
    let exposure = |reward: &Reward| {
        let evidence = component(reward, "lighting").evidence.iter().find(|e| e.unit.starts_with("EV"));
        evidence.map(|evidence| evidence.fix.clone())
    };
    let fix = exposure(&log.reward()).unwrap();
    let (_, calls) = fix.split_once(": ").unwrap();
    // The calls can be made as they stand.
    let calls = calls.replace("}, light.", "}\nlight.");
    let calls: Vec<Value> = calls
        .lines()
        .map(|line| {
            let (name, arguments) = line.split_once(' ').unwrap();
            call(name, arguments.parse().unwrap())
        })
        .collect();
    let names: Vec<&str> = calls.iter().map(|call| call["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["light.update", "light.update", "light.set_environment"], "{fix}");
    assert_eq!(calls[2]["arguments"]["color"], json!([0.5, 0.75, 1.0]));
    log.insert_at_the_end(calls);
    assert_eq!(exposure(&log.reward()), None);
}
