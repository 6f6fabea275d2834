//! How many no-op steps per second one server answers over gRPC on this machine: 64 sessions, each with one step in
//! flight, client and server on the same cores. Prints `steps/s p50 p99`.

use rl_conformance::{CounterDomain, Loopback};
use rl_protocol::{Domain, DomainError, Episode, OpenSpec, RemoteDomain, ServeConfig, connect};
use std::{
    error::Error,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::task::JoinSet;

const IN_FLIGHT: u32 = 64;
const CONNECTIONS: u32 = 4;
const WARM_UP: Duration = Duration::from_secs(1);
const MEASURED: Duration = Duration::from_secs(5);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Loopback::start(vec![Arc::new(CounterDomain)], ServeConfig::default()).await?;
    let mut players = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let domain = RemoteDomain::new(connect(server.uri()).await?, "counter");
        let task_id = CounterDomain::sample().task_id;
        let count = IN_FLIGHT / CONNECTIONS;
        let spec = OpenSpec { task_id, count, seed: 0, profile: None, tool_groups: Vec::new() };
        for episode in domain.open(spec).await? {
            players.spawn(play(episode));
        }
    }
    let mut latencies = Vec::new();
    while let Some(played) = players.join_next().await {
        latencies.append(&mut played??);
    }
    latencies.sort_unstable();
    let at = |share: f64| {
        let rank = (latencies.len() as f64 * share) as usize;
        latencies.get(rank).copied().unwrap_or_default()
    };
    let rate = latencies.len() as f64 / MEASURED.as_secs_f64();
    println!("{rate:.0} steps/s  p50 {:?}  p99 {:?}", at(0.5), at(0.99));
    server.stop().await?;
    Ok(())
}

/// Latencies of the steps that began after the warm-up.
async fn play(mut episode: Box<dyn Episode>) -> Result<Vec<Duration>, DomainError> {
    let begin = Instant::now();
    let mut latencies = Vec::new();
    while begin.elapsed() < WARM_UP + MEASURED {
        let sent = Instant::now();
        episode.step(Vec::new()).await?;
        if sent.duration_since(begin) >= WARM_UP {
            latencies.push(sent.elapsed());
        }
    }
    Ok(latencies)
}
