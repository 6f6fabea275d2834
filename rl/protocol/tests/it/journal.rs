//! Sessions outlive their server, and no step is lost or played twice.

use crate::{
    catalog::info,
    harness::{Server, open, reason, step},
    wire,
};
use rl_protocol::{Domain, RemoteDomain, ServeConfig, ServeError, Service, serve};
use std::{
    fs::{self, OpenOptions},
    future::pending,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tempfile::TempDir;
use tokio::{net::TcpListener, time::sleep};
use tonic::Code;

fn config(folder: &TempDir) -> ServeConfig {
    ServeConfig { journal: Some(folder.path().to_owned()), ..ServeConfig::default() }
}

async fn restarted(server: Server, folder: &TempDir) -> Server {
    server.stop().await;
    Server::start(config(folder)).await
}

/// The files with this ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|found| found == ending)).collect()
}

/// In five seconds at most.
async fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..250 {
        if holds() {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("not in five seconds: {what}");
}

fn rollback(id: &str, snapshot_id: &str) -> wire::RollbackRequest {
    wire::RollbackRequest { session_id: id.into(), snapshot_id: snapshot_id.into(), next_seq: 0 }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_repeated_after_a_restart_is_not_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(config(&folder)).await;
    let id = server.open().await.unwrap();
    // To the letter: arguments are compared as they were written.
    let calls = [("add", "{ \"n\" : 4 }"), ("add", "{\"n\":")];
    let before = server.client.step(step(&id, 1, &calls)).await.unwrap().into_inner();
    server.client.step(step(&id, 2, &[])).await.unwrap();
    for _ in 0..2 {
        server = restarted(server, &folder).await;
        let again = server.client.step(step(&id, 1, &calls)).await.unwrap().into_inner();
        assert_eq!(again, wire::StepResponse { replayed: true, ..before.clone() });
        assert!(server.client.step(step(&id, 2, &[])).await.unwrap().into_inner().replayed);
        let status = server.client.step(step(&id, 1, &[("add", "{\"n\":4}")])).await.unwrap_err();
        assert_eq!(reason(&status), "SEQ_REUSED");
        assert_eq!(server.played(), 2, "once each, to come to the same state");
    }
    let next = server.client.step(step(&id, 3, &[("add", r#"{"n":6}"#), ("submit", "{}")])).await.unwrap().into_inner();
    let server = &mut restarted(server, &folder).await;
    let again = server.client.step(step(&id, 3, &[("add", r#"{"n":6}"#), ("submit", "{}")])).await.unwrap();
    assert_eq!(again.into_inner(), wire::StepResponse { replayed: true, ..next });
    let status = server.client.step(step(&id, 4, &[])).await.unwrap_err();
    assert_eq!(reason(&status), "EPISODE_ENDED");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_back_before_the_server_answers() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(config(&folder)).await;
    let id = server.open().await.unwrap();
    server.client.step(step(&id, 1, &[("add", r#"{"n":4}"#)])).await.unwrap();
    server.stop().await;
    let faulty = crate::faulty::Faulty::default();
    let domains: Vec<Arc<dyn Domain>> = vec![Arc::new(faulty.clone())];
    let service = Service::recovered(domains, config(&folder)).await.unwrap();
    assert_eq!(faulty.played.load(Ordering::SeqCst), 1);
    drop(service);
}

#[tokio::test(flavor = "multi_thread")]
async fn branches_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(config(&folder)).await;
    let id = server.open().await.unwrap();
    server.client.step(step(&id, 1, &[("add", r#"{"n":4}"#)])).await.unwrap();
    let asked = wire::SnapshotRequest { session_id: id.clone() };
    let first = server.client.snapshot(asked.clone()).await.unwrap().into_inner().snapshot_id;
    server.client.step(step(&id, 2, &[("add", r#"{"n":5}"#)])).await.unwrap();
    let asked_fork = wire::ForkRequest { session_id: id.clone(), count: 2, ..wire::ForkRequest::default() };
    let forks = server.client.fork(asked_fork).await.unwrap().into_inner().sessions;
    server.client.rollback(rollback(&id, &first)).await.unwrap();
    server.client.step(step(&forks[0].session_id, 1, &[("add", r#"{"n":1}"#)])).await.unwrap();
    let imported = {
        let domain = RemoteDomain::new(server.channel.clone(), "counter");
        let mut sessions = domain.open_sessions(crate::remote::spec(1)).await.unwrap();
        let imported = domain.import(&sessions[0].export().await.unwrap()).await.unwrap();
        imported.session_id().to_owned()
    };
    until("what nobody holds any more is closed", || files(folder.path(), "journal").len() == 3).await;

    let mut server = restarted(server, &folder).await;
    assert_eq!(server.client.snapshot(asked).await.unwrap().into_inner().snapshot_id, first);
    for (session, seq, value) in [(&id, 3, 5), (&forks[0].session_id, 2, 11), (&forks[1].session_id, 1, 10)] {
        let reply = server.client.step(step(session, seq, &[("add", r#"{"n":1}"#)])).await.unwrap().into_inner();
        assert_eq!(reply.results[0].json, format!("{{\"value\":{value}}}"));
    }
    let status = server.client.step(step(&imported, 1, &[])).await.unwrap_err();
    assert_eq!(reason(&status), "SESSION_NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_torn_last_line_was_not_replied_to_and_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(config(&folder)).await;
    let id = server.open().await.unwrap();
    server.client.step(step(&id, 1, &[("add", r#"{"n":4}"#)])).await.unwrap();
    server.stop().await;
    let file = files(folder.path(), "journal").remove(0);
    let mut written = OpenOptions::new().append(true).open(&file).unwrap();
    written.write_all(b"0123456789abcdef {\"step\":[2,{\"ca").unwrap();
    fs::write(folder.path().join("unborn.begun"), "{").unwrap();

    let mut server = Server::start(config(&folder)).await;
    let reply = server.client.step(step(&id, 2, &[("add", r#"{"n":1}"#)])).await.unwrap().into_inner();
    assert_eq!((reply.replayed, reply.results[0].json.as_str()), (false, r#"{"value":5}"#));
    let mut server = restarted(server, &folder).await;
    assert!(server.client.step(step(&id, 2, &[("add", r#"{"n":1}"#)])).await.unwrap().into_inner().replayed);
    assert!(files(folder.path(), "begun").is_empty() && files(folder.path(), "damaged").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_come_to_the_same_state_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(config(&folder)).await;
    let [first, drifting, changed, sound] = [
        server.open().await.unwrap(),
        server.open().await.unwrap(),
        server.open().await.unwrap(),
        server.open().await.unwrap(),
    ];
    for seq in 1..=9 {
        server.client.step(step(&first, seq, &[])).await.unwrap();
    }
    server.client.close(wire::CloseRequest { session_id: first }).await.unwrap();
    server.client.step(step(&drifting, 1, &[("tick", "")])).await.unwrap();
    for id in [&changed, &sound] {
        server.client.step(step(id, 1, &[("add", r#"{"n":4}"#)])).await.unwrap();
    }
    server.stop().await;
    let file = folder.path().join(format!("{changed}.journal"));
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace(r#"{\"n\":4}"#, r#"{\"n\":5}"#)).unwrap();

    let mut server = Server::start(config(&folder)).await;
    for id in [&drifting, &changed] {
        let status = server.client.step(step(id, 2, &[])).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::NotFound, "SESSION_NOT_FOUND"));
        assert!(folder.path().join(format!("{id}.damaged")).exists());
    }
    server.client.step(step(&sound, 2, &[])).await.unwrap();
    assert_eq!(files(folder.path(), "journal").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn closed_and_expired_sessions_leave_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(config(&folder)).await;
    let id = server.open().await.unwrap();
    let lease = Some(prost_types::Duration { seconds: 0, nanos: 300_000_000 });
    server.client.open(wire::OpenRequest { lease, ..open(2) }).await.unwrap();
    assert_eq!(files(folder.path(), "journal").len(), 3);
    server.client.close(wire::CloseRequest { session_id: id.clone() }).await.unwrap();
    server.client.close(wire::CloseRequest { session_id: id }).await.unwrap();
    assert!(files(folder.path(), "journal").len() <= 2);
    until("expired sessions leave no file", || files(folder.path(), "journal").is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn leases_begin_anew_and_the_instance_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(config(&folder)).await;
    let instance = info(&server).await;
    assert!(instance.features.iter().any(|feature| feature == "session.journal"), "{:?}", instance.features);
    assert!(instance.features.is_sorted(), "{:?}", instance.features);
    let lease = Some(prost_types::Duration { seconds: 2, nanos: 0 });
    let opened = server.client.open(wire::OpenRequest { lease, ..open(1) }).await.unwrap().into_inner();
    let id = opened.sessions[0].session_id.clone();
    server.stop().await;
    sleep(Duration::from_millis(2500)).await;

    let mut server = Server::start(config(&folder)).await;
    assert_eq!(info(&server).await.instance_id, instance.instance_id);
    server.client.step(step(&id, 1, &[])).await.unwrap();
    let asked = wire::RenewRequest { session_id: id, lease: None };
    let left = server.client.renew(asked).await.unwrap().into_inner().lease.unwrap();
    assert!(left.seconds <= 2, "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_that_cannot_be_written_costs_its_session_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(config(&folder)).await;
    let (id, other) = (server.open().await.unwrap(), server.open().await.unwrap());
    server.client.step(step(&id, 1, &[("add", r#"{"n":4}"#)])).await.unwrap();
    let file = folder.path().join(format!("{id}.journal"));
    let aside = folder.path().join("aside");
    fs::rename(&file, &aside).unwrap();
    let status = server.client.step(step(&id, 2, &[("add", r#"{"n":1}"#)])).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Internal, "JOURNAL_FAILED"));
    let status = server.client.step(step(&id, 2, &[("add", r#"{"n":1}"#)])).await.unwrap_err();
    assert_eq!(reason(&status), "ENV_ERROR");
    server.client.step(step(&other, 1, &[])).await.unwrap();
    fs::rename(&aside, &file).unwrap();

    let mut server = restarted(server, &folder).await;
    let reply = server.client.step(step(&id, 2, &[("add", r#"{"n":1}"#)])).await.unwrap().into_inner();
    assert_eq!((reply.replayed, reply.results[0].json.as_str()), (false, r#"{"value":5}"#));
}

#[tokio::test(flavor = "multi_thread")]
async fn more_sessions_than_the_server_holds_are_not_dropped_but_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(config(&folder)).await;
    server.client.open(open(3)).await.unwrap();
    server.stop().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let small = ServeConfig { max_sessions: 2, ..config(&folder) };
    let domains: Vec<Arc<dyn Domain>> = vec![Arc::new(crate::faulty::Faulty::default())];
    let error = serve(listener, domains, small, pending()).await.unwrap_err();
    assert!(matches!(&error, ServeError::Start(error) if error.reason == "JOURNAL_TOO_LARGE"), "{error}");
    assert_eq!(files(folder.path(), "journal").len(), 3);
}
