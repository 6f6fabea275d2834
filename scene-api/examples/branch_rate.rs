//! How long a fork, a snapshot and a rollback take of a scene of 1,000 and of one of 100,000 triangles, in this process
//! and over gRPC; 1,000 times each, or as often as the first argument says. The two scenes take turns, so that whatever
//! else the machine does is in both. Exits 1 where a median of the larger scene is three times that of the smaller one,
//! or a fork in this process takes more than 1 ms.

use rl_conformance::Loopback;
use rl_protocol::{Domain, Episode, OpenSpec, RemoteDomain, RemoteEpisode, ServeConfig, ToolCall, connect};
use scene_api::{Limits, SceneDomain};
use serde_json::json;
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

const TASK: &str = "scene/crate";
const RUNS: usize = 1000;
const FORK_MAX: Duration = Duration::from_millis(1);
const RATIO_MAX: f64 = 3.0;
/// Calls of one step.
const STEP: usize = 64;
const RINGS: u32 = 26;
const SMALL: Size = Size { spheres: 1, segments: 5 };
const LARGE: Size = Size { spheres: 50, segments: 10 };

/// A scene of spheres that do not touch. They are subdivided, since a sphere as it is added is no list of triangles yet.
#[derive(Clone, Copy)]
struct Size {
    spheres: u32,
    segments: u32,
}

impl Size {
    fn triangles(self) -> u32 {
        4 * self.spheres * 2 * self.segments * (RINGS - 1)
    }

    fn calls(self) -> Vec<ToolCall> {
        let sphere = |number: u32| {
            let at = [f64::from(number % 10), 0.3, f64::from(number / 10)];
            let shape = json!({ "kind": "uv_sphere", "radius_m": 0.3, "segments": self.segments, "rings": RINGS });
            let node = format!("n_{}", number + 1);
            [
                ("node.create", json!({ "name": format!("sphere_{number}"), "translation": at })),
                ("mesh.add_primitive", json!({ "node": node, "shape": shape })),
                ("mesh.subdivide", json!({ "node": node })),
            ]
        };
        let calls = (0..self.spheres).flat_map(sphere);
        calls.map(|(name, json)| ToolCall { name: name.into(), arguments_json: json.to_string() }).collect()
    }
}

/// What one verb took, of the small scene and of the large one.
#[derive(Default)]
struct Took([Vec<Duration>; 2]);

impl Took {
    /// Prints it; whether it holds.
    fn holds(mut self, what: &str, median_max: Duration) -> bool {
        self.0.iter_mut().for_each(|times| times.sort_unstable());
        let [small, large] = self.0.map(|times| {
            let (median, worst) = (times.get(times.len() / 2), times.last());
            (median.copied().unwrap_or_default(), worst.copied().unwrap_or_default())
        });
        let ratio = large.0.as_secs_f64() / small.0.as_secs_f64();
        let of = |(median, worst): (Duration, Duration)| format!("median {median:.1?}, worst {worst:.1?}");
        println!("{what:<20} small: {}; large: {}; ratio of medians {ratio:.2}", of(small), of(large));
        ratio < RATIO_MAX && large.0 <= median_max
    }
}

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let runs = std::env::args().nth(1).map_or(Ok(RUNS), |runs| runs.parse())?;
    let domain: Arc<dyn Domain> = Arc::new(SceneDomain::new()?);
    println!("{runs} times each; small: {} triangles, large: {} triangles", SMALL.triangles(), LARGE.triangles());
    let mut holds = forks_here(domain.as_ref(), runs).await?.holds("fork, in process", FORK_MAX);

    let config = ServeConfig { max_sessions: u32::try_from(2 * runs + 2)?, ..ServeConfig::default() };
    let server = Loopback::start(vec![domain], config).await?;
    let remote = RemoteDomain::new(connect(server.uri()).await?, "scene");
    let mut pair = Vec::new();
    for size in [SMALL, LARGE] {
        let mut session = remote.open_sessions(spec()).await?.pop().ok_or("no session was opened")?;
        build(&mut session, size).await?;
        pair.push(session);
    }
    let (forks, mut forked) = forks_over_grpc(&mut pair, runs).await?;
    holds &= forks.holds("fork, gRPC", Duration::MAX);
    holds &= snapshots(&mut forked).await?.holds("snapshot, gRPC", Duration::MAX);
    holds &= rollbacks(&mut pair, runs).await?.holds("rollback, gRPC", Duration::MAX);
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn spec() -> OpenSpec {
    OpenSpec { task_id: TASK.into(), count: 1, seed: 0, profile: None, tool_groups: vec!["mesh".into()] }
}

async fn build(episode: &mut dyn Episode, size: Size) -> Result<(), Box<dyn Error>> {
    let mut left = None;
    for calls in size.calls().chunks(STEP) {
        let outcome = episode.step(calls.to_vec()).await?;
        if let Some(refused) = outcome.results.iter().find(|result| !result.ok) {
            return Err(format!("refused: {}", refused.json).into());
        }
        left = outcome.budget.left.into_iter().find(|left| left.name == "triangles");
    }
    let left = left.ok_or("the budget has no triangles")?.value;
    let triangles = Limits::default().triangles as f64 - left;
    if triangles != f64::from(size.triangles()) {
        return Err(format!("{triangles} triangles were made").into());
    }
    Ok(())
}

async fn forks_here(domain: &dyn Domain, runs: usize) -> Result<Took, Box<dyn Error>> {
    let mut pair = Vec::new();
    for size in [SMALL, LARGE] {
        let mut episode = domain.open(spec()).await?.pop().ok_or("no episode was opened")?;
        build(episode.as_mut(), size).await?;
        pair.push(episode);
    }
    let (mut took, mut kept) = (Took::default(), Vec::with_capacity(2 * runs));
    for _ in 0..runs {
        for (episode, times) in pair.iter_mut().zip(&mut took.0) {
            let start = Instant::now();
            kept.push(episode.fork().await?);
            times.push(start.elapsed());
        }
    }
    Ok(took)
}

/// With the forks, small and large in turns.
async fn forks_over_grpc(
    pair: &mut [RemoteEpisode],
    runs: usize,
) -> Result<(Took, Vec<RemoteEpisode>), Box<dyn Error>> {
    let (mut took, mut forked) = (Took::default(), Vec::with_capacity(2 * runs));
    for _ in 0..runs {
        for (session, times) in pair.iter_mut().zip(&mut took.0) {
            let start = Instant::now();
            forked.append(&mut session.forks(None, 1).await?);
            times.push(start.elapsed());
        }
    }
    Ok((took, forked))
}

/// The first of each fork: a second one would be the same.
async fn snapshots(forked: &mut [RemoteEpisode]) -> Result<Took, Box<dyn Error>> {
    let mut took = Took::default();
    for pair in forked.chunks_mut(2) {
        for (session, times) in pair.iter_mut().zip(&mut took.0) {
            let start = Instant::now();
            session.snapshot().await?;
            times.push(start.elapsed());
        }
    }
    Ok(took)
}

/// To and fro between two states.
async fn rollbacks(pair: &mut [RemoteEpisode], runs: usize) -> Result<Took, Box<dyn Error>> {
    let mut states = Vec::new();
    for session in pair.iter_mut() {
        let before = session.snapshot().await?;
        session
            .step(vec![ToolCall { name: "node.create".into(), arguments_json: r#"{"name":"other"}"#.into() }])
            .await?;
        states.push([before, session.snapshot().await?]);
    }
    let mut took = Took::default();
    for run in 0..runs {
        for ((session, states), times) in pair.iter_mut().zip(&states).zip(&mut took.0) {
            let start = Instant::now();
            session.rollback(&states[run % 2]).await?;
            times.push(start.elapsed());
        }
    }
    Ok(took)
}
