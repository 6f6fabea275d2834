use crate::harness::{SPAWNER, config};
use sandbox::{Command, Engine, Limits};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
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
    let mut command = Process::new(std::env::current_exe().unwrap());
    command.args(["server::worker", "--exact", "--nocapture"]).env(WORKER, "1");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let pids = lines.find_map(|line| line.unwrap().strip_prefix("spawners ").map(str::to_owned)).unwrap();
    (child, serde_json::from_str(&pids).unwrap())
}

/// Of cgroups, wherever they are mounted.
fn groups() -> Vec<PathBuf> {
    fn below(directory: &Path, depth: usize, found: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(directory) else { return };
        for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            if entry.file_name().to_string_lossy().starts_with("maquette-") {
                found.push(entry.path());
            } else if depth < 6 {
                below(&entry.path(), depth + 1, found);
            }
        }
    }
    let mut found = Vec::new();
    below(Path::new("/sys/fs/cgroup"), 0, &mut found);
    found
}

fn of(pid: u32) -> Vec<PathBuf> {
    let prefix = format!("maquette-{pid}-");
    groups().into_iter().filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(&prefix)).collect()
}

/// Of the processes that run, those whose parents lead to one of these.
fn descendants(of: &[u32]) -> Vec<u32> {
    let stat = |pid: u32| -> Option<(char, u32)> {
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let mut fields = text.rsplit_once(") ")?.1.split(' ');
        Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
    };
    let entries = std::fs::read_dir("/proc").unwrap();
    let pids: Vec<u32> =
        entries.flatten().filter_map(|entry| entry.file_name().to_string_lossy().parse().ok()).collect();
    let mut found: Vec<u32> =
        of.iter().copied().filter(|pid| stat(*pid).is_some_and(|(state, _)| state != 'Z')).collect();
    loop {
        let more: Vec<u32> = pids
            .iter()
            .copied()
            .filter(|pid| !found.contains(pid) && stat(*pid).is_some_and(|(_, parent)| found.contains(&parent)))
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
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
    let mounts = || std::fs::read_to_string("/proc/self/mountinfo").unwrap().lines().count();
    let before = mounts();
    for round in 0..KILLS {
        let (mut child, spawners) = start_worker();
        sleep(Duration::from_millis(30 + 37 * round));
        let all = descendants(&spawners);
        child.kill().unwrap();
        child.wait().unwrap();
        until("processes are left", || descendants(&all).is_empty());
        if round == 0 {
            assert!(!of(child.id()).is_empty(), "it has made no control groups");
        }
        // The next engine clears away.
        drop(Engine::start(config()).unwrap());
        assert_eq!(of(child.id()), Vec::<PathBuf>::new());
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
fn a_spawner_that_is_lost_is_replaced() {
    let engine = Engine::start(config()).unwrap();
    let tree = engine.tree().unwrap();
    let run = || engine.run(&tree, &Command::new(["true"]), &Limits::default());
    for pid in engine.spawner_pids() {
        assert!(Process::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
    }
    // One question to each finds out.
    let failures = (0..8).filter(|_| run().is_err()).count();
    assert!(failures <= engine.spawner_pids().len(), "{failures} failures");
    assert!(run().unwrap().0.exit.is_success());
}

#[test]
fn a_spawner_that_cannot_be_started_is_told() {
    let config = sandbox::EngineConfig::new(vec![format!("{SPAWNER}-that-is-not-there"), "spawner".into()]);
    let told = Engine::start(config).err().unwrap().to_string();
    assert!(told.contains("that-is-not-there") && told.contains("No such file"), "{told}");
}
