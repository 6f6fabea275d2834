//! How many no-op steps a second one server answers over gRPC on this machine, beside a service of tonic alone that gives
//! back what it gets: 64 calls in flight on four connections, client and server on the same cores.

mod echo;

use rl_conformance::{CounterDomain, Load, Loopback, Stopwatch};
use rl_protocol::{Domain, Episode, OpenSpec, RemoteDomain, ServeConfig, connect};
use std::{error::Error, sync::Arc, time::Instant};
use tokio::task::JoinSet;

const IN_FLIGHT: u32 = 64;
const CONNECTIONS: u32 = 4;

type Failure = Box<dyn Error + Send + Sync>;
type Callers = JoinSet<Result<Stopwatch, Failure>>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let bare = echo::load().await?;
    println!("tonic alone, an echo: {bare}");
    let steps = steps().await?;
    println!("no-op Step: {steps}");
    println!("ratio: {:.2}", steps.per_sec() / bare.per_sec());
    Ok(())
}

async fn steps() -> Result<Load, Failure> {
    let server = Loopback::start(vec![Arc::new(CounterDomain)], ServeConfig::default()).await?;
    let mut episodes = Vec::new();
    for _ in 0..CONNECTIONS {
        let domain = RemoteDomain::new(connect(server.uri()).await?, "counter");
        let (task_id, count) = (CounterDomain::sample().task_id, IN_FLIGHT / CONNECTIONS);
        let spec = OpenSpec { task_id, count, seed: 0, profile: None, tool_groups: Vec::new() };
        episodes.append(&mut domain.open(spec).await?);
    }
    let (watch, mut callers) = (Stopwatch::start(), Callers::new());
    for episode in episodes {
        callers.spawn(play(episode, watch.clone()));
    }
    let load = of_all(callers).await?;
    server.stop().await?;
    Ok(load)
}

async fn play(mut episode: Box<dyn Episode>, mut watch: Stopwatch) -> Result<Stopwatch, Failure> {
    while watch.is_running() {
        let sent = Instant::now();
        episode.step(Vec::new()).await?;
        watch.note(sent);
    }
    Ok(watch)
}

async fn of_all(mut callers: Callers) -> Result<Load, Failure> {
    let mut watches = Vec::new();
    while let Some(called) = callers.join_next().await {
        watches.push(called??);
    }
    Ok(Load::of(&watches))
}
