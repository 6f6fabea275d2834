//! Calls by name and JSON, as a model makes them.

use rl_protocol::ToolResult;
use scene_api::{Groups, Workspace, call};
use serde::Serialize;
use serde_json::{Value, json};

/// With every group of tools.
pub(crate) fn empty() -> Workspace {
    Workspace { groups: Groups::all(), ..Workspace::default() }
}

/// A call that must be accepted.
pub(crate) fn done(workspace: &Workspace, name: &str, arguments: &Value) -> (Workspace, Value) {
    let (after, ToolResult { ok, json, .. }) = call(workspace, name, &arguments.to_string());
    assert!(ok, "{name} {arguments}: {json}");
    assert_eq!(json["ok"], true);
    (after, json)
}

/// Calls that must be accepted.
pub(crate) fn then(workspace: &Workspace, calls: &[(&str, Value)]) -> Workspace {
    calls.iter().fold(workspace.clone(), |workspace, (name, arguments)| done(&workspace, name, arguments).0)
}

/// The same, on an empty workspace.
pub(crate) fn played(calls: &[(&str, Value)]) -> Workspace {
    then(&empty(), calls)
}

/// Boxes `n_1`, `n_2` … of these middles and sizes.
pub(crate) fn boxes(given: &[([f64; 3], [f64; 3])]) -> Workspace {
    let mut calls = Vec::new();
    for (number, (at, size_m)) in (1..).zip(given) {
        calls.push(("node.create", json!({"name": format!("box_{number}"), "translation": at})));
        let shape = json!({"kind": "box", "size_m": size_m});
        calls.push(("mesh.add_primitive", json!({"node": format!("n_{number}"), "shape": shape})));
    }
    played(&calls)
}

/// The error of a call that must be refused and change nothing but the count of calls.
pub(crate) fn refused(workspace: &Workspace, name: &str, arguments: &str) -> Value {
    let (after, ToolResult { ok, json, .. }) = call(workspace, name, arguments);
    assert!(!ok, "{name} was accepted: {json}");
    assert_eq!(json["ok"], false);
    assert_eq!(json["revision"], workspace.revision);
    assert_eq!(after.scene.state_hash().0, workspace.scene.state_hash().0);
    assert_eq!(
        (after.revision, after.calls_used, after.submitted),
        (workspace.revision, workspace.calls_used + 1, workspace.submitted)
    );
    for member in ["code", "message", "pointer", "given", "allowed", "nearest"] {
        assert!(json["error"].get(member).is_some(), "{member} is missing in {json}");
    }
    for word in ["enum", "f64", "u32", "sequence", "..=", "untagged", "Args"] {
        assert!(!json["error"]["message"].as_str().unwrap().contains(word), "{word} is no word for a model: {json}");
    }
    assert!(json.get("consequences").is_none());
    json["error"].clone()
}

/// The error of a call that must be refused with this code at this place.
#[track_caller]
pub(crate) fn refusal(workspace: &Workspace, name: &str, arguments: &Value, code: &str, pointer: &str) -> Value {
    let error = refused(workspace, name, &arguments.to_string());
    assert_eq!((&error["code"], &error["pointer"]), (&json!(code), &json!(pointer)), "{name} {arguments}: {error}");
    error
}

/// Numbers as JSON or not.
#[track_caller]
pub(crate) fn near(given: &impl Serialize, wanted: &[f64]) {
    let given: Vec<f64> = serde_json::from_value(json!(given)).unwrap();
    assert_eq!(given.len(), wanted.len());
    assert!(given.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6), "{given:?} is not {wanted:?}");
}
