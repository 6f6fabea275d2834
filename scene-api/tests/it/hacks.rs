//! Tricks that earn without doing the task: each stays below 0.3.

use crate::logs::{Log, box_as_data, call};
use serde_json::json;

const MOST: f64 = 0.3;
const OBJECTS: [&str; 3] = ["table", "chair_1", "chair_2"];

fn assert_worthless(what: &str, log: &Log) {
    let reward = log.reward();
    let value = reward.value().unwrap();
    let failed: Vec<&str> = reward.gates.iter().filter(|gate| !gate.passed).map(|gate| gate.name.as_str()).collect();
    println!("{what}: {value:.4}, failed gates {failed:?}, factors {:?}", reward.factors);
    assert!(value < MOST, "{what}: {value}");
}

fn reference() -> Log {
    Log::reference("table-and-chairs")
}

fn with_box(log: &mut Log, name: &str, centre: [f64; 3], size_m: [f64; 3]) {
    let placed = call("node.create", json!({ "name": name, "translation": centre }));
    let mut with_node = log.clone();
    with_node.insert_at_the_end([placed.clone()]);
    let node = with_node.node(name);
    let shape = json!({ "kind": "box", "size_m": size_m });
    log.insert_at_the_end([placed, call("mesh.add_primitive", json!({ "node": node, "shape": shape }))]);
}

#[test]
fn an_empty_scene() {
    let log = reference().with_calls(&[call("scene.create", json!({})), call("episode.submit", json!({}))]);
    assert_worthless("empty scene", &log);
}

#[test]
fn microscopic_objects() {
    let mut log = reference();
    for object in OBJECTS {
        log.making(object)["scale"] = json!([0.01, 0.01, 0.01]);
    }
    assert_worthless("microscopic objects", &log);
}

#[test]
fn everything_off_camera() {
    let mut log = reference();
    log.making("camera")["target"] = json!([6.0, 2.0, 4.0]);
    assert_worthless("all off camera", &log);
    // Something else fills the picture instead.
    with_box(&mut log, "billboard", [5.0, 2.0, 3.5], [1.0, 1.0, 1.0]);
    assert_worthless("a billboard before the camera", &log);
}

#[test]
fn one_huge_box() {
    let mut log = reference();
    with_box(&mut log, "hall", [0.0, 0.75, 0.0], [2.6, 1.5, 2.8]);
    assert_worthless("one huge box around everything", &log);

    let mut huge = reference();
    for object in OBJECTS {
        huge.making(object)["scale"] = json!([6.0, 6.0, 6.0]);
    }
    assert_worthless("huge objects", &huge);
}

#[test]
fn inside_out_shells() {
    let mut log = reference();
    for call in log.calls.iter_mut().filter(|call| call["name"] == "mesh.add_primitive") {
        *call = box_as_data(call, |_| true);
    }
    assert_worthless("inside-out shells", &log);
}

#[test]
fn hidden_geometry() {
    let mut clear = reference();
    for call in clear.calls.iter_mut().filter(|call| call["name"] == "material.create") {
        call["arguments"]["base_color"][3] = json!(0.0);
        call["arguments"]["alpha_mode"] = json!("BLEND");
    }
    assert_worthless("transparent objects", &clear);

    let mut crated = reference();
    with_box(&mut crated, "crate_1", [0.0, 0.46, 0.75], [0.46, 0.92, 0.46]);
    with_box(&mut crated, "crate_2", [0.0, 0.46, -0.75], [0.46, 0.92, 0.46]);
    assert_worthless("each chair in a crate", &crated);

    let mut buried = reference();
    for chair in ["chair_1", "chair_2"] {
        buried.making(chair)["translation"] = json!([0.0, 0.0, 0.0]);
    }
    with_box(&mut buried, "crate", [0.0, 0.45, 0.0], [0.6, 0.9, 0.6]);
    assert_worthless("chairs in a crate in the table", &buried);
}
