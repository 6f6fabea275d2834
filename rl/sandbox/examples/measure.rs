//! What a sandbox costs, beside bubblewrap (and runc's like are slower) in the same run: `measure SPAWNER [ROUNDS]`, where
//! SPAWNER is the built `maquette-sandbox`. Prints tables, with what is aimed at.

#![expect(clippy::disallowed_methods, reason = "a peer is measured beside")]

use anyhow::{Context, Result, ensure};
use sandbox::{Command, Engine, EngineConfig, Event, Limits, Tree};
use std::process::{Command as Process, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const FILES: usize = 5_000;
const FILE_BYTES: usize = 10_000;
const DEPTH: usize = 40;
const ROOMY: u64 = 1 << 30;
/// Of the kill that is measured.
const PROCESSES: usize = 32;
const TURNS: usize = 8;
const PAUSE: Duration = Duration::from_millis(500);
const WALL: Duration = Duration::from_millis(200);

/// Like the sandbox's own: everything unshared, /usr alone.
const BUBBLEWRAP: [&str; 22] = [
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--ro-bind",
    "/usr",
    "/usr",
    "--symlink",
    "usr/lib",
    "/lib",
    "--symlink",
    "usr/lib64",
    "/lib64",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",
    "--tmpfs",
    "/work",
    "--",
    "/usr/bin/true",
];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let spawner = arguments.next().context("the path of maquette-sandbox is missing")?;
    let rounds = arguments.next().map_or(Ok(400), |given| given.parse()).context("ROUNDS")?;
    let engine = Engine::start(EngineConfig::new(vec![spawner, "spawner".into()]))?;
    let limits = Limits { disk_bytes: ROOMY, inodes: 100_000, ..Limits::default() };

    starts(&engine, &limits, rounds)?;
    layers(&engine, &limits)?;
    kills(&engine, &limits)
}

/// From nothing to nothing: a tree, a command in it, and its end.
fn starts(engine: &Engine, limits: &Limits, rounds: usize) -> Result<()> {
    let one = || -> Result<()> {
        let (report, _) = engine.run(&engine.tree()?, &Command::new(["/usr/bin/true"]), limits)?;
        ensure!(report.exit.is_success(), "{report:?}");
        Ok(())
    };
    let bubblewrap = || -> Result<()> {
        let status = Process::new("bwrap").args(BUBBLEWRAP).stdin(Stdio::null()).status()?;
        ensure!(status.success(), "bwrap ends with {status}");
        Ok(())
    };
    let has_bubblewrap = bubblewrap().is_ok();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // In turns, with a pause in which the kernel frees what the other one has used.
    for _ in 0..TURNS {
        thread::sleep(PAUSE);
        for _ in 0..rounds / TURNS {
            ours.push(timed(&mut &one)?);
        }
        thread::sleep(PAUSE);
        for _ in 0..if has_bubblewrap { rounds / TURNS } else { 0 } {
            theirs.push(timed(&mut &bubblewrap)?);
        }
    }
    println!("Aimed at: p50 3 ms, p99 20 ms, 200 a second.");
    println!("| create, run `true`, destroy | p50, ms | p99, ms | a second, {} at once |", threads());
    println!("|---|---|---|---|");
    thread::sleep(PAUSE);
    let rate = throughput(rounds, &one)?;
    println!("| sandbox | {:.2} | {:.2} | {rate:.0} |", percentile(&mut ours, 50), percentile(&mut ours, 99));
    if has_bubblewrap {
        thread::sleep(PAUSE);
        let other = throughput(rounds, &bubblewrap)?;
        println!(
            "| bubblewrap | {:.2} | {:.2} | {other:.0} |",
            percentile(&mut theirs, 50),
            percentile(&mut theirs, 99)
        );
        println!(
            "ratio of p50 {:.2}, of throughput {:.2}",
            percentile(&mut theirs, 50) / percentile(&mut ours, 50),
            rate / other
        );
    } else {
        println!("bubblewrap is not installed: no ratio");
    }
    println!();
    Ok(())
}

fn layers(engine: &Engine, limits: &Limits) -> Result<()> {
    let bytes = vec![b'x'; FILE_BYTES];
    let (_, base) = engine.edit(&engine.tree()?, limits, |edit| {
        (0..FILES).try_for_each(|file| edit.write(&format!("work/{}/{file}", file % 50), &bytes, 0o644))
    })?;
    let mut trees = vec![base];
    for depth in 0..DEPTH {
        let command = Command::shell(&format!("for i in $(seq 20); do echo {depth} > {depth}/$i; done"));
        let (report, tree) = engine.run(&trees[trees.len() - 1], &command, limits)?;
        ensure!(report.exit.is_success(), "{report:?}");
        trees.push(tree);
    }
    let deepest = trees[trees.len() - 1].clone();
    // What an action pays for being undoable: its layer and overlay.
    let mut snapshots = Vec::new();
    for _ in 0..200 {
        snapshots.push(timed(&mut || Ok(engine.edit(&deepest, limits, |_| Ok(()))?))?);
    }
    let remove = Command::shell("rm -rf /work/*");
    let mut rollbacks = Vec::new();
    for _ in 0..20 {
        let (report, emptied) = engine.run(&deepest, &remove, limits)?;
        ensure!(report.exit.is_success(), "{report:?}");
        let mut now: Tree = emptied;
        rollbacks.push(timed(&mut || {
            now = deepest.clone();
            Ok(engine.view(&now)?.stat("work/1/1")?)
        })?);
    }
    let mut flattened = Vec::new();
    for _ in 0..10 {
        flattened.push(timed(&mut || Ok(engine.flattened(&deepest, 2)?))?);
    }
    println!("Aimed at: snapshot p50 1 ms, rollback p50 5 ms.");
    println!("| at {FILES} files, depth {} | p50, ms | p99, ms |", deepest.depth());
    println!("|---|---|---|");
    for (name, times) in [("snapshot", &mut snapshots), ("rollback", &mut rollbacks), ("flatten", &mut flattened)] {
        println!("| {name} | {:.2} | {:.2} |", percentile(times, 50), percentile(times, 99));
    }
    println!();
    Ok(())
}

fn kills(engine: &Engine, limits: &Limits) -> Result<()> {
    let command = Command::shell(&format!("for i in $(seq {}); do sleep 100 & done; wait", PROCESSES - 1));
    let limits = Limits { wall: WALL, ..limits.clone() };
    let (mut kills, mut overshoots) = (Vec::new(), Vec::new());
    for _ in 0..30 {
        let begin = Instant::now();
        let (report, _) = engine.run(&engine.tree()?, &command, &limits)?;
        ensure!(report.events.contains(&Event::WallTimeout), "{report:?}");
        kills.push(report.kill_us.unwrap_or_default() as f64 / 1e3);
        overshoots.push((begin.elapsed().saturating_sub(WALL)).as_secs_f64() * 1e3);
    }
    println!("Aimed at: kill 10 ms, overshoot 20 ms.");
    println!("| {PROCESSES} processes, {} ms allowed | p50, ms | p99, ms |", WALL.as_millis());
    println!("|---|---|---|");
    println!("| kill | {:.2} | {:.2} |", percentile(&mut kills, 50), percentile(&mut kills, 99));
    println!(
        "| more than allowed, with start and end | {:.2} | {:.2} |",
        percentile(&mut overshoots, 50),
        percentile(&mut overshoots, 99)
    );
    Ok(())
}

/// Milliseconds.
fn timed<T>(work: &mut (impl FnMut() -> Result<T> + ?Sized)) -> Result<f64> {
    let begin = Instant::now();
    work()?;
    Ok(begin.elapsed().as_secs_f64() * 1e3)
}

fn threads() -> usize {
    2 * thread::available_parallelism().map_or(1, usize::from)
}

/// A second, of many at once.
fn throughput(rounds: usize, one: &(impl Fn() -> Result<()> + Sync)) -> Result<f64> {
    let begin = Instant::now();
    let results = thread::scope(|scope| {
        let workers: Vec<_> =
            (0..threads()).map(|_| scope.spawn(|| (0..rounds / threads()).try_for_each(|_| one()))).collect();
        workers.into_iter().map(|worker| worker.join()).collect::<Vec<_>>()
    });
    for result in results {
        result.map_err(|_| anyhow::anyhow!("a thread panicked"))??;
    }
    Ok((rounds / threads() * threads()) as f64 / begin.elapsed().as_secs_f64())
}

/// Nearest rank.
fn percentile(times: &mut [f64], percent: usize) -> f64 {
    times.sort_by(f64::total_cmp);
    times[(times.len() * percent / 100).min(times.len() - 1)]
}
