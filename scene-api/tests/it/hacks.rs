//! Tricks that earn without doing the task: each stays below 0.3, and below 0.5 where half of the task is done.

use crate::logs::{Log, box_as_data, call, component};
use rl_protocol::{Outcome, Reward};
use scene_api::{Profile, play, score_glb};
use serde_json::{Value, json};

const MOST: f64 = 0.3;
const HALF: f64 = 0.5;
const OBJECTS: [&str; 3] = ["table", "chair_1", "chair_2"];

fn assert_worthless(what: &str, log: &Log) {
    assert_below(MOST, what, log);
}

fn assert_below(most: f64, what: &str, log: &Log) {
    let reward = log.reward();
    let value = reward.value().unwrap();
    let failed: Vec<&str> = reward.gates.iter().filter(|gate| !gate.passed).map(|gate| gate.name.as_str()).collect();
    println!("{what}: {value:.4}, failed gates {failed:?}, factors {:?}", reward.factors);
    assert!(value < most, "{what}: {value}");
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

#[test]
fn a_block_with_specks_for_legs() {
    let mut log = Log::reference("table");
    log.rebuild("top", [0.0, 0.37, 0.0], [1.2, 0.74, 0.8]);
    for (name, x) in [("leg_1", -0.3), ("leg_2", -0.1), ("leg_3", 0.1), ("leg_4", 0.3)] {
        log.rebuild(name, [x, 0.75, 0.0], [0.02, 0.02, 0.02]);
    }
    assert_below(HALF, "table as a block with specks for legs", &log);
}

#[test]
fn a_leg_away_from_its_corner() {
    let mut log = Log::reference("table");
    log.making("leg_1")["translation"] = json!([-0.2, 0.35, -0.1]);
    assert_below(HALF, "leg_1 away from its corner", &log);
}

#[test]
fn chairs_as_plain_boxes() {
    let mut log = reference();
    for chair in ["chair_1", "chair_2"] {
        log.rebuild(&format!("{chair}_seat"), [0.0, 0.45, 0.0], [0.44, 0.9, 0.44]);
        let others = ["back", "leg_1", "leg_2", "leg_3", "leg_4"].map(|part| format!("{chair}_{part}"));
        log.delete(&others.each_ref().map(String::as_str));
    }
    assert_below(HALF, "chairs as plain boxes", &log);
}

#[test]
fn shelf_and_lamp_as_blocks() {
    let mut log = Log::reference("shelf-lamp");
    log.rebuild("side_1", [0.0, 0.6, 0.0], [0.8, 1.2, 0.3]);
    for (name, x) in [("board_1", -0.3), ("board_2", -0.1), ("board_3", 0.1), ("board_4", 0.3)] {
        log.rebuild(name, [x, 0.01, 0.16], [0.02, 0.02, 0.02]);
    }
    log.rebuild("lamp_base", [0.0, 0.225, 0.0], [0.24, 0.45, 0.24]);
    log.delete(&["side_2", "lamp_stem", "lamp_shade"]);
    assert_below(HALF, "shelf and lamp as blocks", &log);
}

#[test]
fn corners_for_a_crate() {
    let mut log = Log::reference("crate");
    log.rebuild("crate", [0.4, 0.3, -0.2], [0.01, 0.01, 0.01]);
    let parent = log.node("crate");
    for corner in 0..8_u32 {
        let place = [0, 1, 2].map(|axis: u32| if (corner >> axis) & 1 == 1 { 0.25 } else { -0.25 });
        let name = format!("corner_{corner}");
        let placed = call("node.create", json!({ "name": name, "parent": parent, "translation": place }));
        log.insert_at_the_end([placed]);
        let shape = json!({ "kind": "box", "size_m": [0.1, 0.1, 0.1] });
        let node = log.node(&name);
        log.insert_at_the_end([call("mesh.add_primitive", json!({ "node": node, "shape": shape }))]);
    }
    assert_below(HALF, "eight corners for a crate", &log);
}

#[test]
fn glowing_cubes_without_light() {
    let mut log = Log::reference("tower");
    log.calls.retain(|call| call["name"] != "light.add");
    for (call, strength) in log.calls.iter_mut().filter(|call| call["name"] == "material.create").zip([18.0, 28.8, 9.0])
    {
        call["arguments"]["emissive"] = json!([1.0, 1.0, 1.0]);
        call["arguments"]["emissive_strength"] = json!(strength);
    }
    assert_worthless("emission instead of light", &log);
    let lighting = component(&log.reward(), "lighting").value;
    assert!(lighting == 0.0 && lighting.is_sign_positive(), "{lighting}");
}

#[test]
fn an_environment_instead_of_light() {
    for (task, around_cd_m2) in [("crate", 60.0), ("tower", 40.0), ("table-and-chairs", 40.0)] {
        let mut lamps = Log::reference(task);
        lamps.task.tool_groups = vec!["look".into()];
        lamps.insert_at_the_end([call("light.set_environment", json!({ "luminance_cd_m2": around_cd_m2 }))]);
        let mut alone = lamps.clone();
        alone.calls.retain(|call| call["name"] != "light.add");
        assert_worthless("an environment alone", &alone);
        let reward = alone.reward();
        let lighting = component(&reward, "lighting");
        assert_eq!(lighting.value, 0.0);
        assert!(lighting.evidence[0].message.contains("no light but its environment"), "{lighting:?}");

        // Lamps that change nothing: what is left are the objects' colours.
        for lamp in lamps.calls.iter_mut().filter(|call| call["name"] == "light.add") {
            lamp["arguments"]["intensity"] = json!(1e-3);
        }
        assert_worthless("an environment and lamps that are hardly on", &lamps);
    }
}

/// The crate as parts below an empty node: each a centre relative to the crate's, and a size.
fn crate_of(parts: &[([f64; 3], [f64; 3])]) -> Log {
    let mut log = Log::reference("crate");
    log.calls.retain(|call| call["name"] != "mesh.add_primitive");
    for (index, (centre, size_m)) in parts.iter().enumerate() {
        let name = format!("part_{index}");
        log.insert_at_the_end([call("node.create", json!({ "name": name, "parent": "n_1", "translation": centre }))]);
        let (node, shape) = (log.node(&name), json!({ "kind": "box", "size_m": size_m }));
        let arguments = json!({ "node": node, "shape": shape, "material": "mat_1" });
        log.insert_at_the_end([call("mesh.add_primitive", arguments)]);
    }
    log
}

#[test]
fn coincident_plates_are_no_joint() {
    let plate = ([0.0, 0.0, 0.0], [0.6, 0.6, 0.05]);
    let reward = crate_of(&[plate; 3]).reward();
    assert_eq!(component(&reward, "overlap").value, 0.0);
}

/// Two halves of 0.3 m, sunk into each other by this share of that.
#[test]
fn a_joint_ends_without_a_cliff() {
    let overlap = |share: f64| {
        let size_m = [0.6, 0.3, 0.6];
        let reward = crate_of(&[([0.0, -0.15, 0.0], size_m), ([0.0, 0.15 - 0.3 * share, 0.0], size_m)]).reward();
        component(&reward, "overlap").value
    };
    assert_eq!(overlap(0.09), 1.0);
    assert!((overlap(0.15) - 0.5).abs() < 1e-3, "{}", overlap(0.15));
    assert_eq!(overlap(0.21), 0.0);
}

/// A lamp of 0.2 × 0.2 × 0.2 m in the reference's place, whole or in ten layers that touch, sunk 1 mm into the shelf.
#[test]
fn an_object_of_parts_sinks_as_a_whole_one() {
    let overlap = |layers: u32| {
        let mut log = Log::reference("shelf-lamp");
        log.delete(&["lamp_base", "lamp_stem", "lamp_shade"]);
        let height_m = 0.2 / f64::from(layers);
        for layer in 0..layers {
            let y = 1.199 + height_m * (f64::from(layer) + 0.5);
            with_box(&mut log, &format!("layer_{layer}"), [0.2, y, 0.0], [0.2, height_m, 0.2]);
            let lamp = log.node("lamp");
            let made = log.making(&format!("layer_{layer}"));
            made["parent"] = json!(lamp);
            made["translation"] = json!([0.0, y - 1.2, 0.0]);
        }
        component(&log.reward(), "overlap").value
    };
    let whole = overlap(1);
    // 1 mm of 200 mm, of 5 % that cost everything, for both objects.
    assert!((whole - 0.9).abs() < 1e-3, "{whole}");
    assert!((overlap(10) - whole).abs() < 1e-3, "{} and {whole}", overlap(10));
}

#[test]
fn a_camera_inside_the_crate() {
    let mut log = Log::reference("crate");
    log.calls.retain(|call| call["name"] != "light.add");
    *log.making("camera") =
        json!({ "name": "camera", "yfov_deg": 120, "translation": [0.62, 0.55, 0.02], "target": [0.3, 0.2, -0.3] });
    let light = json!({ "kind": "point" });
    let lamp = json!({ "name": "key", "light": light, "intensity": 20, "translation": [0.3, 0.4, -0.1] });
    log.insert_at_the_end([call("light.add", lamp)]);
    assert_worthless("a camera inside the crate", &log);
    assert_eq!(component(&log.reward(), "visibility").value, 0.0);
}

#[test]
fn a_veil_is_no_crate() {
    let mut log = Log::reference("crate");
    let material = log.calls.iter_mut().find(|call| call["name"] == "material.create").unwrap();
    material["arguments"]["base_color"][3] = json!(0.06);
    material["arguments"]["alpha_mode"] = json!("BLEND");
    assert_worthless("a crate of alpha 0.06", &log);
}

#[test]
fn floating_junk() {
    let mut log = Log::reference("crate");
    for index in 0..40_u32 {
        let place = [-1.2 + 0.1 * f64::from(index % 8), 1.0 + 0.1 * f64::from(index / 8), -1.0];
        with_box(&mut log, &format!("junk_{index}"), place, [0.05, 0.05, 0.05]);
    }
    let reward = log.reward();
    assert_eq!(component(&reward, "support").value, 0.0);
    assert_below(HALF, "forty floating boxes", &log);
}

#[test]
fn a_second_crate() {
    let clean = Log::reference("crate").reward().value().unwrap();
    let mut log = Log::reference("crate");
    with_box(&mut log, "crate_2", [-1.0, 0.3, -1.0], [0.6, 0.6, 0.6]);
    assert_below(clean - 0.1, "two crates", &log);
}

/// The file of a reference log with its JSON chunk changed.
fn changed(log: &Log, change: impl FnOnce(&mut Value)) -> Reward {
    let (workspace, ..) = play(&log.task, &log.tool_calls(), 0);
    let glb = scene_document::gltf::write_glb(&workspace.scene).unwrap();
    let length = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let end = 20 + length(12);
    let mut document: Value = serde_json::from_slice(&glb[20..end]).unwrap();
    change(&mut document);
    let mut json = serde_json::to_vec(&document).unwrap();
    json.resize(json.len().next_multiple_of(4), b' ');
    let whole = u32::try_from(20 + json.len() + glb.len() - end).unwrap();
    let json_length = u32::try_from(json.len()).unwrap();
    let header = [&glb[..8], &whole.to_le_bytes(), &json_length.to_le_bytes(), &glb[16..20]].concat();
    let file = [header.as_slice(), &json, &glb[end..]].concat();
    score_glb(&file, &|_| None, Some(&log.task), &Profile::for_task(Some(&log.task)), 0)
}

#[test]
fn what_is_not_evaluated_is_refused_by_name() {
    let transmission = |document: &mut Value| {
        document["extensionsUsed"] = json!(["KHR_lights_punctual", "KHR_materials_transmission"]);
        document["materials"][0]["extensions"]["KHR_materials_transmission"] = json!({ "transmissionFactor": 1.0 });
    };
    let reward = changed(&Log::reference("crate"), transmission);
    let export = &reward.gates[0];
    assert!(!export.passed && reward.value().unwrap() < MOST, "{reward:?}");
    let named = export.evidence.iter().any(|e| e.message.contains("KHR_materials_transmission"));
    assert!(named && export.evidence.iter().any(|e| e.pointer.starts_with("/materials/0")), "{export:?}");

    // A brown wood that mirrors another colour.
    for (name, painted) in [
        ("KHR_materials_ior", json!({ "ior": 0 })),
        ("KHR_materials_specular", json!({ "specularColorFactor": [0, 25, 0] })),
    ] {
        let paint = |document: &mut Value| {
            document["extensionsUsed"] = json!(["KHR_lights_punctual", name]);
            document["materials"][0]["extensions"][name] = painted.clone();
        };
        let reward = changed(&Log::reference("table"), paint);
        let export = &reward.gates[0];
        assert!(!export.passed && reward.value().unwrap() < MOST, "{reward:?}");
        assert!(export.evidence.iter().any(|evidence| evidence.message.contains(name)), "{export:?}");
    }

    let unknown = |document: &mut Value| {
        document["extensionsUsed"] = json!(["KHR_lights_punctual", "EXT_unknown"]);
        document["extensionsRequired"] = json!(["EXT_unknown"]);
    };
    let reward = changed(&Log::reference("crate"), unknown);
    assert!(matches!(reward.outcome, Outcome::Value(value) if value < MOST), "{reward:?}");
    assert!(!reward.gates[0].passed && !reward.gates[0].evidence.is_empty(), "{reward:?}");
}

#[test]
fn an_empty_node_does_not_take_the_objects_name() {
    let mut log = Log::reference("crate");
    // Made first, so that it has the smaller id.
    log.making("crate")["name"] = json!("empty");
    log.insert_at_the_end([call("node.create", json!({ "name": "holder" }))]);
    let parent = log.node("holder");
    let real = json!({ "name": "crate", "parent": parent, "translation": [0.4, 0.3, -0.2] });
    log.insert_at_the_end([call("node.create", real)]);
    let node = log.node("crate");
    for mesh in log.calls.iter_mut().filter(|call| call["name"] == "mesh.add_primitive") {
        mesh["arguments"]["node"] = json!(node);
    }
    let mesh = log.calls.iter().position(|call| call["name"] == "mesh.add_primitive").unwrap();
    let mesh = log.calls.remove(mesh);
    log.insert_at_the_end([mesh]);
    log.making("empty")["name"] = json!("crate");
    assert!(log.reward().value().unwrap() >= 0.9, "{:?}", log.reward());
}

#[test]
fn evidence_has_the_workspaces_ids_after_a_deletion() {
    let mut log = Log::reference("table-and-chairs");
    log.delete(&["leg_1"]);
    log.making("chair_2")["translation"][1] = json!(0.1);
    let (workspace, _, reward) = play(&log.task, &log.tool_calls(), 0);
    let chair = log.node("chair_2");
    let floating = &component(&reward, "support").evidence[0];
    assert_eq!(floating.ids, std::slice::from_ref(&chair));
    assert!(floating.fix.contains(&format!("\"node\":\"{chair}\"")), "{floating:?}");
    let known: Vec<String> = workspace.scene.nodes().keys().map(ToString::to_string).collect();
    let ids = reward.components.iter().flat_map(|component| &component.evidence).flat_map(|evidence| &evidence.ids);
    for id in ids {
        assert!(known.contains(id), "{id} is not in {known:?}");
    }
}
