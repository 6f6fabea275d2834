//! Long episodes: what goes wrong on the way and is rolled back leaves no trace, and going back costs no more in a
//! larger scene.

use rl_protocol::{Budget, Code, Episode, ObserveOptions, OpenSpec, RemoteDomain, RemoteEpisode, ToolCall, connect};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy},
    net::{TcpListener, TcpStream},
    sync::{Notify, watch},
    time::{sleep, timeout},
};
use workspace_tests::{Server, built, process};

/// It allows 500 calls.
const TASK: &str = "scene/table-and-chairs";
const CALLS: usize = 300;
const CALLS_LEFT: u32 = 200;
const FAILURES: usize = 20;
/// For a request to reach the server, whose reply is held back.
const REACHED: Duration = Duration::from_millis(100);

fn call(name: &str, arguments: &Value) -> ToolCall {
    ToolCall { name: name.into(), arguments_json: arguments.to_string() }
}

/// A hundred boxes in a row of rows, each made, given its mesh, and moved. A call that is lost or played twice shows.
fn planned(number: usize) -> ToolCall {
    let (index, node) = (number / 3, format!("n_{}", number / 3 + 1));
    match number % 3 {
        0 => {
            let at = [(index % 10) as f64, 0.1, (index / 10) as f64];
            call("node.create", &json!({ "name": format!("box_{index}"), "translation": at }))
        }
        1 => {
            call("mesh.add_primitive", &json!({ "node": node, "shape": { "kind": "box", "size_m": [0.2, 0.2, 0.2] } }))
        }
        _ => call("node.set_transform", &json!({ "node": node, "move_by_m": [0.001 * (index + 1) as f64, 0, 0] })),
    }
}

/// A connection that can go wrong: it forwards to a server, holds replies back while it is told to, and can be cut.
struct Line {
    uri: String,
    held: watch::Sender<bool>,
    cut: Arc<Notify>,
}

impl Line {
    async fn to(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let uri = format!("http://{}", listener.local_addr().unwrap());
        let address = server.uri.trim_start_matches("http://").to_owned();
        let (held, cut) = (watch::Sender::new(false), Arc::new(Notify::new()));
        let line = Self { uri, held: held.clone(), cut: Arc::clone(&cut) };
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let Ok(far) = TcpStream::connect(&address).await else { continue };
                let (held, cut) = (held.subscribe(), Arc::clone(&cut));
                tokio::spawn(async move {
                    tokio::select! {
                        () = forwarded(near, far, held) => {}
                        () = cut.notified() => {}
                    }
                });
            }
        });
        line
    }

    fn hold(&self) {
        self.held.send_replace(true);
    }

    fn release(&self) {
        self.held.send_replace(false);
    }
}

/// Until one of the two ends closes.
async fn forwarded(client: TcpStream, server: TcpStream, mut held: watch::Receiver<bool>) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let replies = async {
        let mut piece = vec![0; 16 << 10];
        while let Ok(bytes @ 1..) = from_server.read(&mut piece).await {
            let _ = held.wait_for(|held| !held).await;
            if to_client.write_all(&piece[..bytes]).await.is_err() {
                break;
            }
        }
    };
    tokio::select! {
        _ = copy(&mut from_client, &mut to_server) => {}
        () = replies => {}
    }
}

/// What an agent tries and is then sorry for: the first box is gone, something else is there, and then it fails.
async fn harm(session: &mut RemoteEpisode, line: &Line, kind: usize) {
    let mut calls =
        vec![call("node.delete", &json!({ "node": "n_1" })), call("node.create", &json!({ "name": "stray" }))];
    match kind {
        // A call is refused, for what the ones before it have done.
        0 => {
            calls.push(planned(1));
            let results = session.step(calls).await.unwrap().results;
            assert_eq!(results.iter().map(|result| result.ok).collect::<Vec<_>>(), [true, true, false]);
        }
        // A picture cannot be drawn: there is no camera.
        1 => {
            session.step(calls).await.unwrap();
            let error = session.observe(&["beauty.png".into()], ObserveOptions::default()).await.unwrap_err();
            assert_eq!(error.code, Code::FailedPrecondition, "{error}");
        }
        // A deadline passes; asked again, the step was played once.
        2 => {
            line.hold();
            let late = timeout(REACHED, session.step(calls.clone())).await;
            assert!(late.is_err(), "a reply was held back and came");
            line.release();
            played_once(session, calls).await;
        }
        // The connection is lost before the reply; the client asks again by itself.
        _ => {
            line.hold();
            let cutting = async {
                sleep(REACHED).await;
                line.cut.notify_waiters();
                sleep(REACHED).await;
                line.release();
            };
            tokio::join!(played_once(session, calls), cutting);
        }
    }
}

/// A second time there would be nothing to delete.
async fn played_once(session: &mut RemoteEpisode, calls: Vec<ToolCall>) {
    let results = session.step(calls).await.unwrap().results;
    assert!(results.iter().all(|result| result.ok), "{results:?}");
}

/// Where an episode ends: state hash, budget, revision, reward, and what its export leads to on the same server.
type End = (Vec<u8>, Budget, u64, Option<f64>, Vec<u8>);

/// Plays what is planned; before some of the calls, `failures` in all, something goes wrong and is rolled back.
async fn ended(failures: usize) -> End {
    let server = Server::start(&[], &[]).unwrap();
    let line = Line::to(&server).await;
    let domain = RemoteDomain::new(connect(&line.uri).await.unwrap(), "scene");
    let spec = OpenSpec { task_id: TASK.into(), count: 1, seed: 3, profile: None, tool_groups: Vec::new() };
    let mut session = domain.open_sessions(spec).await.unwrap().remove(0);
    let mut failed = 0;
    let mut last: Option<(Vec<u8>, Budget, u64)> = None;
    for number in 0..CALLS {
        // From the second call on, and at other calls of the three each time.
        if let Some((before, budget, _)) = &last
            && failed < failures
            && number >= 2 + failed * (CALLS / FAILURES) + failed % 3
        {
            let snapshot = session.snapshot().await.unwrap();
            harm(&mut session, &line, failed % 4).await;
            let back = session.rollback(&snapshot).await.unwrap();
            assert_eq!((&back.0, &back.1), (before, budget), "after failure {failed}");
            failed += 1;
        }
        let outcome = session.step(vec![planned(number)]).await.unwrap();
        let result = &outcome.results[0];
        assert!(result.ok && outcome.end.is_none(), "call {number}: {}", result.json);
        last = Some((outcome.state_hash, outcome.budget, result.json["revision"].as_u64().unwrap()));
    }
    assert_eq!(failed, failures);
    let (state_hash, budget, revision) = last.unwrap();
    let reward = session.score(None).await.unwrap();
    let imported = domain.import(&session.export().await.unwrap()).await.unwrap();
    (state_hash, budget, revision, reward.value(), imported.opening().state_hash.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_failures_rolled_back_leave_no_trace() {
    let (undisturbed, disturbed) = tokio::join!(ended(0), ended(FAILURES));
    assert_eq!(undisturbed, disturbed);
    let (state_hash, budget, revision, reward, of_export) = disturbed;
    assert_eq!((budget.calls_left, revision, of_export), (CALLS_LEFT, CALLS as u64, state_hash));
    assert!(reward.is_some(), "the scene was not scored");
}

#[test]
fn going_back_costs_no_more_in_a_larger_scene() {
    let output = process(built("examples/branch_rate").unwrap()).arg("200").output().unwrap();
    let [text, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{text}{error}");
    println!("{text}");
}
