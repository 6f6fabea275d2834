#[path = "../../examples/soak/leftovers.rs"]
#[allow(dead_code, reason = "the soak looks for more")]
mod leftovers;

use crate::harness::{SPAWNER, config, process};
use leftovers::{descendants, groups_of, mounts};
use sandbox::{Command, Engine, Limits};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const KILLS: u64 = 12;
const SOON: Duration = Duration::from_secs(2);
const WORKER: &str = "MAQUETTE_TEST_WORKER";

/// A server that does nothing but run sandboxes, in a process of its own, until it is killed.
#[test]
fn worker() {
    if std::env::var_os(WORKER).is_none() {
        return;
    }
    let engine = Engine::start(config()).unwrap();
    println!("\nspawners {:?}", engine.spawner_pids());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut tree = engine.tree().unwrap();
                loop {
                    let script = "(setsid sleep 1000 &); sleep 0.02; echo x >> file";
                    tree = engine.run(&tree, &Command::shell(script), &Limits::default()).unwrap().1;
                }
            });
        }
    });
}

fn start_worker() -> (Child, Vec<u32>) {
    let mut command = process(std::env::current_exe().unwrap());
    command.args(["server::worker", "--exact", "--nocapture"]).env(WORKER, "1");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let pids = lines.find_map(|line| line.unwrap().strip_prefix("spawners ").map(str::to_owned)).unwrap();
    (child, serde_json::from_str(&pids).unwrap())
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < SOON, "{what}");
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_server_that_is_killed_leaves_nothing() {
    let before = mounts();
    for round in 0..KILLS {
        let (mut child, spawners) = start_worker();
        sleep(Duration::from_millis(30 + 37 * round));
        let all = descendants(&spawners);
        // An engine of another test may clear them away as soon as it is dead.
        assert!(!groups_of(child.id()).is_empty(), "it has made no control groups");
        child.kill().unwrap();
        child.wait().unwrap();
        until("processes are left", || descendants(&all).is_empty());
        // The next engine clears away; one of another test may be at it already.
        drop(Engine::start(config()).unwrap());
        until("control groups are left", || groups_of(child.id()).is_empty());
    }
    assert_eq!(mounts(), before);
}

#[test]
fn an_engine_that_ends_leaves_nothing_and_disturbs_no_other() {
    let (one, other) = (Engine::start(config()).unwrap(), Engine::start(config()).unwrap());
    let tree = other.tree().unwrap();
    let pids = one.spawner_pids();
    one.run(&one.tree().unwrap(), &Command::new(["true"]), &Limits::default()).unwrap();
    drop(one);
    assert!(descendants(&pids).is_empty());
    assert!(other.run(&tree, &Command::new(["true"]), &Limits::default()).unwrap().0.exit.is_success());
}

#[test]
fn limits_that_the_kernel_refuses_are_an_error_that_names_them() {
    let engine = Engine::start(config()).unwrap();
    let limits = Limits { cpus: 1e12, ..Limits::default() };
    let told = engine.run(&engine.tree().unwrap(), &Command::new(["true"]), &limits).unwrap_err().to_string();
    assert!(told.contains("cpu"), "{told}");
    drop(engine);
}

#[test]
fn a_lock_file_that_is_damaged_stops_no_engine() {
    let path = std::path::Path::new("/run/maquette/maquette-1-damaged");
    std::fs::create_dir_all("/run/maquette").unwrap();
    std::fs::write(path, b"\xff\n").unwrap();
    let started = Engine::start(config());
    let _ = std::fs::remove_file(path);
    assert!(started.is_ok(), "{:?}", started.err().map(|error| error.to_string()));
}

#[test]
fn a_spawner_that_is_lost_is_replaced() {
    let engine = Engine::start(config()).unwrap();
    let tree = engine.tree().unwrap();
    let run = || engine.run(&tree, &Command::new(["true"]), &Limits::default());
    for pid in engine.spawner_pids() {
        assert!(process("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
    }
    // One question to each finds out.
    let failures = (0..8).filter(|_| run().is_err()).count();
    assert!(failures <= engine.spawner_pids().len(), "{failures} failures");
    assert!(run().unwrap().0.exit.is_success());
}

#[test]
fn a_spawner_that_stands_still_is_waited_for_and_replaced() {
    let engine = Engine::start(sandbox::EngineConfig { spawners: 1, ..config() }).unwrap();
    let tree = engine.tree().unwrap();
    let [spawner] = engine.spawner_pids()[..] else { panic!("one was asked for") };
    assert!(process("kill").args(["-STOP", &spawner.to_string()]).status().unwrap().success());
    let begin = Instant::now();
    assert!(engine.run(&tree, &Command::new(["true"]), &Limits::default()).is_err());
    assert!(begin.elapsed() < Duration::from_secs(30));
    assert!(engine.run(&tree, &Command::new(["true"]), &Limits::default()).unwrap().0.exit.is_success());
    assert!(descendants(&[spawner]).is_empty());
}

#[test]
fn a_spawner_that_cannot_be_started_is_told() {
    let config = sandbox::EngineConfig::new(vec![format!("{SPAWNER}-that-is-not-there"), "spawner".into()]);
    let told = Engine::start(config).err().unwrap().to_string();
    assert!(told.contains("that-is-not-there") && told.contains("No such file"), "{told}");
}
