//! A server that is killed while clients play, and started again on its journal, loses no step and plays none twice.

use rl_protocol::{Budget, Domain, DomainError, Episode, OpenSpec, RemoteDomain, RemoteEpisode, ToolCall, connect};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{task::JoinSet, time::sleep};
use workspace_tests::Server;

/// Unless `MAQUETTE_KILLS` says how many.
const KILLS: usize = 5;
const PLAYERS: usize = 12;
/// Between two kills all players together step that often, and some more.
const STEPS_BETWEEN_KILLS: std::ops::Range<usize> = 10..50;
/// So that there is something to kill the server in.
const BETWEEN_STEPS: Duration = Duration::from_millis(5);
/// Longer than any start takes.
const LONGEST: Duration = Duration::from_secs(60);
/// It allows 500 calls.
const TASK: &str = "scene/table-and-chairs";

/// Where a session stands: state hash, revision, budget.
type Stand = (Vec<u8>, u64, Budget);

/// A node more, and every other time the first one a millimetre further: what is played twice shows.
fn calls(name: &str, step: usize) -> Vec<ToolCall> {
    let call = |name: &str, arguments_json: String| ToolCall { name: name.into(), arguments_json };
    let create = call("node.create", format!(r#"{{"name":"{name}x{step}"}}"#));
    let shift = call("node.set_transform", r#"{"node":"n_1","move_by_m":[0.001,0,0]}"#.to_owned());
    if step.is_multiple_of(2) { vec![create] } else { vec![shift] }
}

/// A client that asks again until it is answered.
macro_rules! patiently {
    ($asked:expr) => {{
        let begin = Instant::now();
        loop {
            match $asked.await {
                Ok(reply) => break reply,
                Err(error) => {
                    let error: DomainError = error;
                    assert!(begin.elapsed() < LONGEST, "{error}");
                    sleep(Duration::from_millis(20)).await;
                }
            }
        }
    }};
}

async fn stepped(session: &mut RemoteEpisode, calls: Vec<ToolCall>) -> Stand {
    let outcome = patiently!(session.step(calls.clone()));
    let result = &outcome.results[0];
    assert!(result.ok, "{}", result.json);
    (outcome.state_hash, result.json["revision"].as_u64().unwrap(), outcome.budget)
}

/// Steps, a snapshot, a fork, a rollback, and steps again; `done` counts all steps of all players. Where the session and
/// its fork stand in the end.
async fn play(domain: Arc<RemoteDomain>, number: usize, steps: usize, done: Arc<AtomicUsize>) -> [Stand; 2] {
    let spec = OpenSpec { task_id: TASK.into(), count: 1, seed: 7, profile: None, tool_groups: Vec::new() };
    let mut session = patiently!(domain.open_sessions(spec.clone())).remove(0);
    let name = format!("n{number}");
    let mut snapshot_id = String::new();
    let mut fork: Option<RemoteEpisode> = None;
    let mut stand = None;
    for step in 0..steps {
        if step == steps / 4 {
            snapshot_id = patiently!(session.snapshot());
        } else if step == steps / 2 {
            fork = patiently!(session.forks(None, 1)).pop();
            patiently!(session.rollback(&snapshot_id));
        }
        stand = Some(stepped(&mut session, calls(&name, step)).await);
        done.fetch_add(1, Ordering::SeqCst);
        sleep(BETWEEN_STEPS).await;
    }
    let of_fork = stepped(&mut fork.unwrap(), calls("fork", 0)).await;
    [stand.unwrap(), of_fork]
}

/// All players at once; a server with a journal is killed in between.
async fn played(server: &mut Server, steps: usize, kills: usize, journal: &str) -> Vec<[Stand; 2]> {
    let domain = Arc::new(RemoteDomain::new(connect(&server.uri).await.unwrap(), "scene"));
    domain.ready().await.unwrap();
    let done = Arc::new(AtomicUsize::new(0));
    let mut players = JoinSet::new();
    for number in 0..PLAYERS {
        let (domain, done) = (Arc::clone(&domain), Arc::clone(&done));
        players.spawn(async move { (number, play(domain, number, steps, done).await) });
    }
    for number in 0..kills {
        kill(server, number as u64, journal, &done).await;
    }
    assert!(kills == 0 || done.load(Ordering::SeqCst) < PLAYERS * steps, "the server was not killed while they played");
    let mut stands = players.join_all().await;
    stands.sort_by_key(|(number, _)| *number);
    stands.into_iter().map(|(_, stands)| stands).collect()
}

/// A number below `most` that looks like chance, and is the same in every run.
fn drawn(seed: u64, most: usize) -> usize {
    let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(mixed >> 33).unwrap_or_default() % most
}

/// Kills the server once so many steps more were played, at some moment of one, and starts it again.
async fn kill(server: &mut Server, seed: u64, journal: &str, done: &AtomicUsize) {
    let steps = STEPS_BETWEEN_KILLS.start + drawn(seed, STEPS_BETWEEN_KILLS.len());
    let until = done.load(Ordering::SeqCst) + steps;
    let begin = Instant::now();
    while done.load(Ordering::SeqCst) < until {
        assert!(begin.elapsed() < LONGEST, "the players do not go on");
        sleep(Duration::from_millis(1)).await;
    }
    sleep(Duration::from_micros(drawn(seed + 1000, 5000) as u64)).await;
    let address = server.uri.trim_start_matches("http://").to_owned();
    server.kill();
    *server = Server::start_at(&address, &["--journal", journal], &[]).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_loses_no_step_and_plays_none_twice() {
    let kills = std::env::var("MAQUETTE_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    // Half as many again as are played between kills at most: replies in flight count when they come.
    let steps = 30 + kills * STEPS_BETWEEN_KILLS.end * 3 / 2 / PLAYERS;
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().to_str().unwrap();
    let begin = Instant::now();
    let mut server = Server::start(&["--journal", journal], &[]).unwrap();
    let disturbed = played(&mut server, steps, kills, journal).await;
    drop(server);
    println!("{kills} kills in {} steps of {PLAYERS} clients, {:.1?}", steps * PLAYERS, begin.elapsed());

    let mut server = Server::start(&[], &[]).unwrap();
    assert_eq!(disturbed, played(&mut server, steps, 0, "").await);
}
