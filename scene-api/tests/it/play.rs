//! Calls by name and JSON, as a model makes them.

use rl_protocol::ToolResult;
use scene_api::{Workspace, call};
use serde_json::Value;

/// A call that must be accepted.
pub(crate) fn done(workspace: &Workspace, name: &str, arguments: &Value) -> (Workspace, Value) {
    let (after, ToolResult { ok, json, .. }) = call(workspace, name, &arguments.to_string());
    assert!(ok, "{name} {arguments}: {json}");
    assert_eq!(json["ok"], true);
    (after, json)
}

/// Calls that must be accepted, on a new workspace.
pub(crate) fn played(calls: &[(&str, Value)]) -> Workspace {
    calls.iter().fold(Workspace::default(), |workspace, (name, arguments)| done(&workspace, name, arguments).0)
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
