//! The built-in tasks: what they ask for can be built, and is paid.

use crate::logs::{Log, NAMES, call, component, task_grade, values};
use rl_protocol::ToolCall;
use scene_api::{SceneTask, play};
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn five_tasks_are_built_in_by_id() {
    let ids: Vec<String> = SceneTask::built_in().unwrap().into_iter().map(|task| task.id).collect();
    assert_eq!(ids, NAMES.map(|name| format!("scene/{name}")));
}

#[test]
fn prompts_name_every_required_object() {
    for task in SceneTask::built_in().unwrap() {
        for object in &task.objects {
            assert!(task.prompt.contains(&format!("\"{}\"", object.name)), "{}: {}", task.id, object.name);
        }
    }
}

#[test]
fn prompts_name_every_part_and_its_size() {
    for name in NAMES {
        let path = format!("{}/../assets/tasks/scene/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let task: toml::Table = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let prompt = task["prompt"].as_str().unwrap();
        let parts = task["predicate"].as_array().unwrap().iter().filter(|it| it["kind"].as_str() == Some("part"));
        for part in parts {
            let quoted = format!("\"{}", part["name"].as_str().unwrap().trim_end_matches('*'));
            assert!(prompt.contains(&quoted), "{name}: {quoted}");
            let sides: Vec<String> =
                part["size_m"].as_array().unwrap().iter().map(|side| side.as_float().unwrap().to_string()).collect();
            let (size, cube) = (format!("{} m", sides.join(" × ")), format!("({} m", sides[0]));
            assert!(prompt.contains(&size) || prompt.contains(&cube), "{name}: {quoted}: {size}");
        }
    }
}

#[test]
fn reference_logs_score_at_least_nine_tenths() {
    for name in NAMES {
        let reward = Log::reference(name).reward();
        println!("{name}: {:?}", reward.outcome);
        for (component, value) in values(&reward) {
            println!("  {component:<12} {value:.6}");
        }
        for gate in reward.gates.iter().filter(|gate| !gate.passed) {
            println!("  gate {} failed: {:?}", gate.name, gate.evidence);
        }
        for evidence in reward.components.iter().flat_map(|component| &component.evidence) {
            println!("  {}: {} ({})", evidence.component, evidence.message, evidence.fix);
        }
        assert!(reward.value().unwrap() >= 0.9, "{name}");
        assert_eq!(task_grade(&reward), 1.0, "{name}: {:?}", component(&reward, "task").evidence);
    }
}

#[test]
fn an_unknown_task_names_the_nearest() {
    let error = SceneTask::by_id("scene/tabel").unwrap_err().to_string();
    assert!(error.contains("scene/table"), "{error}");
}

const AT: &str = "kind = \"at\"\nobject = \"x\"\nposition_m = [0.0, 0.0, 0.0]\ntolerance_m = 0.1";
const TASK: &str = r#"
id = "scene/x"
split = "train"
prompt = "x"
profile = "r3d/0"
ground_y_m = 0.0
bounds_m = { min = [0.0, 0.0, 0.0], max = [1.0, 1.0, 1.0] }
[[object]]
name = "x"
size_m = [1.0, 1.0, 1.0]
[[predicate]]
kind = "at"
object = "x"
position_m = [0.0, 0.0, 0.0]
tolerance_m = 0.1
"#;

#[test]
fn faulty_tasks_are_refused() {
    SceneTask::from_toml(TASK).unwrap();
    for (right, wrong, expected) in [
        ("profile = \"r3d/0\"", "profile = \"r3d/9\"", "r3d/9"),
        ("object = \"x\"", "object = \"y\"", "\"y\""),
        ("profile = \"r3d/0\"", "profile = \"r3d/0\"\ncalls = 0", "0 calls"),
        ("max = [1.0, 1.0, 1.0]", "max = [1.0, 0.0, 1.0]", "bounds"),
        ("size_m = [1.0, 1.0, 1.0]", "size_m = [1.0, 0.0, 1.0]", "positive"),
        ("kind = \"at\"", "kind = \"near\"", "near"),
        ("tolerance_m = 0.1", "tolerance_m = 0.1\nslack_m = 1.0", "slack_m"),
        ("tolerance_m = 0.1", "tolerance_m = 0.0", "not positive"),
        (AT, "kind = \"below\"\nobject = \"x\"\nparents = []", "a list is empty"),
        ("profile = \"r3d/0\"", "profile = \"file/0\"", "scores no tasks"),
        ("split = \"train\"", "splt = \"train\"", "splt"),
    ] {
        let error = SceneTask::from_toml(&TASK.replace(right, wrong)).unwrap_err();
        assert!(error.to_string().contains(expected), "{wrong}: {error}");
    }
}

#[test]
fn a_task_may_allow_more_calls() {
    let log = Log::reference("table-and-chairs");
    let looks = vec![call("scene.describe", json!({})); 500];
    let late = log.with_calls(&[&looks[..250], &log.calls[..]].concat());
    assert!(late.reward().value().unwrap() >= 0.9);
    let mut too_late = late.with_calls(&[&looks[..], &log.calls[..1]].concat()).tool_calls();
    let (workspace, replies, _) = play(&log.task, &too_late, 0);
    assert_eq!(replies.last().unwrap().json["error"]["allowed"], "at most 500 calls");
    assert_eq!((workspace.calls_left(), workspace.has_ended()), (0, true));
    too_late.truncate(200);
    let (workspace, ..) = play(&Log::reference("table").task, &too_late, 0);
    assert!(workspace.has_ended(), "other tasks allow 200");
}

/// A cube of 1 m on the ground and one of 0.5 m on it, with two knobs of 0.1 m on that; all white.
fn two_cubes() -> Vec<Value> {
    let mut calls = vec![call("material.create", json!({ "name": "white", "base_color": [1.0, 1.0, 1.0, 1.0] }))];
    let cubes = [("x", None, [0.0, 0.5, 0.0], 1.0), ("y", None, [0.0, 1.25, 0.0], 0.5)];
    let knobs = [("knob_1", Some("n_2"), [0.2, 0.3, 0.0], 0.1), ("knob_2", Some("n_2"), [-0.2, 0.3, 0.0], 0.1)];
    for (index, (name, parent, place, side)) in cubes.into_iter().chain(knobs).enumerate() {
        let shape = json!({ "kind": "box", "size_m": [side, side, side] });
        let mut made = json!({ "name": name, "translation": place });
        if let Some(parent) = parent {
            made["parent"] = json!(parent);
        }
        let node = format!("n_{}", index + 1);
        calls.push(call("node.create", made));
        calls.push(call("mesh.add_primitive", json!({ "node": node, "shape": shape, "material": "mat_1" })));
    }
    calls
}

/// T of a task with this predicate alone, of the two cubes.
fn grade(predicate: &str) -> f64 {
    grade_of(&two_cubes(), predicate)
}

fn grade_of(calls: &[Value], predicate: &str) -> f64 {
    let objects = TASK.split("[[predicate]]").next().unwrap();
    let second = "[[object]]\nname = \"y\"\nsize_m = [0.5, 0.5, 0.5]\n";
    let task = SceneTask::from_toml(&format!("{objects}{second}[[predicate]]\n{predicate}")).unwrap();
    let calls: Vec<ToolCall> = calls
        .iter()
        .map(|call| ToolCall {
            name: call["name"].as_str().unwrap().into(),
            arguments_json: call["arguments"].to_string(),
        })
        .collect();
    let (_, replies, reward) = play(&task, &calls, 0);
    assert!(replies.iter().all(|reply| reply.ok), "{replies:?}");
    task_grade(&reward)
}

/// Each is full within its tolerance, half at two and a half, zero at four.
#[test]
fn predicates_are_graded() {
    let x = r#"object = "x""#;
    for (what, expected) in [
        (format!("kind = 'at'\n{x}\nposition_m = [0.0, 0.5, 0.05]\ntolerance_m = 0.1"), 1.0),
        (format!("kind = 'at'\n{x}\nposition_m = [0.0, 0.5, 0.25]\ntolerance_m = 0.1"), 0.5),
        (format!("kind = 'at'\n{x}\nposition_m = [0.0, 0.5, 0.5]\ntolerance_m = 0.1"), 0.0),
        ("kind = 'on'\nobject = 'y'\nsupport = 'x'\ntolerance_m = 0.01".into(), 1.0),
        // The side of `y` is half of that of `x`: half its footprint along each axis.
        ("kind = 'on'\nobject = 'x'\nsupport = 'y'\ntolerance_m = 1.0".into(), 0.25 * (4.0 - 1.6) / 3.0),
        ("kind = 'on'\nobject = 'x'\nsupport = 'y'\ntolerance_m = 0.4".into(), 0.0),
        ("kind = 'distance'\na = 'x'\nb = 'y'\nmin_m = 0.0\nmax_m = 1.0\ntolerance_m = 0.1".into(), 1.0),
        ("kind = 'distance'\na = 'x'\nb = 'y'\nmin_m = 0.25\nmax_m = 1.0\ntolerance_m = 0.1".into(), 0.5),
        ("kind = 'distance'\na = 'x'\nb = 'y'\nmin_m = 0.4\nmax_m = 1.0\ntolerance_m = 0.1".into(), 0.0),
        ("kind = 'side'\nobject = 'y'\nof = 'x'\nside = '+x'\ntolerance_m = 0.75".into(), 1.0),
        ("kind = 'side'\nobject = 'y'\nof = 'x'\nside = '+x'\ntolerance_m = 0.3".into(), 0.5),
        ("kind = 'side'\nobject = 'y'\nof = 'x'\nside = '-z'\ntolerance_m = 0.1".into(), 0.0),
        (format!("kind = 'color'\n{x}\ncolor = [0.0, 0.0, 0.0]\ndelta_e = 100.1"), 1.0),
        (format!("kind = 'color'\n{x}\ncolor = [0.0, 0.0, 0.0]\ndelta_e = 40.0"), 0.5),
        (format!("kind = 'color'\n{x}\ncolor = [0.0, 0.0, 0.0]\ndelta_e = 20.0"), 0.0),
        ("kind = 'count'\nprefix = 'knob_'\nbelow = 'y'\ncount = 2".into(), 1.0),
        ("kind = 'count'\nprefix = 'knob_'\ncount = 4".into(), 0.5),
        ("kind = 'count'\nprefix = 'knob_'\nbelow = 'x'\ncount = 2".into(), 0.0),
        (format!("kind = 'size'\n{x}\ntolerance = 0.1"), 1.0),
    ] {
        let found = grade(&what);
        assert!((found - expected).abs() < 1e-4, "{what}: {found}, not {expected}");
    }
}

/// The knobs make the box of `y` 0.6 m high, so that it is filled by 0.127 of 0.15 m³. Its material has roughness 1 and
/// metallic 0.
#[test]
fn shapes_and_surfaces_are_graded() {
    let surface = |roughness: f64, metallic: f64| {
        format!("kind = 'surface'\nobject = 'y'\nroughness = {roughness}\nmetallic = {metallic}\ntolerance = 0.1")
    };
    for (what, expected) in [
        ("kind = 'fill'\nobject = 'x'\nshare = 1.0\ntolerance = 0.1".into(), 1.0),
        ("kind = 'fill'\nobject = 'x'\nshare = 0.75\ntolerance = 0.1".into(), 0.5),
        ("kind = 'fill'\nobject = 'x'\nshare = 0.5\ntolerance = 0.1".into(), 0.0),
        (format!("kind = 'fill'\nobject = 'y'\nshare = {}\ntolerance = 0.0001", 0.127 / 0.15), 1.0),
        (surface(1.0, 0.0), 1.0),
        (surface(0.75, 0.0), 0.75),
        (surface(0.5, 1.0), 0.0),
    ] {
        let found = grade(&what);
        assert!((found - expected).abs() < 1e-3, "{what}: {found}, not {expected}");
    }
}

#[test]
fn parents_are_graded_from_the_nearest_on() {
    let shape = json!({ "kind": "box", "size_m": [0.5, 0.5, 0.5] });
    let mut calls = two_cubes();
    calls.extend([
        call("node.delete", json!({ "node": "n_2" })),
        call("node.create", json!({ "name": "yard" })),
        call("node.create", json!({ "name": "shed", "parent": "n_5" })),
        call("node.create", json!({ "name": "y", "parent": "n_6", "translation": [2.0, 0.25, 0.0] })),
        call("mesh.add_primitive", json!({ "node": "n_7", "shape": shape })),
    ]);
    for (parents, expected) in [
        ("['shed']", 1.0),
        ("['yard', 'shed']", 1.0),
        ("['hall', 'shed']", 0.5),
        ("['yard', 'hall']", 0.0),
        ("['world', 'yard', 'shed']", 2.0 / 3.0),
    ] {
        let found = grade_of(&calls, &format!("kind = 'below'\nobject = 'y'\nparents = {parents}"));
        assert!((found - expected).abs() < 1e-9, "{parents}: {found}, not {expected}");
    }
    assert_eq!(grade("kind = 'below'\nobject = 'y'\nparents = ['x']"), 0.0);
}

/// Two point lights, and a camera that looks from z = 3 along the ground, 0.5 m above the middle of `x`.
#[test]
fn lights_and_cameras_are_graded() {
    let mut calls = two_cubes();
    for name in ["one", "two"] {
        calls.push(call("light.add", json!({ "name": name, "light": { "kind": "point" }, "intensity": 100 })));
    }
    calls.push(call("camera.add", json!({ "name": "camera", "translation": [0.0, 1.0, 3.0] })));
    let off_deg = libm::atan(0.5 / 3.0).to_degrees();
    for (what, expected) in [
        ("kind = 'lights'\nlight = 'point'\ncount = 2".into(), 1.0),
        ("kind = 'lights'\nlight = 'point'\ncount = 4".into(), 0.5),
        ("kind = 'lights'\nlight = 'spot'\ncount = 0".into(), 1.0),
        ("kind = 'lights'\nlight = 'directional'\ncount = 1".into(), 0.0),
        ("kind = 'camera_at'\nposition_m = [0.0, 1.0, 3.1]\ntolerance_m = 0.1".into(), 1.0),
        ("kind = 'camera_at'\nposition_m = [0.0, 1.0, 3.25]\ntolerance_m = 0.1".into(), 0.5),
        (format!("kind = 'camera_aims'\nobject = 'x'\ntolerance_deg = {}", off_deg * 1.01), 1.0),
        (format!("kind = 'camera_aims'\nobject = 'x'\ntolerance_deg = {}", off_deg / 2.5), 0.5),
    ] {
        let found = grade_of(&calls, &what);
        assert!((found - expected).abs() < 1e-4, "{what}: {found}, not {expected}");
    }
    // There is no camera.
    assert_eq!(grade("kind = 'camera_at'\nposition_m = [0.0, 1.0, 3.0]\ntolerance_m = 9.0"), 0.0);
    assert_eq!(grade("kind = 'camera_aims'\nobject = 'x'\ntolerance_deg = 90.0"), 0.0);
}

/// With its knobs `y` is 0.6 m high, where 0.5 m are asked for.
#[test]
fn the_size_is_graded_by_axis() {
    for (tolerance, expected) in [(0.4, 1.0), (0.08, (2.0 + 0.5) / 3.0), (0.05, 2.0 / 3.0)] {
        let found = grade(&format!("kind = 'size'\nobject = 'y'\ntolerance = {tolerance}"));
        assert!((found - expected).abs() < 1e-4, "{tolerance}: {found}, not {expected}");
    }
}

#[test]
fn parts_are_graded_by_their_worst() {
    let part = |name: &str, size: f64, centres: &str, tolerances: [f64; 2]| {
        let [size_tolerance, tolerance] = tolerances;
        grade(&format!(
            "kind = 'part'\nobject = 'y'\nname = '{name}'\nsize_m = [{size}, {size}, {size}]\ncentres_m = {centres}\n\
             size_tolerance_m = {size_tolerance}\ntolerance_m = {tolerance}"
        ))
    };
    let both = "[[-0.2, 1.55, 0.0], [0.2, 1.55, 0.0]]";
    for (what, found, expected) in [
        ("a set in another order", part("knob_*", 0.1, both, [0.01, 0.01]), 1.0),
        ("one by name", part("knob_1", 0.1, "[[0.2, 1.55, 0.0]]", [0.01, 0.01]), 1.0),
        ("one 25 mm off", part("knob_*", 0.1, "[[-0.2, 1.55, 0.0], [0.2, 1.55, 0.025]]", [0.01, 0.01]), 0.5),
        ("one far off", part("knob_*", 0.1, "[[-0.2, 1.55, 0.0], [0.2, 1.55, 0.3]]", [0.01, 0.01]), 0.0),
        ("25 mm too small", part("knob_*", 0.125, both, [0.01, 0.01]), 0.5),
        ("far too small", part("knob_*", 0.2, both, [0.01, 0.01]), 0.0),
        (
            "one too few",
            part("knob_*", 0.1, "[[-0.2, 1.55, 0.0], [0.2, 1.55, 0.0], [0.0, 1.55, 0.0]]", [0.01, 0.01]),
            0.0,
        ),
        ("one too many", part("knob_*", 0.1, "[[-0.2, 1.55, 0.0]]", [0.01, 0.01]), 0.5),
        ("none", part("leg_*", 0.1, both, [0.01, 0.01]), 0.0),
    ] {
        assert!((found - expected).abs() < 1e-4, "{what}: {found}, not {expected}");
    }
}

/// The names are numbered as the prompt numbers them, and what is said to be missing is a name that is free.
#[test]
fn numbered_parts_are_named_exactly() {
    let mut log = Log::reference("table");
    log.making("leg_2")["name"] = json!("leg_*");
    let reward = log.reward();
    let task = reward.components.iter().find(|component| component.name == "task").unwrap();
    assert!(task.value < 0.7, "{task:?}");
    assert!(task.evidence.iter().any(|evidence| evidence.fix.contains(r#"add a node named "leg_2""#)), "{task:?}");
}

/// Parts that are off because the whole object is do not each ask for a move of their own.
#[test]
fn an_object_out_of_place_is_moved_once() {
    let mut log = Log::reference("table-and-chairs");
    log.making("chair_2")["translation"] = json!([0.0, 0.1, -0.75]);
    let reward = log.reward();
    let fixes = reward.components.iter().flat_map(|component| &component.evidence).map(|evidence| &evidence.fix);
    let moves: BTreeSet<&String> = fixes.filter(|fix| fix.contains("move_by_m")).collect();
    assert_eq!(moves.len(), 1, "{moves:?}");
}
