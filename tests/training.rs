//! `maquette-train` as a person runs it, with a server that it starts: killed, interrupted, misled.

use crate::clients::python;
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use workspace_tests::{binary, built, maquette, process};

const STEPS: u64 = 6;
/// Longer than a start and all steps take.
const LONGEST: Duration = Duration::from_secs(60);
/// For a server to end after who started it.
const SOON: Duration = Duration::from_secs(10);
const TICK: Duration = Duration::from_millis(1);

/// The smallest run that is one, over boxes of a given size.
const RUN: &str = r#"
[run]
name = "smallest"
steps = 6
threads = 1

[[tasks]]
name = "size"
domain = "scene"
ids = "scene/gen-size-{seed}-{index}"
seed = 7
count = 64

[policy]
hidden_size = 32
intermediate_size = 64
num_hidden_layers = 1
num_attention_heads = 4
num_key_value_heads = 4

[policy.tools."mesh.add_primitive"]
only = true
properties.node.const = "n_1"
properties.shape.properties.kind.const = "box"
properties.shape.properties.size_m.items = { type = "number", multipleOf = 0.1, minimum = 0.2, maximum = 0.9 }

[rollout]
groups = 4
members = 4
slots = 16
context = 256
turns_max = 1
call_tokens_max = 96

[evaluation]
every = 2
episodes = 4

[checkpoint]
every = 2
"#;

/// Writes the file of a run whose section `[server]` is this line.
fn written(folder: &Path, server: &str) -> PathBuf {
    let path = folder.join("run.toml");
    std::fs::write(&path, format!("{RUN}\n[server]\n{server}\n")).unwrap();
    path
}

fn serve() -> String {
    format!("serve = {:?}", binary().unwrap())
}

fn trainer(args: &[&str]) -> Command {
    let mut command = process(built("maquette-train").unwrap());
    command.args(args);
    command
}

/// Exit code, standard output, standard error.
fn run(args: &[&str]) -> (i32, String, String) {
    let output = trainer(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A process in the background, killed on drop.
struct Process(Child);

impl Process {
    /// A trainer whose standard error goes to `log`.
    fn trainer(args: &[&str], log: &Path) -> Self {
        Self(trainer(args).stdout(Stdio::null()).stderr(File::create(log).unwrap()).spawn().unwrap())
    }

    /// Waits until it has started a server and `holds` does.
    fn until(&mut self, holds: impl Fn() -> bool) {
        let begin = Instant::now();
        while children(self.0.id()).is_empty() || !holds() {
            assert!(self.0.try_wait().unwrap().is_none(), "it has ended too soon");
            assert!(begin.elapsed() < LONGEST, "it does not come that far");
            sleep(TICK);
        }
    }

    fn signal(&self, name: &str) {
        signal(name, self.0.id());
    }

    fn ended(&mut self) -> Option<i32> {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.code();
            }
            assert!(begin.elapsed() < LONGEST, "it does not end");
            sleep(TICK);
        }
    }

    /// Ends it as `kill -9` does, and sees what it started end too.
    fn kill(&mut self) {
        let servers = children(self.0.id());
        assert!(!servers.is_empty(), "it has no server");
        self.0.kill().unwrap();
        self.0.wait().unwrap();
        assert_gone(&servers);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn signal(name: &str, pid: u32) {
    assert!(process("kill").args([name, &pid.to_string()]).status().unwrap().success());
}

/// State and parent of a process.
fn stat(pid: u32) -> Option<(char, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = text.rsplit_once(") ")?.1.split(' ');
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

/// What a process has started and not seen end.
fn children(parent: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_string_lossy().parse::<u32>().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|(_, of)| of == parent)).collect()
}

fn assert_gone(pids: &[u32]) {
    let begin = Instant::now();
    // What has ended and was seen by nobody is a zombie.
    while pids.iter().any(|pid| stat(*pid).is_some_and(|(state, _)| !matches!(state, 'Z' | 'X'))) {
        assert!(begin.elapsed() < SOON, "one of {pids:?} runs on");
        sleep(TICK);
    }
}

/// Whole lines of metrics.jsonl, without what differs from run to run.
fn metrics(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("metrics.jsonl")).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut lines: Vec<Value> = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        line.as_object_mut().unwrap().remove("told");
    }
    lines
}

fn steps(folder: &Path) -> u64 {
    metrics(folder).iter().filter(|line| line["kind"] == "step").count() as u64
}

fn checkpoint(folder: &Path, step: u64) -> PathBuf {
    folder.join(format!("checkpoints/step-{step:06}"))
}

#[test]
fn a_run_that_is_killed_three_times_ends_as_the_undisturbed_one() {
    let temporary = tempfile::tempdir().unwrap();
    let [whole, killed, log] = ["whole", "killed", "log"].map(|name| temporary.path().join(name));
    let config = written(temporary.path(), &serve());
    let (code, out, error) = run(&["run", text(&config), "--folder", text(&whole), "--json"]);
    assert_eq!(code, 0, "{error}");
    let outcome: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(outcome["steps"], STEPS, "{outcome}");
    assert!(outcome["random"].is_f64() && outcome["first"].is_f64() && outcome["last"].is_f64(), "{outcome}");
    assert_eq!(outcome["report"].as_str(), whole.join("report.html").to_str());

    let mut trainer = Process::trainer(&["run", text(&config), "--folder", text(&killed)], &log);
    for step in [1, 3, 5] {
        trainer.until(|| steps(&killed) >= step);
        trainer.kill();
        trainer = Process::trainer(&["resume", text(&killed)], &log);
    }
    assert_eq!(trainer.ended(), Some(0), "{}", std::fs::read_to_string(&log).unwrap());
    assert_eq!((steps(&killed), metrics(&killed)), (STEPS, metrics(&whole)));
    let bytes = |folder: &Path, file: &str| std::fs::read(folder.join(file)).unwrap();
    for file in ["model.safetensors", "optimizer.safetensors"] {
        assert!(bytes(&checkpoint(&whole, STEPS), file) == bytes(&checkpoint(&killed, STEPS), file), "{file} differs");
    }
    assert!(bytes(&whole, "samples.jsonl") == bytes(&killed, "samples.jsonl"), "the samples differ");

    for folder in [&whole, &killed] {
        let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
        assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"), "{page}");
        assert!(page.contains("data:image/png;base64,") && page.contains("scene/gen-size-7-1"), "{page}");
        let picture = bytes(folder, "curve.png");
        assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n") && picture.ends_with(b"IEND\xaeB`\x82"), "curve.png is cut");
    }
}

/// The file that `make train-demo` runs, with fewer updates. On one thread the same weights come out each time.
#[test]
fn the_first_level_of_the_scene_domain_is_learnt() {
    let temporary = tempfile::tempdir().unwrap();
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rl/trainer/runs/size.toml");
    let (folder, server) = (temporary.path().join("run"), format!("server.serve={}", text(&binary().unwrap())));
    let args = ["run", text(&config), "--folder", text(&folder), "--set", &server, "--steps", "80", "--json"];
    let (code, out, error) = run(&args);
    assert_eq!(code, 0, "{error}");
    let outcome: Value = serde_json::from_str(&out).unwrap();
    let value = |name: &str| outcome[name].as_f64().unwrap();
    assert!(value("random") < 0.35 && value("last") > 0.8, "{outcome}");
}

#[test]
fn an_interrupted_run_finishes_its_step_and_says_how_to_go_on() {
    let temporary = tempfile::tempdir().unwrap();
    let [folder, log] = ["run", "log"].map(|name| temporary.path().join(name));
    let config = written(temporary.path(), &serve());
    let endless = ["run", text(&config), "--steps", "100000", "--folder", text(&folder), "--set", "checkpoint.every=0"];
    let mut trainer = Process::trainer(&[&endless[..], &["--set", "evaluation.every=0"]].concat(), &log);
    trainer.until(|| steps(&folder) >= 1);
    let servers = children(trainer.0.id());
    trainer.signal("-TERM");
    let (code, told) = (trainer.ended(), std::fs::read_to_string(&log).unwrap());
    let made = steps(&folder);
    assert_eq!(code, Some(130), "{told}");
    for expected in
        [format!("interrupted after {made} of 100000"), format!("`maquette-train resume {}`", text(&folder))]
    {
        assert!(told.contains(&expected), "{expected}: {told}");
    }
    assert_gone(&servers);
    assert!(checkpoint(&folder, made).join("state.json").exists(), "no checkpoint of step {made}");

    let more = (made + 1).to_string();
    let (code, out, error) = run(&["resume", text(&folder), "--steps", &more, "--json"]);
    assert_eq!(code, 0, "{error}");
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["steps"], made + 1);
}

#[test]
fn a_second_signal_ends_a_run_at_once() {
    let temporary = tempfile::tempdir().unwrap();
    let [folder, log] = ["run", "log"].map(|name| temporary.path().join(name));
    let config = written(temporary.path(), &serve());
    let endless = ["run", text(&config), "--steps", "100000", "--folder", text(&folder)];
    let mut trainer = Process::trainer(&endless, &log);
    trainer.until(|| steps(&folder) >= 1);
    // A server that stands still keeps the step from its end.
    let servers = children(trainer.0.id());
    signal("-STOP", servers[0]);
    sleep(Duration::from_secs(1));
    trainer.signal("-TERM");
    sleep(Duration::from_millis(500));
    let is_up = trainer.0.try_wait().unwrap().is_none();
    let begin = Instant::now();
    if is_up {
        trainer.signal("-INT");
    }
    let code = trainer.ended();
    signal("-CONT", servers[0]);
    assert!(is_up, "a step ended without its server");
    assert!(code == Some(130) && begin.elapsed() < SOON, "{code:?} after {:?}", begin.elapsed());
    assert_gone(&servers);
}

#[test]
fn a_server_can_end_with_its_standard_input() {
    let mut command = maquette(&["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--until-stdin-closes"]).unwrap();
    let mut server = Process(command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap());
    sleep(Duration::from_secs(1));
    assert!(server.0.try_wait().unwrap().is_none(), "it has ended before");
    drop(server.0.stdin.take());
    assert_eq!(server.ended(), Some(0));
}

#[test]
fn a_server_ends_with_the_python_client_that_started_it() {
    let script = "import sys, time; from pathlib import Path; from maquette.play import served\n\
                  with served(Path(sys.argv[1])): Path(sys.argv[2]).touch(); time.sleep(600)";
    let temporary = tempfile::tempdir().unwrap();
    let up = temporary.path().join("up");
    let mut command = process(python());
    command.args(["-c", script, text(&binary().unwrap()), text(&up)]);
    let mut client = Process(command.spawn().unwrap());
    client.until(|| up.exists());
    client.kill();
}

#[test]
fn mistakes_are_told_with_what_to_do() {
    let temporary = tempfile::tempdir().unwrap();
    let names = ["run", "nothing", "misspelt.toml", "nowhere.toml"];
    let [folder, nothing, misspelt, nowhere] = names.map(|name| temporary.path().join(name));
    let config = written(temporary.path(), &serve());
    std::fs::write(&misspelt, format!("{RUN}\n[server]\n{}\n[optimiser]\n", serve())).unwrap();
    let of_config = |set: &'static str| vec!["run", text(&config), "--folder", text(&folder), "--set", set];
    for (args, expected) in [
        (of_config("rollout.members=1"), vec!["rollout.members is 1; 2 or more"]),
        (of_config("rollout.memebrs=8"), vec!["unknown field `memebrs`", "`members`"]),
        (of_config("server.serve=/no/such/program"), vec!["/no/such/program", "make build", "address"]),
        (of_config("server.address=http://127.0.0.1:1"), vec!["give either address or serve"]),
        (vec!["run", text(&misspelt)], vec!["unknown field `optimiser`", "`optimizer`"]),
        (vec!["run", text(&nowhere)], vec!["nowhere.toml", "rl/trainer/runs/size.toml"]),
        (vec!["resume", text(&nothing)], vec!["holds no run"]),
    ] {
        misled(&args, &expected);
    }
    for (name, set, expected) in [
        ("ended", "server.serve=/bin/false", "/bin/false ended without saying where it listens"),
        ("domain", "tasks.0.domain=scnee", "the nearest are scene"),
    ] {
        let folder = temporary.path().join(name);
        misled(&["run", text(&config), "--folder", text(&folder), "--set", set], &[expected]);
    }
    let unreachable = written(temporary.path(), "address = \"http://127.0.0.1:1\"");
    let elsewhere = temporary.path().join("elsewhere");
    misled(&["run", text(&unreachable), "--folder", text(&elsewhere)], &["http://127.0.0.1:1", "maquette serve"]);
}

/// Exit code 2, all of `expected` on standard error, and nothing on standard output that a program would take for JSON.
fn misled(args: &[&str], expected: &[&str]) {
    let (code, out, error) = run(&[args, &["--json"]].concat());
    assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {error}");
    assert!(error.starts_with("error: "), "{args:?}: {error}");
    for part in expected {
        assert!(error.contains(part), "{args:?}: {part:?} is not in {error}");
    }
}
