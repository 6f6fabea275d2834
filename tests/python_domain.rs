//! Domains written in Python: the example's and the guide's keep the rules, and their server keeps the protocol.

use crate::clients::{python, run};
use rl_protocol::{Domain as _, OpenSpec, Outcome, RemoteDomain, Reward, Subject, ToolCall, connect};
use serde_json::Value;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use workspace_tests::{Server, maquette, process, root};

const EXAMPLE: &str = "rl/clients/python/examples/word_problems.py";
const PROBE: &str = "rl/clients/python/examples/word_problems.probe.json";
const GUIDE: &str = "docs/WRITE_A_DOMAIN.md";
const TASK: &str = "word_problems/train-0";
const MAX_EXAMPLE_LINES: usize = 150;

fn served(script: &Path) -> Server {
    let mut command = process(python());
    command.arg(script).arg("127.0.0.1:0").current_dir(root());
    Server::of(command).unwrap()
}

/// `maquette conformance`: its exit code and what it says.
fn conformance(args: &[&str]) -> (Option<i32>, String) {
    let output = maquette(&["conformance"]).unwrap().args(args).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

/// The guide's blocks of a language, in order.
fn blocks(language: &str) -> Vec<String> {
    let guide = std::fs::read_to_string(root().join(GUIDE)).unwrap();
    let begin = format!("```{language}\n");
    guide.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// The guide's counter and its probe as files; `edit` may spoil the program.
fn counter(edit: impl FnOnce(String) -> String) -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (script, probe) = (folder.path().join("counter.py"), folder.path().join("probe.json"));
    std::fs::write(&script, edit(blocks("python").remove(0))).unwrap();
    std::fs::write(&probe, blocks("json").remove(0)).unwrap();
    (folder, script, probe)
}

#[test]
fn the_example_is_short_and_keeps_the_rules_of_the_protocol() {
    let lines = std::fs::read_to_string(root().join(EXAMPLE)).unwrap().lines().count();
    assert!(lines <= MAX_EXAMPLE_LINES, "{lines} lines");
    let server = served(Path::new(EXAMPLE));
    let (code, text) = conformance(&[&server.uri, "--probe", PROBE]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("✓ session.an_export_is_imported_as_it_was\n") && text.contains(" kept, 0 broken"), "{text}");
}

#[test]
fn the_guide_is_true() {
    let (_folder, script, probe) = counter(|text| text);
    let server = served(&script);
    let (code, text) = conformance(&[&server.uri, "--probe", probe.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{text}");
    let address = server.uri.strip_prefix("http://").unwrap();
    let client = blocks("python").remove(1).replace("127.0.0.1:50062", address);
    let text = run(python(), &["-c", &client]);
    assert!(text.starts_with("Bring the counter to ten") && text.ends_with("1.0\n"), "{text}");
    let (grpcurl, asked) = (python().with_file_name("grpcurl"), r#"{"service":"counter"}"#);
    let health = run(grpcurl, &["-plaintext", "-d", asked, address, "grpc.health.v1.Health/Check"]);
    assert!(health.contains("SERVING"), "{health}");
}

#[test]
fn a_domain_that_breaks_a_rule_is_told() {
    let (_folder, script, probe) = counter(|text| {
        let drifting = text.replace("worth = max(", "worth = __import__('random').random() * max(");
        assert_ne!(drifting, text);
        drifting
    });
    let server = served(&script);
    let (code, text) = conformance(&[&server.uri, "--probe", probe.to_str().unwrap(), "--json"]);
    assert_eq!(code, Some(1), "{text}");
    let said: Value = serde_json::from_str(&text).unwrap();
    let broken: Vec<&str> =
        said["broken"].as_array().unwrap().iter().filter_map(|rule| rule["rule"].as_str()).collect();
    assert!(
        broken.contains(&"score.scoring_is_pure") && broken.contains(&"determinism.same_calls_same_bytes"),
        "{text}"
    );
    assert!(said["kept"].as_array().unwrap().iter().any(|rule| rule == "describe.texts_are_given"), "{text}");
}

#[test]
fn a_suite_that_cannot_be_played_says_why() {
    let server = served(Path::new(EXAMPLE));
    let (folder, _, probe) = counter(|text| text);
    let probe = probe.to_str().unwrap();
    let no_probe = folder.path().join("no.json");
    std::fs::write(&no_probe, "{\"task\": 1}").unwrap();
    let wrong_probe = folder.path().join("wrong.json");
    let wrong = std::fs::read_to_string(root().join(PROBE)).unwrap().replace("multiply", "divide");
    std::fs::write(&wrong_probe, wrong).unwrap();
    // Connections are accepted by the system, and nobody reads them.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent_addr = silent.local_addr().unwrap().to_string();
    for (args, why) in [
        ([server.uri.as_str(), "--probe", probe], "serves no domain of counter/reach-ten"),
        (["http://127.0.0.1:1", "--probe", PROBE], "cannot reach a server"),
        ([server.uri.as_str(), "--probe", "nothing.json"], "cannot read nothing.json"),
        ([server.uri.as_str(), "--probe", no_probe.to_str().unwrap()], "is no probe"),
        ([server.uri.as_str(), "--probe", wrong_probe.to_str().unwrap()], "wrong.json: call 1 (calculate) is refused"),
        ([silent_addr.as_str(), "--probe", PROBE], "does not answer as maquette.v1"),
    ] {
        let (code, text) = conformance(&args);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(why), "{text}");
    }
}

fn call(name: &str, arguments_json: &str) -> ToolCall {
    ToolCall { name: name.into(), arguments_json: arguments_json.into() }
}

/// The reward of a log, alone and as an episode, which are equal.
async fn reward(domain: &RemoteDomain, calls: &[ToolCall]) -> Reward {
    let spec = OpenSpec { task_id: TASK.into(), count: 1, seed: 3, profile: None, tool_groups: vec!["notes".into()] };
    let log = Subject::CallLog {
        task_id: spec.task_id.clone(),
        seed: spec.seed,
        calls: calls.to_vec(),
        tool_groups: spec.tool_groups.clone(),
    };
    let mut episode = domain.open(spec).await.unwrap().remove(0);
    episode.step(calls.to_vec()).await.unwrap();
    let reward = episode.score(None).await.unwrap();
    assert_eq!(domain.score(log, None).await.unwrap(), reward);
    reward
}

#[tokio::test(flavor = "multi_thread")]
async fn right_wrong_and_no_answers_have_rewards_with_evidence() {
    let server = served(Path::new(EXAMPLE));
    let domain = RemoteDomain::new(connect(&server.uri).await.unwrap(), "word_problems");
    let note = call("note", r#"{"text": "10 times 9, and 32"}"#);
    let right = reward(&domain, &[note.clone(), call("answer", r#"{"value": 122}"#)]).await;
    assert_eq!(right.outcome, Outcome::Value(1.0));
    assert!(right.components.iter().all(|component| component.evidence.is_empty()));
    let wrong = reward(&domain, &[call("answer", r#"{"value": 123}"#)]).await;
    assert_eq!(wrong.outcome, Outcome::Value(0.1));
    let none = reward(&domain, &[note, call("answer", r#"{"value": "122"}"#)]).await;
    assert_eq!(none.outcome, Outcome::Value(0.0));
    for (reward, message) in [(wrong, "the answer is 123"), (none, "there is no answer")] {
        let fault = &reward.components[1].evidence[0];
        assert_eq!((fault.threshold, fault.message.as_str(), fault.fix.as_str()), (122.0, message, "answer 122"));
    }
}

#[test]
fn a_server_in_python_keeps_the_protocol() {
    let text = run(python(), &["tests/python_domain.py"]);
    assert!(text.contains("python domain: all checks hold"), "{text}");
}
