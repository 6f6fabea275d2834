//! The commands as a person runs them.

use serde_json::Value;
use workspace_tests::{Server, maquette, root};

fn run(args: &[&str]) -> (i32, String, String) {
    let output = maquette(args).unwrap().output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn doctor_finds_everything_usable() {
    let (code, out, _) = run(&["doctor"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("scene ready: 69 tools, 5 tasks"), "{out}");
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
fn tools_are_listed_and_shown() {
    let (code, all, error) = run(&["tools"]);
    assert_eq!(code, 0, "{error}");
    assert!(all.starts_with("core: ") && all.contains("\n  mesh.subdivide "), "{all}");
    let (_, one, _) = run(&["tools", "mesh.subdivide"]);
    assert!(one.contains("whole number, 1 to 3") && one.contains("refused with OUT_OF_RANGE at /levels"), "{one}");
    let (_, json, _) = run(&["tools", "--json"]);
    let tools: Vec<Value> = serde_json::from_str(&json).unwrap();
    let is_whole = |tool: &Value| tool["arguments_schema"]["type"] == "object" && tool["example"]["scene"].is_u64();
    assert!(tools.len() >= 58 && tools.iter().all(is_whole), "{json}");
    let (code, _, error) = run(&["tools", "mesh.subdivied"]);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("mesh.subdivide"), "{error}");
}

#[test]
fn the_page_of_tools_is_that_of_the_tools() {
    let (_, page, _) = run(&["tools", "--markdown"]);
    let committed = std::fs::read_to_string(root().join("TOOLS.md")).unwrap();
    let differs = page.lines().zip(committed.lines()).find(|(now, then)| now != then);
    assert!(page == committed, "renew it: maquette tools --markdown > TOOLS.md; the first difference: {differs:#?}");
}

#[test]
fn tasks_are_generated_and_known_by_their_ids() {
    let (code, out, error) = run(&["tasks", "generate", "scene", "--level", "edit", "--seed", "7", "--count", "4"]);
    assert_eq!((code, out.lines().count()), (0, 4), "{out}{error}");
    assert!(out.starts_with("scene/gen-edit-7-0 "), "{out}");

    let one = ["tasks", "generate", "scene", "--level", "edit", "--seed", "7", "--count", "1", "--json", "--solutions"];
    let (code, out, error) = run(&one);
    assert_eq!(code, 0, "{out}{error}");
    let task: Value = serde_json::from_str(&out).unwrap();
    let (_, prompt, _) = run(&["tasks", task["id"].as_str().unwrap()]);
    assert_eq!(prompt.trim_end(), task["prompt"].as_str().unwrap().trim_end());

    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("solution.calls.jsonl");
    let lines: Vec<String> = task["solution"].as_array().unwrap().iter().map(ToString::to_string).collect();
    std::fs::write(&log, lines.join("\n")).unwrap();
    let (code, text, error) = run(&["play", log.to_str().unwrap(), "--task", task["id"].as_str().unwrap()]);
    assert_eq!(code, 0, "{text}{error}");
    assert!(text.starts_with("reward 0.9") || text.starts_with("reward 1.0"), "{text}");

    let (code, _, error) = run(&["tasks", "generate", "scene", "--level", "house"]);
    assert_eq!(code, 2);
    assert!(error.contains("furniture"), "{error}");
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
    assert_hashes(&reward);
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
    let (code, text, error) = run(&["play", "assets/tasks/scene/crate.calls.jsonl", "--json", "--addr", &server.uri]);
    assert_eq!(code, 0, "{text}{error}");
    let played: Value = serde_json::from_str(&text).unwrap();
    assert_hashes(&played["reward"]);
}

/// Of a reward in JSON: 32 bytes each, as lower-case hexadecimal digits.
fn assert_hashes(reward: &Value) {
    for name in ["profile_hash", "scored_state_hash"] {
        let hash = reward[name].as_str().unwrap_or_else(|| panic!("{name}: {reward}"));
        let is_digit = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
        assert!(hash.len() == 64 && hash.bytes().all(is_digit), "{name}: {hash}");
    }
}

#[test]
fn a_log_that_is_not_named_for_a_task_needs_one() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("my.jsonl");
    std::fs::copy(root().join("assets/tasks/scene/crate.calls.jsonl"), &log).unwrap();
    let log = log.to_str().unwrap();
    let (code, _, error) = run(&["play", log]);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("my.jsonl is not named for a task: give its id by --task"), "{error}");
    let (code, _, error) = run(&["play", log, "--task", "scene/crate"]);
    assert_eq!(code, 0, "{error}");
}

#[test]
fn files_of_other_programs_are_to_be_exported_first() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("chair.fbx");
    std::fs::write(&model, b"Kaydara FBX Binary").unwrap();
    let (model, out) = (model.to_str().unwrap(), folder.path().join("out.png"));
    let out = out.to_str().unwrap();
    for args in [&["render", model, "-o", out][..], &["score", model], &["preview", model, "-o", out]] {
        let (code, _, error) = run(args);
        assert_eq!(code, 2, "{args:?}: {error}");
        assert!(error.contains("only .glb and .gltf are read; export the .fbx as glTF first"), "{args:?}: {error}");
    }
}

#[test]
fn help_says_what_exit_codes_and_pictures_mean() {
    let (code, help, _) = run(&["--help"]);
    assert_eq!(code, 0);
    assert!(help.contains("Exit codes:\n  0  done\n  1  ") && help.contains("\n  2  not done"), "{help}");
    let (_, help, _) = run(&["render", "--help"]);
    assert!(help.contains("8 bits a channel") && help.contains("100 cd/m²"), "{help}");
}

#[test]
fn mistakes_are_explained() {
    for (args, expected) in [
        (vec!["score", "/nonexistent.glb"], "cannot read /nonexistent.glb"),
        (vec!["play", "README.md"], "README.md is not a call log"),
        (vec!["play", "assets/tasks/scene/crate.calls.jsonl", "--addr", "http://127.0.0.1:1"], "cannot reach a server"),
        (
            vec!["play", "assets/tasks/scene/crate.calls.jsonl", "--task", "kitchen/sink"],
            "no domain named \"kitchen\"; the nearest are scene",
        ),
        (vec!["tasks", "scene/tabel"], "there is no task \"scene/tabel\"; the nearest are scene/"),
        (vec!["tools", "mesh.lathe"], "no tool \"mesh.lathe\"; the nearest are mesh."),
        (vec!["serve", "--listen", "256.0.0.1:1"], "invalid value"),
    ] {
        let (code, _, error) = run(&args);
        assert_eq!(code, 2, "{args:?}: {error}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}
