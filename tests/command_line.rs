//! The commands as a person runs them.

use serde_json::Value;
use workspace_tests::{Server, maquette};

fn run(args: &[&str]) -> (i32, String, String) {
    let output = maquette(args).unwrap().output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn doctor_finds_everything_usable() {
    let (code, out, _) = run(&["doctor"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("scene ready: 16 tools, 5 tasks"), "{out}");
}

#[test]
fn tasks_are_listed_and_shown() {
    let (code, out, _) = run(&["tasks"]);
    assert_eq!((code, out.lines().count()), (0, 5), "{out}");
    let (_, prompt, _) = run(&["tasks", "scene/table-and-chairs"]);
    assert!(prompt.contains("chair"), "{prompt}");
    let (code, _, error) = run(&["tasks", "scene/tabel"]);
    assert_eq!(code, 2);
    assert!(error.contains("scene/table"), "{error}");
}

#[test]
fn a_played_log_can_be_scored_as_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let log = "assets/tasks/scene/table.calls.jsonl";
    let (code, text, error) = run(&["play", log, "--out", out]);
    assert_eq!(code, 0, "{text}{error}");
    assert!(text.starts_with("reward 0.9") || text.starts_with("reward 1.0"), "{text}");
    let glb = format!("{out}/scene.glb");
    let (code, json, _) = run(&["score", &glb, "--task", "scene/table", "--json"]);
    let reward: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(code, 0);
    assert!(reward["outcome"]["value"].as_f64().unwrap() >= 0.9, "{reward}");
    let (code, text, _) = run(&["score", &glb]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("file/0"), "{text}");
    let png = std::fs::read(format!("{out}/preview.png")).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
}

#[test]
fn play_reaches_a_server() {
    let server = Server::start(&[], &[]).unwrap();
    let (code, text, error) = run(&["play", "assets/tasks/scene/crate.calls.jsonl", "--addr", &server.uri]);
    assert_eq!(code, 0, "{text}{error}");
}

#[test]
fn mistakes_are_explained() {
    for (args, expected) in [
        (vec!["score", "/nonexistent.glb"], "cannot read /nonexistent.glb"),
        (vec!["play", "README.md"], "README.md is not a call log"),
        (vec!["play", "assets/tasks/scene/crate.calls.jsonl", "--addr", "http://127.0.0.1:1"], "cannot reach a server"),
        (vec!["play", "assets/tasks/scene/crate.calls.jsonl", "--task", "kitchen/sink"], "no domain named \"kitchen\""),
        (vec!["serve", "--listen", "256.0.0.1:1"], "invalid value"),
    ] {
        let (code, _, error) = run(&args);
        assert_eq!(code, 2, "{args:?}: {error}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}
