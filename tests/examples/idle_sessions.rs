//! How much memory the built server holds for 10,000 sessions of the scene domain that were opened and stand idle:
//! siblings, and one by one.

use anyhow::{Context, Result};
use rl_protocol::{Episode, OpenSpec, RemoteDomain, connect};
use std::time::{Duration, Instant};
use tokio::time::sleep;
use workspace_tests::Server;

const TASK: &str = "scene/table";
const SESSIONS: u32 = 10_000;
const SIBLINGS: u32 = 1_000;
/// For what the requests took to be given back.
const SETTLED: Duration = Duration::from_secs(2);

#[tokio::main]
async fn main() -> Result<()> {
    println!("{SESSIONS} idle sessions of {TASK}");
    held(SIBLINGS).await?;
    held(1).await
}

/// Each Open opens `count`.
async fn held(count: u32) -> Result<()> {
    let mut server = Server::start(&["--max-sessions", "10001", "--lease-secs", "3600"], &[])?;
    let domain = RemoteDomain::new(connect(&server.uri).await?, "scene");
    let spec = |count| OpenSpec { task_id: TASK.into(), count, seed: 0, profile: None, tool_groups: Vec::new() };
    // What only the first session costs.
    let first = domain.open_sessions(spec(1)).await?;
    sleep(SETTLED).await;
    let before_kib = server.resident_kib()?;

    let begin = Instant::now();
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS / count {
        sessions.append(&mut domain.open_sessions(spec(count)).await?);
    }
    let opened_secs = begin.elapsed().as_secs_f64();
    sleep(SETTLED).await;
    let kib = server.resident_kib()?.saturating_sub(before_kib);
    sessions.last_mut().context("no session was opened")?.step(Vec::new()).await?;
    println!(
        "{count} by one Open: {:.1} MiB, {:.2} KiB a session, beside {:.1} MiB without them; opened in {opened_secs:.1} s",
        kib as f64 / 1024.0,
        kib as f64 / f64::from(SESSIONS),
        before_kib as f64 / 1024.0,
    );
    // Before its clients, who else would close each session.
    server.kill();
    drop((first, sessions));
    Ok(())
}
