//! `maquette mcp` as editors and chat programs drive it: JSON-RPC, a line a message, and streamable HTTP.

use crate::clients::{python, run};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use workspace_tests::{Server, binary, maquette, process};

/// Longer than any start or end takes.
const LONGEST: Duration = Duration::from_secs(60);
const PNG_IN_BASE64: &str = "iVBORw0KGgo";

/// A server on standard input and output.
struct Mcp {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    last_id: u64,
}

impl Mcp {
    fn start(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = maquette(&["mcp"]).unwrap();
        command.args(arguments).envs(environment.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, stdin, stdout, last_id: 0 }
    }

    /// One that is ready for calls, and what it said of itself.
    fn connect(arguments: &[&str], environment: &[(&str, &str)]) -> (Self, Value) {
        let mut mcp = Self::start(arguments, environment);
        let info = mcp.ask("initialize", initialize()["params"].clone());
        mcp.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        (mcp, info["result"].clone())
    }

    fn tell(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The next message. A server that dies closes the pipe, so this ends.
    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?} is no message: {error}"))
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        self.tell(&json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}).to_string());
        let reply = self.hear();
        assert_eq!(reply["id"], self.last_id, "{method}: {reply}");
        reply
    }

    fn call(&mut self, name: &str, arguments: Value) -> Value {
        let reply = self.ask("tools/call", json!({"name": name, "arguments": arguments}));
        assert!(reply["result"].is_object(), "{name}: {reply}");
        reply["result"].clone()
    }

    fn tools(&mut self) -> Vec<Value> {
        self.ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
    }

    /// Closes its input; the exit code.
    fn leave(mut self) -> Option<i32> {
        self.stdin = None;
        ended(&mut self.child)
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn initialize() -> Value {
    let client = json!({"name": "test", "version": "0"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

fn ended(child: &mut Child) -> Option<i32> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        assert!(begin.elapsed() < LONGEST, "the process does not end");
        sleep(Duration::from_millis(20));
    }
}

fn terminate(child: &Child) {
    assert!(process("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
}

fn named<'a>(tools: &'a [Value], name: &str) -> &'a Value {
    tools.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("no {name} in {tools:?}"))
}

#[test]
fn a_scene_is_built_and_looked_at() {
    let (mut mcp, info) = Mcp::connect(&[], &[]);
    assert_eq!(info["serverInfo"]["name"], "maquette", "{info}");
    assert_eq!(info["protocolVersion"], "2025-11-25");
    let instructions = info["instructions"].as_str().unwrap();
    assert!(instructions.lines().count() <= 8 && instructions.contains("Metres"), "{instructions}");

    let tools = mcp.tools();
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        assert!(is_plain && name.len() <= 64, "{name}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert!(!tool["description"].as_str().unwrap().is_empty(), "{name}");
        assert_eq!(tool["annotations"]["openWorldHint"], false, "{name}");
    }
    let asks = &named(&tools, "query_overlaps")["annotations"];
    assert_eq!((&asks["readOnlyHint"], &asks["destructiveHint"]), (&json!(true), &json!(false)));
    let makes = named(&tools, "node_create");
    assert_eq!(makes["annotations"]["readOnlyHint"], false);
    assert!(makes["inputSchema"]["properties"]["translation"].is_object(), "{makes}");
    assert!(tools.iter().all(|tool| tool["name"] != "mesh_add_lathe"), "groups are offered on request");

    let made = mcp.call("node_create", json!({"name": "crate"}));
    assert_eq!((&made["isError"], &made["structuredContent"]["changed"]), (&json!(false), &json!(["n_1"])), "{made}");
    let text: Value = serde_json::from_str(made["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, made["structuredContent"]);

    let refused = mcp.call("node_create", json!({"nmae": "crate"}));
    let error = &refused["structuredContent"]["error"];
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(error["nearest"].as_array().unwrap().contains(&json!("name")), "{refused}");
    let unknown = mcp.call("node_craete", json!({}));
    assert_eq!(unknown["structuredContent"]["error"]["code"], "NOT_FOUND", "{unknown}");

    let shape = json!({"kind": "box", "size_m": [1, 1, 1]});
    assert_eq!(mcp.call("mesh_add_primitive", json!({"node": "n_1", "shape": shape}))["isError"], false);
    let camera = json!({"name": "camera", "translation": [2, 2, 3], "target": [0, 0, 0]});
    assert_eq!(mcp.call("camera_add", camera)["isError"], false);
    let still = mcp.call("render_still", json!({"pass": "normal", "width": 64, "height": 48}));
    let picture = &still["content"][1];
    assert_eq!((&picture["type"], &picture["mimeType"]), (&json!("image"), &json!("image/png")), "{still}");
    assert!(picture["data"].as_str().unwrap().starts_with(PNG_IN_BASE64));
    assert_eq!(mcp.leave(), Some(0));
}

#[test]
fn the_scene_and_the_task_are_resources_and_the_task_is_a_prompt() {
    let (mut mcp, _) = Mcp::connect(&[], &[]);
    let listed = mcp.ask("resources/list", json!({}));
    let listed = listed["result"]["resources"].as_array().unwrap();
    let uris: Vec<&str> = listed.iter().map(|resource| resource["uri"].as_str().unwrap()).collect();
    assert_eq!(uris, ["maquette://task", "maquette://scene.glb"]);
    let task = mcp.ask("resources/read", json!({"uri": "maquette://task"}));
    assert!(task["result"]["contents"][0]["text"].as_str().unwrap().contains("Build a table"), "{task}");
    let glb = mcp.ask("resources/read", json!({"uri": "maquette://scene.glb"}));
    let glb = &glb["result"]["contents"][0];
    assert_eq!(glb["mimeType"], "model/gltf-binary");
    assert!(glb["blob"].as_str().unwrap().starts_with("Z2xURg"), "{glb}");
    let unknown = mcp.ask("resources/read", json!({"uri": "maquette://scene.gbl"}));
    assert_eq!(unknown["error"]["code"], -32002, "{unknown}");
    assert_eq!(unknown["error"]["data"]["known"], json!(uris));

    let prompts = mcp.ask("prompts/list", json!({}));
    assert_eq!(prompts["result"]["prompts"][0]["name"], "task", "{prompts}");
    let prompt = mcp.ask("prompts/get", json!({"name": "task"}));
    let message = &prompt["result"]["messages"][0];
    assert_eq!(message["role"], "user");
    assert!(message["content"]["text"].as_str().unwrap().contains("Build a table"), "{prompt}");
    assert_eq!(mcp.ask("prompts/get", json!({"name": "tusk"}))["error"]["code"], -32602);
}

#[test]
fn an_episode_ends_with_its_reward_and_another_begins() {
    let (mut mcp, _) = Mcp::connect(&["--task", "scene/crate"], &[]);
    assert_eq!(mcp.call("node_create", json!({"name": "crate"}))["isError"], false);
    let reward = mcp.call("episode_reward", json!({}));
    assert_eq!(mcp.call("episode.reward", json!({}))["structuredContent"], reward["structuredContent"]);
    assert!(reward["structuredContent"]["outcome"]["value"].is_number(), "{reward}");
    let submitted = mcp.call("episode_submit", json!({}));
    assert_eq!(submitted["structuredContent"]["end"]["reason"], "SUBMITTED", "{submitted}");
    assert_eq!(submitted["structuredContent"]["reward"], reward["structuredContent"]);

    let over = mcp.call("node_create", json!({"name": "lid"}));
    assert_eq!(over["isError"], true);
    let error = &over["structuredContent"]["error"];
    assert_eq!(error["code"], "EPISODE_ENDED", "{over}");
    assert!(error["allowed"].as_str().unwrap().contains("episode_restart"), "{over}");

    let misspelt = mcp.call("episode_restart", json!({"task_id": "scene/tabel"}));
    assert_eq!(misspelt["isError"], true);
    let error = &misspelt["structuredContent"]["error"];
    assert!(error["pointer"] == "/task_id" && error["nearest"].as_array().unwrap().contains(&json!("scene/table")));
    assert_eq!(mcp.call("episode_restart", json!({"task": "scene/table"}))["isError"], true);

    let restarted = mcp.call("episode_restart", json!({"task_id": "scene/table"}));
    assert_eq!(restarted["structuredContent"]["task_id"], "scene/table", "{restarted}");
    assert!(restarted["structuredContent"]["prompt"].as_str().unwrap().contains("Build a table"));
    assert_eq!(mcp.call("node_create", json!({"name": "table"}))["structuredContent"]["changed"], json!(["n_1"]));
    let again = mcp.call("episode_restart", json!({}));
    assert_eq!(again["structuredContent"]["task_id"], "scene/crate", "{again}");
}

#[test]
fn what_is_not_understood_costs_nothing_else() {
    let (mut mcp, _) = Mcp::connect(&[], &[]);
    mcp.tell("{\"jsonrpc\": \"2.0\", garbage");
    let garbage = mcp.hear();
    assert_eq!((&garbage["error"]["code"], &garbage["id"]), (&json!(-32700), &Value::Null), "{garbage}");
    mcp.tell(r#"{"jsonrpc": "2.0", "id": 76, "method": "tools/call", "params": {"name": "\ud800"}}"#);
    let surrogate = mcp.hear();
    assert_eq!((&surrogate["error"]["code"], &surrogate["id"]), (&json!(-32700), &json!(76)), "{surrogate}");
    mcp.tell("");
    assert_eq!(mcp.ask("scene/paint", json!({}))["error"]["code"], -32601);
    mcp.tell("{\"jsonrpc\": \"2.0\", \"id\": 77}");
    assert_eq!(mcp.hear()["error"]["code"], -32600);
    for arguments in [json!("{}"), json!([1])] {
        let wrong = mcp.ask("tools/call", json!({"name": "node_create", "arguments": arguments}));
        assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    }
    for method in ["tools/call", "resources/read", "prompts/get"] {
        let wrong = mcp.ask(method, json!({"uri": 7, "name": 7}));
        assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    }
    assert_eq!(mcp.call("node_create", json!({"name": "crate"}))["isError"], false);
}

#[test]
fn a_notification_before_the_first_request_is_passed_over() {
    let mut mcp = Mcp::start(&[], &[]);
    mcp.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    let info = mcp.ask("initialize", initialize()["params"].clone());
    assert_eq!(info["result"]["serverInfo"]["name"], "maquette", "{info}");
    assert_eq!(mcp.leave(), Some(0));
}

#[test]
fn calls_that_are_sent_at_once_are_played_in_order() {
    const FIRST: u64 = 1000;
    const NODES: u64 = 40;
    let (mut mcp, _) = Mcp::connect(&["--task", "scene/crate"], &[]);
    let call = |id: u64| {
        let params = match id - FIRST {
            NODES => json!({"name": "episode_submit", "arguments": {}}),
            number => json!({"name": "node_create", "arguments": {"name": format!("part{number}")}}),
        };
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    mcp.tell(&(FIRST..=FIRST + NODES).map(call).collect::<Vec<_>>().join("\n"));
    for _ in 0..=NODES {
        let reply = mcp.hear();
        let result = &reply["result"]["structuredContent"];
        match reply["id"].as_u64().unwrap() - FIRST {
            NODES => assert_eq!(result["end"]["reason"], "SUBMITTED", "{reply}"),
            number => assert_eq!(result["changed"], json!([format!("n_{}", number + 1)]), "{reply}"),
        }
    }
}

#[test]
fn a_signal_is_heeded_from_the_first_word_on() {
    for arguments in [&["serve", "--listen", "127.0.0.1:0", "--log", "warn"][..], &["mcp", "--http", "127.0.0.1:0"]] {
        let mut child = maquette(arguments).unwrap().stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut String::new()).unwrap();
        terminate(&child);
        assert_eq!(ended(&mut child), Some(0), "{arguments:?}");
    }
}

#[test]
fn the_process_ends_when_its_client_goes_or_a_signal_comes() {
    assert_eq!(Mcp::start(&[], &[]).leave(), Some(0), "before a word");
    let (mcp, _) = Mcp::connect(&[], &[]);
    assert_eq!(mcp.leave(), Some(0), "after some");
    let (mut mcp, _) = Mcp::connect(&[], &[]);
    terminate(&mcp.child);
    assert_eq!(ended(&mut mcp.child), Some(0), "with its input open");
}

#[test]
fn groups_tasks_and_servers_are_chosen() {
    let (mut mcp, info) = Mcp::connect(&["--groups", "mesh, history"], &[]);
    let tools = mcp.tools();
    named(&tools, "mesh_add_lathe");
    named(&tools, "batch_apply");
    assert!(tools.iter().all(|tool| tool["name"] != "node_mirror"));
    let instructions = info["instructions"].as_str().unwrap();
    assert!(instructions.contains("--groups") && instructions.contains("node ("), "{instructions}");

    let server = Server::start(&[], &[]).unwrap();
    let (mut mcp, info) = Mcp::connect(&["--groups", "all", "--server", &server.uri], &[]);
    named(&mcp.tools(), "node_mirror");
    assert!(!info["instructions"].as_str().unwrap().contains("--groups"), "{info}");
    assert_eq!(mcp.call("node_create", json!({"name": "crate"}))["isError"], false);
    assert_eq!(mcp.leave(), Some(0));

    for (arguments, expected) in [
        (["--groups", "mash"], "mesh"),
        (["--task", "scene/tabel"], "there is no task"),
        (["--task", "scene/tabel"], "the nearest are scene/"),
        (["--http", "0.0.0.0:0"], "--allow-host studio.example"),
        (["--http", "8808"], "e.g. 127.0.0.1:8808"),
        (["--http", "localhost:8808"], "e.g. 127.0.0.1:8808"),
    ] {
        let output = maquette(&["mcp"]).unwrap().args(arguments).stdin(Stdio::null()).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{error}");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn without_an_adapter_the_other_tools_are_there() {
    let no_drivers = [("VK_DRIVER_FILES", "/nonexistent"), ("VK_ICD_FILENAMES", "/nonexistent")];
    let (mut mcp, info) = Mcp::connect(&[], &no_drivers);
    assert!(info["instructions"].as_str().unwrap().contains("needs a renderer, which this server lacks"), "{info}");
    let tools = mcp.tools();
    assert!(tools.iter().all(|tool| tool["name"] != "render_still"));
    named(&tools, "node_create");
}

/// A server on HTTP.
struct Http {
    child: Child,
    /// `http://127.0.0.1:PORT/mcp`.
    url: String,
}

impl Http {
    fn start(arguments: &[&str]) -> Self {
        let mut command = maquette(&["mcp", "--http", "127.0.0.1:0"]).unwrap();
        let mut child = command.args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.strip_prefix("listening on ").unwrap_or_else(|| panic!("{line:?}")).trim().to_owned();
        Self { child, url }
    }

    /// Posts a message with these headers; the first line of the reply.
    fn post(&self, headers: &str, message: &Value) -> String {
        self.reply(headers, message).lines().next().unwrap_or_default().to_owned()
    }

    /// The session that a client begins.
    fn session(&self) -> String {
        let reply = self.reply("", &initialize());
        let id = reply.lines().find(|line| line.to_ascii_lowercase().starts_with("mcp-session-id:"));
        id.unwrap_or_else(|| panic!("no session in {reply:?}")).to_owned()
    }

    fn reply(&self, headers: &str, message: &Value) -> String {
        let address = self.url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LONGEST)).unwrap();
        let body = message.to_string();
        let host = if headers.contains("Host:") { String::new() } else { format!("Host: {address}\r\n") };
        let head = format!(
            "POST /mcp HTTP/1.1\r\n{host}{headers}Connection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn web_pages_and_other_names_of_the_machine_are_refused() {
    let mut http = Http::start(&["--allow-host", "studio.example"]);
    assert!(http.post("", &initialize()).contains("200"));
    assert!(http.post("Host: studio.example\r\n", &initialize()).contains("200"));
    for headers in ["Host: evil.example\r\n", "Origin: http://evil.example\r\n", "Origin: null\r\n"] {
        assert!(http.post(headers, &initialize()).contains("403"), "{headers}");
    }
    terminate(&http.child);
    assert_eq!(ended(&mut http.child), Some(0));
}

#[test]
fn sessions_are_bounded_and_the_idlest_makes_room() {
    let http = Http::start(&[]);
    let ping = |session: &str| {
        let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
        http.post(&format!("{session}\r\nMCP-Protocol-Version: 2025-11-25\r\n"), &ping)
    };
    let [busy, idle] = [http.session(), http.session()];
    let others: Vec<String> = (2..64).map(|_| http.session()).collect();
    assert!(ping(&busy).contains("200"));
    let last = http.session();
    for session in [&busy, &others[0], &last] {
        assert!(ping(session).contains("200"), "{session}");
    }
    assert!(ping(&idle).contains("404"));
}

#[test]
fn the_python_sdk_plays_the_table_over_both_transports() {
    let http = Http::start(&[]);
    let program = binary().unwrap();
    let text = run(python(), &["tests/mcp_client.py", program.to_str().unwrap(), &http.url]);
    assert!(text.contains("mcp client: all checks hold"), "{text}");
}
