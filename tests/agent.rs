//! `maquette agent` against an endpoint that plays a script, with the mishaps that endpoints have.

use rl_protocol::ToolCall;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use workspace_tests::{Server, maquette, root};

const KEY: &str = "sk-not-to-be-seen-anywhere";
const PATIENCE: Duration = Duration::from_secs(60);

enum Reply {
    /// Status, a header line or nothing, body.
    Http(u16, &'static str, String),
    /// The connection ends without a word.
    Cut,
    /// Nothing, for as long as the client waits.
    Silence,
}

struct Request {
    head: String,
    body: Value,
}

/// Runs `client` with the URL of an endpoint that gives the replies in order, and returns what it was asked.
fn scripted<T>(replies: Vec<Reply>, client: impl FnOnce(&str) -> T) -> (T, Vec<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let endpoint = scope.spawn(|| {
            let mut replies = replies.into_iter();
            let mut requests = Vec::new();
            for connection in listener.incoming() {
                if is_over.load(Ordering::SeqCst) {
                    break;
                }
                let mut stream = connection.unwrap();
                stream.set_read_timeout(Some(PATIENCE)).unwrap();
                requests.push(read(&stream));
                match replies.next().unwrap_or(Reply::Http(410, "", "the script is over".into())) {
                    Reply::Http(status, header, body) => {
                        let length = body.len();
                        let head = format!("HTTP/1.1 {status} X\r\n{header}Content-Length: {length}\r\n");
                        // A client that has gone is seen by what it says.
                        write!(stream, "{head}Connection: close\r\n\r\n{body}").ok();
                    }
                    Reply::Cut => {}
                    Reply::Silence => {
                        std::io::copy(&mut stream, &mut std::io::sink()).ok();
                    }
                }
            }
            requests
        });
        let outcome = client(&format!("http://{address}"));
        is_over.store(true, Ordering::SeqCst);
        TcpStream::connect(address).unwrap();
        (outcome, endpoint.join().unwrap())
    })
}

fn read(stream: &TcpStream) -> Request {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0, "a request ends in its head: {head}");
    }
    let head = head.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")).unwrap();
    let mut body = vec![0; length.trim().parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    Request { head, body: serde_json::from_slice(&body).unwrap() }
}

fn message(message: &Value) -> Reply {
    Reply::Http(200, "", json!({ "choices": [{ "index": 0, "message": message }] }).to_string())
}

fn said(text: &str) -> Reply {
    message(&json!({ "role": "assistant", "content": text }))
}

fn called(calls: &[ToolCall]) -> Reply {
    let call = |(index, call): (usize, &ToolCall)| {
        let function = json!({ "name": call.name.replace('.', "_"), "arguments": call.arguments_json });
        json!({ "id": format!("id_{index}"), "type": "function", "function": function })
    };
    let calls: Vec<Value> = calls.iter().enumerate().map(call).collect();
    message(&json!({ "role": "assistant", "content": null, "tool_calls": calls }))
}

fn call(name: &str, arguments_json: &str) -> ToolCall {
    ToolCall { name: name.into(), arguments_json: arguments_json.into() }
}

fn run(args: &[&str]) -> (i32, String, String) {
    let mut command = maquette(args).unwrap();
    let output = command.env("OPENAI_API_KEY", KEY).env("NO_PROXY", "127.0.0.1").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn agent(url: &str, args: &[&str]) -> (i32, String, String) {
    run(&[&["agent", "--endpoint", url, "--task", "scene/table"][..], args].concat())
}

fn table() -> Vec<ToolCall> {
    let log = std::fs::read_to_string(root().join("assets/tasks/scene/table.calls.jsonl")).unwrap();
    ToolCall::from_log(&log).unwrap()
}

/// The reference log of the table, with one of each mishap on the way.
fn eventful() -> Vec<Reply> {
    let table = table();
    let last = [&table[10..], &[call("node.create", r#"{"name":"late"}"#)]].concat();
    vec![
        Reply::Http(429, "Retry-After: 0\r\n", r#"{"error": {"message": "slowly"}}"#.into()),
        called(&table[..2]),
        Reply::Http(500, "", "oops".into()),
        called(&[call("node.create", r#"{"name": "#), call("node.paint", "{}")]),
        Reply::Http(200, "", r#"{"choices": [{"mess"#.into()),
        said("Let me think."),
        Reply::Cut,
        called(&table[2..10]),
        called(&last),
    ]
}

fn json_in(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).unwrap()
}

fn plays_the_table_through_all_mishaps(args: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let args = [&["--json", "--out", out, "--model", "scripted"][..], args].concat();
    let ((code, text, error), requests) = scripted(eventful(), |url| agent(url, &args));
    assert_eq!((code, requests.len()), (0, eventful().len()), "{text}{error}");
    let reply: Value = serde_json::from_str(&text).unwrap();
    assert!(reply["reward"]["outcome"]["value"].as_f64().unwrap() >= 0.9, "{reply}");
    assert_eq!((&reply["turns"], &reply["calls"]), (&json!(5), &json!(21)), "{reply}");

    for request in &requests {
        assert!(request.head.starts_with("post /v1/chat/completions "), "{}", request.head);
        assert!(request.head.contains(&format!("authorization: bearer {KEY}")), "{}", request.head);
        assert_eq!((&request.body["model"], &request.body["stream"]), (&json!("scripted"), &json!(false)));
    }
    let tools = requests[0].body["tools"].as_array().unwrap();
    let is_known = |name: &str| tools.iter().any(|tool| tool["function"]["name"] == name);
    assert!(is_known("node_create") && is_known("episode_submit") && !is_known("place_align"), "{tools:?}");

    // Every call has its answer, and what was refused says why.
    let transcript = json_in(&folder.path().join("transcript.json"));
    let messages = transcript["messages"].as_array().unwrap();
    let count = |role: &str| messages.iter().filter(|message| message["role"] == role).count();
    assert_eq!([count("system"), count("user"), count("assistant"), count("tool")], [1, 2, 5, 22]);
    let answers =
        |text: &str| messages.iter().any(|message| message["content"].as_str().is_some_and(|t| t.contains(text)));
    for expected in ["node_paint", "Not played: the episode has ended.", "You called no tool."] {
        assert!(answers(expected), "{expected}: {messages:?}");
    }
    let ids: BTreeSet<&str> = messages.iter().filter_map(|message| message["tool_call_id"].as_str()).collect();
    assert_eq!(ids.len(), 22, "{ids:?}");
    assert_eq!(requests[8].body["messages"].as_array().unwrap()[..], messages[..messages.len() - 11]);

    assert_eq!(json_in(&folder.path().join("reward.json")), reply["reward"]);
    assert!(std::fs::read(folder.path().join("scene.glb")).unwrap().starts_with(b"glTF"));
    let log = folder.path().join("calls.jsonl");
    let (code, played, complaint) = run(&["play", log.to_str().unwrap(), "--task", "scene/table", "--json"]);
    assert_eq!(code, 0, "{played}{complaint}");
    let played: Value = serde_json::from_str(&played).unwrap();
    assert_eq!((&played["reward"], &played["state_hash"]), (&reply["reward"], &reply["state_hash"]));

    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "the key is in {}", path.display());
    }
    assert!(!text.contains(KEY) && !error.contains(KEY), "{text}{error}");
}

#[test]
fn a_scripted_model_builds_the_table_through_all_mishaps() {
    plays_the_table_through_all_mishaps(&[]);
}

#[test]
fn the_same_is_played_on_a_server() {
    let server = Server::start(&[], &[]).unwrap();
    plays_the_table_through_all_mishaps(&["--server", &server.uri]);
}

#[test]
fn a_model_that_calls_nothing_is_reminded_and_then_submitted() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let mut calls = table()[..5].to_vec();
    let replies = vec![called(&calls), said("Hm."), said("Done.")];
    let ((code, text, error), requests) = scripted(replies, |url| agent(url, &["--out", out]));
    assert_eq!((code, requests.len()), (0, 3), "{text}{error}");
    assert!(text.starts_with("reward 0."), "{text}");
    let log = std::fs::read_to_string(folder.path().join("calls.jsonl")).unwrap();
    calls.push(call("episode.submit", "{}"));
    assert_eq!(ToolCall::from_log(&log).unwrap(), calls);
}

#[test]
fn the_turns_of_a_model_are_bounded() {
    let replies = vec![called(&table()[..5]), called(&table()[5..7]), said("more")];
    let args = ["--json", "--max-turns", "2", "--groups", "place,query"];
    let ((code, text, error), requests) = scripted(replies, |url| agent(url, &args));
    assert_eq!((code, requests.len()), (0, 2), "{text}{error}");
    let tools = requests[0].body["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["function"]["name"] == "place_on"), "{tools:?}");
    let reply: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&reply["turns"], &reply["calls"]), (&json!(2), &json!(7)), "{reply}");
}

/// Of a run that came to nothing: what it says and how often it asked. Without an answer, what an earlier run
/// left stays.
fn failure(replies: Vec<Reply>, args: &[&str]) -> (String, usize) {
    let folder = tempfile::tempdir().unwrap();
    for name in ["reward.json", "scene.glb"] {
        std::fs::write(folder.path().join(name), "{}").unwrap();
    }
    let args = [&["--json", "--out", folder.path().to_str().unwrap()][..], args].concat();
    let ((code, text, error), requests) = scripted(replies, |url| agent(url, &args));
    assert_eq!((code, text.as_str()), (2, ""), "{error}");
    assert!(error.contains("there is no reward") && !error.contains(KEY), "{error}");
    assert!(["reward.json", "scene.glb"].into_iter().all(|name| folder.path().join(name).exists()));
    let transcript = json_in(&folder.path().join("transcript.json"));
    assert_eq!(transcript["messages"].as_array().unwrap().len(), 2, "{transcript}");
    (error, requests.len())
}

#[test]
fn an_endpoint_that_never_answers_ends_the_run_in_time() {
    let begin = Instant::now();
    let (error, requests) = failure(vec![Reply::Silence], &["--timeout-secs", "1"]);
    assert!(begin.elapsed() < PATIENCE, "{:?}", begin.elapsed());
    assert!(error.contains("no answer within 1 s") && error.contains("--timeout-secs"), "{error}");
    assert_eq!(requests, 1);
}

#[test]
fn a_refused_key_is_told_at_once() {
    let body = json!({ "error": { "message": format!("Incorrect API key provided: {KEY}") } }).to_string();
    let (error, requests) = failure(vec![Reply::Http(401, "", body)], &[]);
    assert!(error.contains("answered 401: Incorrect API key provided: (the key)"), "{error}");
    assert_eq!(requests, 1);
}

#[test]
fn a_web_page_is_told_at_once() {
    let page = Reply::Http(200, "Content-Type: text/html\r\n", "<html>hello</html>".into());
    let (error, requests) = failure(vec![page], &[]);
    assert!(error.contains("answered with text/html") && error.contains("<html>hello"), "{error}");
    assert_eq!(requests, 1);
}

#[test]
fn a_log_whose_calls_are_odd_earns_the_same_in_play() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let deep = format!("{{\"name\":{}{}}}", "[".repeat(126), "]".repeat(126));
    let long = format!("{{\"name\":\"long\"{}}}", " ".repeat(1 << 20));
    let odd = [r#"{"name":"a","name":"b"}"#, &deep, &long].map(|arguments| call("node.create", arguments));
    let calls = [&odd[..], &table()].concat();
    let ((code, text, error), _) = scripted(vec![called(&calls)], |url| agent(url, &["--json", "--out", out]));
    assert_eq!(code, 0, "{text}{error}");
    let log = folder.path().join("calls.jsonl");
    let (code, played, complaint) = run(&["play", log.to_str().unwrap(), "--task", "scene/table", "--json"]);
    assert_eq!(code, 0, "{played}{complaint}");
    let [reply, played] = [text, played].map(|text| serde_json::from_str::<Value>(&text).unwrap());
    assert_eq!((&played["reward"], &played["state_hash"]), (&reply["reward"], &reply["state_hash"]));
}

#[test]
fn tries_have_an_end() {
    let busy = || Reply::Http(503, "Retry-After: 0\r\n", "busy".into());
    let (error, requests) = failure(vec![busy(), busy(), busy()], &["--retries", "2"]);
    assert!(error.contains("answered 503: busy; given up after 2 more tries"), "{error}");
    assert_eq!(requests, 3);
}

#[test]
fn mistakes_are_told_before_the_endpoint_is_asked() {
    for (args, expected) in [
        (["--endpoint", "127.0.0.1:1", "--task", "scene/table"], "is not http://… or https://…"),
        (["--endpoint", "http://127.0.0.1:99999", "--task", "scene/table"], "a port is a number from 1 to 65535"),
        (["--endpoint", "http://127.0.0.1:1", "--task", "scene/tabel"], "there is no task \"scene/tabel\""),
        (["--endpoint", "http://127.0.0.1:1", "--task", "kitchen/sink"], "no domain named \"kitchen\""),
    ] {
        let (code, _, error) = run(&[&["agent"][..], &args].concat());
        assert!(code == 2 && error.contains(expected), "{error}");
    }
    for (args, expected) in [
        (["--groups", "plaice"], "there is no group of tools \"plaice\""),
        (["--api-key-env", "NO_SUCH_KEY"], "the environment has no key in NO_SUCH_KEY"),
    ] {
        let (code, _, error) = agent("http://127.0.0.1:1", &args);
        assert!(code == 2 && error.contains(expected), "{error}");
    }
    let mut command = maquette(&["agent", "--endpoint", "http://127.0.0.1:1", "--task", "scene/table"]).unwrap();
    let output = command.env("OPENAI_API_KEY", "sk-two\nlines").output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("the key in OPENAI_API_KEY holds control characters") && !error.contains("sk-two"),
        "{error}"
    );
}
