//! Runs sandboxes by the hundred thousand, kills servers by the hundred, and looks for what they leave:
//! `soak SPAWNER [SANDBOXES] [KILLS]`, where SPAWNER is the built `maquette-sandbox`. Fails where anything is left.

mod leftovers;

use anyhow::{Context, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use leftovers::{descendants, descriptors, groups_of, mounts};
use sandbox::{Command, Engine, EngineConfig, Limits};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command as Process, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const WORKER: &str = "worker";
const SPAWNERS: &str = "spawners ";
const GONE_WITHIN: Duration = Duration::from_secs(1);
/// What threads of the runtime and of flattening may come and go with.
const DESCRIPTORS_MORE: usize = 8;

/// What programs do that end well, badly, and not at all.
const SCRIPTS: [&str; 6] = [
    "true",
    "echo x >> file; exit 3",
    "(setsid sleep 1000 &); echo left",
    "kill -9 $$",
    "head -c 200000 /dev/zero > zeros; rm -f zeros; mkdir -p d/e; ln -sf /etc/passwd d/link",
    "sleep 1000",
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [worker, spawner] if worker == WORKER => work(spawner),
        [spawner, rest @ ..] => {
            let number = |index: usize, default: u64| -> Result<u64> {
                rest.get(index).map_or(Ok(default), |given| given.parse().context("a number is expected"))
            };
            sandboxes(spawner, number(0, 100_000)?)?;
            kills(spawner, number(1, 200)?)
        }
        [] => anyhow::bail!("the path of maquette-sandbox is missing"),
    }
}

fn engine(spawner: &str) -> Result<Engine> {
    Ok(Engine::start(EngineConfig::new(vec![spawner.to_owned(), "spawner".into()]))?)
}

fn limits() -> Limits {
    Limits { wall: Duration::from_millis(100), ..Limits::default() }
}

fn bar(count: u64, what: &'static str) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")?;
    Ok(ProgressBar::new(count).with_style(style).with_message(what))
}

fn sandboxes(spawner: &str, count: u64) -> Result<()> {
    let engine = engine(spawner)?;
    // What is made once is there before it is counted.
    engine.run(&engine.tree()?, &Command::new(["true"]), &limits())?;
    let (mounts_before, descriptors_before) = (mounts(), descriptors());
    let (begin, bar) = (Instant::now(), bar(count, "sandboxes")?);
    let threads = 2 * thread::available_parallelism().map_or(1, usize::from) as u64;
    let results = thread::scope(|scope| {
        let play = |first: u64| -> Result<()> {
            let mut tree = engine.tree()?;
            for index in (first..count).step_by(threads as usize) {
                // One in fifty sleeps until it is killed.
                let script =
                    SCRIPTS[if index % 50 == 0 { SCRIPTS.len() - 1 } else { index as usize % (SCRIPTS.len() - 1) }];
                tree = engine.run(&tree, &Command::shell(script), &limits())?.1;
                if index % 7 == 0 {
                    tree = engine.tree()?;
                }
                bar.inc(1);
            }
            Ok(())
        };
        let workers: Vec<_> = (0..threads).map(|first| scope.spawn(move || play(first))).collect();
        workers.into_iter().map(thread::ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    for result in results {
        result.map_err(|_| anyhow::anyhow!("a thread panicked"))??;
    }
    bar.finish();
    let rate = count as f64 / begin.elapsed().as_secs_f64();
    thread::sleep(GONE_WITHIN);
    let (spawners, pid) = (engine.spawner_pids(), std::process::id());
    let sandboxes_left = descendants(&spawners).len() - spawners.len();
    let (mounts_more, descriptors_more) =
        (mounts().saturating_sub(mounts_before), descriptors().saturating_sub(descriptors_before));
    drop(engine);
    let (processes_left, groups_left) = (descendants(&spawners).len(), groups_of(pid).len());
    println!(
        "{count} sandboxes, {rate:.0} a second; left: {sandboxes_left} processes, {mounts_more} mounts, \
         {descriptors_more} descriptors; after the engine's end {processes_left} processes, {groups_left} control groups"
    );
    ensure!(sandboxes_left + mounts_more + processes_left + groups_left == 0, "something is left");
    ensure!(descriptors_more <= DESCRIPTORS_MORE, "descriptors are left");
    Ok(())
}

fn kills(spawner: &str, count: u64) -> Result<()> {
    let (mounts_before, bar) = (mounts(), bar(count, "kills")?);
    let mut slowest = Duration::ZERO;
    for round in 0..count {
        let (mut child, spawners) = worker(spawner)?;
        // Another moment each time, spread over what a worker does.
        thread::sleep(Duration::from_millis(round * 37 % 300));
        let all = descendants(&spawners);
        child.kill()?;
        child.wait()?;
        let killed = Instant::now();
        while !descendants(&all).is_empty() {
            ensure!(killed.elapsed() < GONE_WITHIN, "round {round}: processes are left: {:?}", descendants(&all));
            thread::sleep(Duration::from_millis(1));
        }
        slowest = slowest.max(killed.elapsed());
        // The next engine clears away.
        drop(engine(spawner)?);
        let groups = groups_of(child.id());
        ensure!(groups.is_empty(), "round {round}: {groups:?} are left");
        bar.inc(1);
    }
    bar.finish();
    println!(
        "{count} kills of a server; all processes gone after {} ms at most, no control group left",
        slowest.as_millis()
    );
    ensure!(mounts() == mounts_before, "mounts are left");
    Ok(())
}

/// A server that does nothing but run sandboxes, and its spawners.
fn worker(spawner: &str) -> Result<(Child, Vec<u32>)> {
    #[expect(clippy::disallowed_methods, reason = "this program itself")]
    let mut command = Process::new(std::env::current_exe()?);
    let mut child = command.args([WORKER, spawner]).stdout(Stdio::piped()).spawn()?;
    let stdout = child.stdout.take().context("no output")?;
    let line = BufReader::new(stdout).lines().next().context("the worker says nothing")??;
    let pids = line.strip_prefix(SPAWNERS).context("the worker does not say its spawners")?;
    Ok((child, serde_json::from_str(pids)?))
}

fn work(spawner: &str) -> Result<()> {
    let engine = engine(spawner)?;
    println!("{SPAWNERS}{:?}", engine.spawner_pids());
    let results = thread::scope(|scope| {
        let play = || -> Result<()> {
            let mut tree = engine.tree()?;
            loop {
                for script in SCRIPTS {
                    tree = engine.run(&tree, &Command::shell(script), &limits())?.1;
                }
            }
        };
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(play)).collect();
        workers.into_iter().map(thread::ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    results.into_iter().try_for_each(|result| result.map_err(|_| anyhow::anyhow!("a thread panicked"))?)
}
