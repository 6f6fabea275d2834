//! The built-in tasks: what they ask for can be built, and is paid.

use crate::logs::{Log, NAMES, values};
use scene_api::SceneTask;

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
    }
}

#[test]
fn an_unknown_task_names_the_nearest() {
    let error = SceneTask::by_id("scene/tabel").unwrap_err().to_string();
    assert!(error.contains("scene/table"), "{error}");
}

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
        ("max = [1.0, 1.0, 1.0]", "max = [1.0, 0.0, 1.0]", "bounds"),
        ("size_m = [1.0, 1.0, 1.0]", "size_m = [1.0, 0.0, 1.0]", "positive"),
        ("kind = \"at\"", "kind = \"near\"", "near"),
        ("tolerance_m = 0.1", "tolerance_m = 0.1\nslack_m = 1.0", "slack_m"),
        ("split = \"train\"", "splt = \"train\"", "splt"),
    ] {
        let error = SceneTask::from_toml(&TASK.replace(right, wrong)).unwrap_err();
        assert!(error.to_string().contains(expected), "{wrong}: {error}");
    }
}
