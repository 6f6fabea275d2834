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

const KILLS: usize = 8;
const PLAYERS: usize = 6;
const STEPS: usize = 120;
/// So that there is something to kill the server in.
const BETWEEN_STEPS: Duration = Duration::from_millis(5);
/// Longer than any start takes.
const LONGEST: Duration = Duration::from_secs(60);

/// How a player ends: state hash and what is left of the budget, of the session and of its fork.
type Ends = [(Vec<u8>, Budget); 2];

fn created(name: String) -> Vec<ToolCall> {
    vec![ToolCall { name: "node.create".into(), arguments_json: format!("{{\"name\":\"{name}\"}}") }]
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

/// Steps, a snapshot, a fork, a rollback, and steps again; `done` counts all steps of all players.
async fn play(domain: Arc<RemoteDomain>, number: usize, done: Arc<AtomicUsize>) -> Ends {
    let spec = OpenSpec { task_id: "scene/crate".into(), count: 1, seed: 7, profile: None, tool_groups: Vec::new() };
    let mut session = patiently!(domain.open_sessions(spec.clone())).remove(0);
    let mut snapshot_id = String::new();
    let mut fork: Option<RemoteEpisode> = None;
    let mut last = None;
    for step in 0..STEPS {
        if step == STEPS / 4 {
            snapshot_id = patiently!(session.snapshot());
        } else if step == STEPS / 2 {
            fork = patiently!(session.forks(None, 1)).pop();
            patiently!(session.rollback(&snapshot_id));
        }
        let outcome = patiently!(session.step(created(format!("n{number}x{step}"))));
        assert!(outcome.results[0].ok, "{:?}", outcome.results);
        last = Some((outcome.state_hash, outcome.budget));
        done.fetch_add(1, Ordering::SeqCst);
        sleep(BETWEEN_STEPS).await;
    }
    let of_fork = patiently!(fork.as_mut().unwrap().step(created(format!("f{number}"))));
    [last.unwrap(), (of_fork.state_hash, of_fork.budget)]
}

/// All players at once; a server with a journal is killed in between.
async fn played(server: &mut Server, journal: Option<&str>) -> Vec<Ends> {
    let domain = Arc::new(RemoteDomain::new(connect(&server.uri).await.unwrap(), "scene"));
    domain.ready().await.unwrap();
    let done = Arc::new(AtomicUsize::new(0));
    let mut players = JoinSet::new();
    for number in 0..PLAYERS {
        let (domain, done) = (Arc::clone(&domain), Arc::clone(&done));
        players.spawn(async move { (number, play(domain, number, done).await) });
    }
    if let Some(journal) = journal {
        kill(server, journal, &done).await;
    }
    let mut ends = players.join_all().await;
    ends.sort_by_key(|(number, _)| *number);
    ends.into_iter().map(|(_, ends)| ends).collect()
}

/// A number below `most` that looks like chance, and is the same in every run.
fn drawn(seed: u64, most: usize) -> usize {
    let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(mixed >> 33).unwrap_or_default() % most
}

/// Kills the server once so many steps more were played, at some moment of one.
async fn kill(server: &mut Server, journal: &str, done: &AtomicUsize) {
    for number in 0..KILLS {
        let seed = number as u64;
        let until = done.load(Ordering::SeqCst) + 10 + drawn(seed, 40);
        let begin = Instant::now();
        while done.load(Ordering::SeqCst) < until {
            assert!(begin.elapsed() < LONGEST, "the players do not go on");
            sleep(Duration::from_millis(1)).await;
        }
        sleep(Duration::from_micros(drawn(seed + 100, 5000) as u64)).await;
        let address = server.uri.trim_start_matches("http://").to_owned();
        server.kill();
        *server = Server::start_at(&address, &["--journal", journal], &[]).unwrap();
    }
    assert!(done.load(Ordering::SeqCst) < PLAYERS * STEPS, "the server was not killed while they played");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_loses_no_step_and_plays_none_twice() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().to_str().unwrap();
    let mut server = Server::start(&["--journal", journal], &[]).unwrap();
    let disturbed = played(&mut server, Some(journal)).await;
    drop(server);

    let mut server = Server::start(&[], &[]).unwrap();
    assert_eq!(disturbed, played(&mut server, None).await);
}
