//! Bad input gets a typed error; nothing is lost; the server stays up.

use rl_protocol::{Code, Domain, Episode, OpenSpec, Outcome, RemoteDomain, Subject, ToolCall, connect};
use serde_json::Value;
use std::time::Duration;
use workspace_tests::Server;

async fn scene(server: &Server) -> RemoteDomain {
    RemoteDomain::new(connect(&server.uri).await.unwrap(), "scene")
}

fn spec(task: &str) -> OpenSpec {
    OpenSpec { task_id: task.into(), count: 1, seed: 0, profile: None, tool_groups: Vec::new() }
}

fn call(name: &str, arguments: impl Into<String>) -> ToolCall {
    ToolCall { name: name.into(), arguments_json: arguments.into() }
}

async fn open(domain: &RemoteDomain) -> Box<dyn Episode> {
    domain.open(spec("scene/crate")).await.unwrap().pop().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_tool_calls_are_answered_with_typed_errors() {
    let mut server = Server::start(&[], &[]).unwrap();
    let domain = scene(&server).await;
    let mut episode = open(&domain).await;
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let many = format!(r#"{{"node":"n_1","positions":[],"triangles":[{}]}}"#, vec!["[0,1,2]"; 40_000].join(","));
    let created = episode.step(vec![call("node.create", r#"{"name":"crate"}"#)]).await.unwrap();
    assert!(created.results[0].ok, "{:?}", created.results);
    let before = created.state_hash;
    let box_of = |size: &str| format!(r#"{{"node":"n_1","shape":{{"kind":"box","size_m":[{size}]}}}}"#);
    for (name, arguments) in [
        ("no.such_tool", "{}".to_owned()),
        ("node.create", "{".into()),
        ("node.create", "null".into()),
        ("node.create", "[]".into()),
        ("node.create", r#"{"name":7}"#.into()),
        ("node.create", r#"{"name":""}"#.into()),
        ("node.create", r#"{"name":"x","parent":"n_77"}"#.into()),
        ("node.create", r#"{"name":"x","translation":[NaN,0,0]}"#.into()),
        ("node.create", r#"{"name":"x","translation":[1e999,0,0]}"#.into()),
        ("node.create", r#"{"name":"x","translation":[1e300,0,0]}"#.into()),
        ("node.create", r#"{"name":"x","rotation":[0,0,0,0]}"#.into()),
        ("node.create", r#"{"name":"x","scale":[0,0]}"#.into()),
        ("node.create", deep),
        ("mesh.add_primitive", box_of("-1,1,1")),
        ("mesh.add_primitive", box_of("1e308,1e308,1e308")),
        (
            "mesh.add_primitive",
            r#"{"node":"n_1","shape":{"kind":"uv_sphere","radius_m":1,"segments":4000000000,"rings":2000000000}}"#
                .into(),
        ),
        ("mesh.set_data", many),
        (
            "mesh.set_data",
            r#"{"node":"n_1","positions":[[0,0,0],[1,0,0],[0,1,0]],"triangles":[[0,1,4294967295]]}"#.into(),
        ),
        ("mesh.set_data", r#"{"node":"n_1","positions":[[0,0,0],[1,0,0],[0,1,0]],"triangles":[[0,1,-1]]}"#.into()),
        ("material.assign", r#"{"node":"n_1","material":"mat_4"}"#.into()),
        ("camera.look_at", r#"{"camera":"n_1","target":[0,0,0]}"#.into()),
    ] {
        let outcome = episode.step(vec![call(name, arguments.clone())]).await.unwrap();
        let reply = &outcome.results[0];
        let shown: String = arguments.chars().take(80).collect();
        assert!(!reply.ok, "{name} {shown} was accepted");
        let error = &reply.json["error"];
        for member in ["code", "message"] {
            assert!(error[member].as_str().is_some_and(|text| !text.is_empty()), "{name} {shown}: {error}");
        }
        assert!(error["pointer"].is_string(), "{name} {shown}: {error}");
        assert_eq!(outcome.state_hash, before, "{name} {shown} changed something");
    }
    assert!(server.is_up());
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_out_of_bounds_are_refused_whole() {
    let mut server = Server::start(&["--max-sessions", "4"], &[]).unwrap();
    let domain = scene(&server).await;
    let mut episode = open(&domain).await;
    let ten_megabytes = format!(r#"{{"name":"{}"}}"#, "x".repeat(10 << 20));
    match episode.step(vec![call("node.create", ten_megabytes)]).await {
        Err(error) => assert!(matches!(error.code, Code::InvalidArgument | Code::ResourceExhausted), "{error:?}"),
        Ok(outcome) => assert!(!outcome.results[0].ok, "ten megabytes were accepted"),
    }
    let error = domain.open(spec("scene/nothing")).await.err().unwrap();
    assert_eq!((error.code, error.field.as_str()), (Code::NotFound, "task_id"), "{error:?}");
    let error = domain.open(OpenSpec { count: 1_000_000, ..spec("scene/crate") }).await.err().unwrap();
    assert!(matches!(error.code, Code::ResourceExhausted | Code::InvalidArgument), "{error:?}");
    assert!(server.is_up());
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_files_are_failed_gates_or_absent_rewards() {
    let mut server = Server::start(&[], &[]).unwrap();
    let domain = scene(&server).await;
    let header = b"glTF\x02\0\0\0".to_vec();
    for data in [
        Vec::new(),
        b"glTF".to_vec(),
        header.clone(),
        [header.clone(), 0xffff_ffff_u32.to_le_bytes().to_vec()].concat(),
        [header, 20_u32.to_le_bytes().to_vec(), 0xffff_fff0_u32.to_le_bytes().to_vec(), b"JSON".to_vec()].concat(),
        br#"{"asset":{"version":"2.0"},"nodes":[{"children":[0]}],"scenes":[{"nodes":[0]}],"scene":0}"#.to_vec(),
        br#"{"asset":{"version":"2.0"},"accessors":[{"componentType":5126,"count":4000000000,"type":"MAT4"}]}"#
            .to_vec(),
        vec![0xff; 4096],
    ] {
        let subject = Subject::Artifact { task_id: None, mime: "model/gltf-binary".into(), data };
        let reward = domain.score(subject, None).await.unwrap();
        match reward.outcome {
            Outcome::Value(value) => {
                let failed: Vec<_> = reward.gates.iter().filter(|gate| !gate.passed).collect();
                assert!(value <= 0.05 && !failed.is_empty() && !failed[0].evidence.is_empty(), "{value} {failed:?}");
            }
            Outcome::Unscorable(why) => assert!(!why.message.is_empty()),
        }
    }
    assert!(server.is_up());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_dies_mid_call_loses_nothing() {
    let mut server = Server::start(&[], &[]).unwrap();
    let domain = scene(&server).await;
    for _ in 0..20 {
        let mut doomed = open(&domain).await;
        let calls = vec![call("node.create", r#"{"name":"crate"}"#), call("episode.submit", "{}")];
        let _ = tokio::time::timeout(Duration::from_micros(300), doomed.step(calls)).await;
    }
    let mut episode = open(&domain).await;
    let outcome = episode.step(vec![call("node.create", r#"{"name":"crate"}"#)]).await.unwrap();
    assert!(outcome.results[0].ok);
    assert_eq!(outcome.results[0].json["changed"], Value::from(vec!["n_1"]));
    assert!(server.is_up());
}
