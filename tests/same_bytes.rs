//! One call log gives the same bytes in process, over gRPC, on a fresh server, on other instruction sets, on any number
//! of threads.

use rl_protocol::ToolCall;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use workspace_tests::{Server, maquette, root};

const TASKS: [&str; 5] = ["crate", "shelf-lamp", "table", "table-and-chairs", "tower"];

fn reference(task: &str) -> Vec<Value> {
    let path = root().join(format!("assets/tasks/scene/{task}.calls.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Twenty logs: each reference as it is, cut short, with every translation askew, and with refused calls in between.
fn logs(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut written = Vec::new();
    for task in TASKS {
        let whole = reference(task);
        let cut = whole[..whole.len() * 2 / 3].to_vec();
        let mut askew = whole.clone();
        for translation in askew.iter_mut().filter_map(|call| call["arguments"].get_mut("translation")) {
            for (axis, value) in translation.as_array_mut().unwrap().iter_mut().enumerate() {
                *value = json!(value.as_f64().unwrap() * 1.037 + 0.0113 * axis as f64);
            }
        }
        let mut refused = whole.clone();
        refused.insert(3, json!({ "name": "node.delete", "arguments": { "node": "n_999" } }));
        refused.insert(5, json!({ "name": "node.create", "arguments": { "nmae": "x" } }));
        for (kind, log) in [("whole", whole), ("cut", cut), ("askew", askew), ("refused", refused)] {
            let path = folder.join(format!("{task}-{kind}.jsonl"));
            std::fs::write(&path, log.iter().map(|call| format!("{call}\n")).collect::<String>()).unwrap();
            written.push((format!("scene/{task}"), path));
        }
    }
    written
}

fn play(task: &str, log: &Path, addr: Option<&str>, environment: &[(&str, &str)]) -> String {
    let mut command = maquette(&["play", "--json", "--seed", "7", "--task", task]).unwrap();
    command.arg(log).envs(environment.iter().copied());
    if let Some(addr) = addr {
        command.args(["--addr", addr]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}: {}", log.display(), String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn twenty_logs_give_the_same_bytes_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let logs = logs(folder.path());
    assert_eq!(logs.len(), 20);
    let plain = [("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-FMA,-AVX2")];
    let server = Server::start(&[], &[]).unwrap();
    let other = Server::start(&[], &[("RAYON_NUM_THREADS", "1"), plain[0]]).unwrap();
    for (task, log) in &logs {
        let expected = play(task, log, None, &[]);
        let value: Value = serde_json::from_str(&expected).unwrap();
        assert!(value["reward"]["outcome"]["value"].is_f64(), "{}: {}", log.display(), value["reward"]);
        for (what, got) in [
            ("over gRPC", play(task, log, Some(&server.uri), &[])),
            ("over gRPC, on one thread without FMA and AVX2", play(task, log, Some(&other.uri), &[])),
            ("without FMA and AVX2", play(task, log, None, &plain)),
            ("with one thread", play(task, log, None, &[("RAYON_NUM_THREADS", "1")])),
            ("with four threads", play(task, log, None, &[("RAYON_NUM_THREADS", "4")])),
        ] {
            assert_eq!(expected, got, "{} {what}", log.display());
        }
        let fresh = Server::start(&[], &[]).unwrap();
        assert_eq!(expected, play(task, log, Some(&fresh.uri), &[]), "{} on a fresh server", log.display());
    }
}

#[test]
fn a_log_scored_whole_equals_its_episode() {
    let server = Server::start(&[], &[]).unwrap();
    let text = std::fs::read_to_string(root().join("assets/tasks/scene/table.calls.jsonl")).unwrap();
    let calls = ToolCall::from_log(&text).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let channel = rl_protocol::connect(&server.uri).await.unwrap();
        let domain = rl_protocol::RemoteDomain::new(channel, "scene");
        use rl_protocol::{Domain, OpenSpec, Subject};
        let tool_groups = Vec::new();
        let spec = OpenSpec { task_id: "scene/table".into(), count: 1, seed: 3, profile: None, tool_groups };
        let mut episode = domain.open(spec).await.unwrap().pop().unwrap();
        let outcome = episode.step(calls.clone()).await.unwrap();
        let log = Subject::CallLog { task_id: "scene/table".into(), seed: 3, calls, tool_groups: Vec::new() };
        assert_eq!(outcome.reward.unwrap(), domain.score(log, None).await.unwrap());
    });
}
