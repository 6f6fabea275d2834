//! How many steps a second the built server answers over gRPC in the scene of a table: 64 sessions, each with one step in
//! flight, on four connections. No-op steps, and steps that move a leg of the table.

use anyhow::{Context, Result, ensure};
use rl_conformance::{Load, Stopwatch};
use rl_protocol::{Episode, OpenSpec, RemoteDomain, RemoteEpisode, ToolCall, connect};
use std::time::Instant;
use tokio::task::JoinSet;
use workspace_tests::Server;

const TASK: &str = "scene/table";
const LOG: &str = include_str!("../../assets/tasks/scene/table.calls.jsonl");
const IN_FLIGHT: u32 = 64;
const CONNECTIONS: u32 = 4;

#[tokio::main]
async fn main() -> Result<()> {
    let server = Server::start(&[], &[])?;
    println!("no-op Step, scene of a table: {}", load(&server, [Vec::new(), Vec::new()]).await?);
    println!("Step of node.set_transform: {}", load(&server, [0.01, -0.01].map(moved)).await?);
    Ok(())
}

/// A leg along x.
fn moved(by_m: f64) -> Vec<ToolCall> {
    let arguments_json = format!(r#"{{"node":"n_3","move_by_m":[{by_m},0,0]}}"#);
    vec![ToolCall { name: "node.set_transform".into(), arguments_json }]
}

/// Of sessions that each play these two steps in turns.
async fn load(server: &Server, turns: [Vec<ToolCall>; 2]) -> Result<Load> {
    let mut sessions = Vec::new();
    for _ in 0..CONNECTIONS {
        let domain = RemoteDomain::new(connect(&server.uri).await?, "scene");
        sessions.append(&mut tables(&domain, IN_FLIGHT / CONNECTIONS).await?);
    }
    let (watch, mut players) = (Stopwatch::start(), JoinSet::new());
    for session in sessions {
        players.spawn(play(session, turns.clone(), watch.clone()));
    }
    let mut watches = Vec::new();
    while let Some(played) = players.join_next().await {
        watches.push(played??);
    }
    Ok(Load::of(&watches))
}

/// Sessions in which the reference table stands.
async fn tables(domain: &RemoteDomain, count: u32) -> Result<Vec<RemoteEpisode>> {
    let spec = OpenSpec { task_id: TASK.into(), count: 1, seed: 0, profile: None, tool_groups: Vec::new() };
    let mut first = domain.open_sessions(spec).await?.pop().context("no session was opened")?;
    let builds = |call: &ToolCall| !["query.overlaps", "scene.export", "episode.submit"].contains(&&*call.name);
    let built = first.step(ToolCall::from_log(LOG)?.into_iter().filter(builds).collect()).await?;
    ensure!(built.results.iter().all(|result| result.ok), "{:?}", built.results);
    let mut sessions = first.forks(None, count - 1).await?;
    sessions.push(first);
    Ok(sessions)
}

async fn play(mut session: RemoteEpisode, turns: [Vec<ToolCall>; 2], mut watch: Stopwatch) -> Result<Stopwatch> {
    let start = session.snapshot().await?;
    for turn in turns.iter().cycle() {
        if !watch.is_running() {
            break;
        }
        let sent = Instant::now();
        let outcome = session.step(turn.clone()).await?;
        watch.note(sent);
        ensure!(outcome.results.iter().all(|result| result.ok), "{:?}", outcome.results);
        // The calls are used up; a rollback gives them back.
        if outcome.budget.calls_left <= 1 {
            session.rollback(&start).await?;
        }
    }
    Ok(watch)
}
