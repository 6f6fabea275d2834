//! Clients that are not ours to compile: Python, grpcurl, buf.

use std::path::PathBuf;
use workspace_tests::{Server, binary, process, root};

/// The Python of the set-up; the tools are installed beside it.
pub(crate) fn python() -> PathBuf {
    std::env::var("MAQUETTE_PYTHON").expect("MAQUETTE_PYTHON is not set: run `make test`").into()
}

pub(crate) fn run(program: PathBuf, args: &[&str]) -> String {
    let output =
        process(&program).args(args).current_dir(root()).output().unwrap_or_else(|e| panic!("{program:?}: {e}"));
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program:?} {args:?}: {text}");
    text
}

#[test]
fn the_python_client_plays_the_mission() {
    let out = tempfile::tempdir().unwrap();
    let text = run(
        python(),
        &[
            "-m",
            "maquette.play",
            "assets/tasks/scene/table-and-chairs.calls.jsonl",
            "--task",
            "scene/table-and-chairs",
            "--serve",
            binary().unwrap().to_str().unwrap(),
            "--out",
            out.path().to_str().unwrap(),
            "--min-reward",
            "0.9",
        ],
    );
    assert!(text.contains("reward 0.9") || text.contains("reward 1.0"), "{text}");
    assert!(out.path().join("scene.glb").exists() && out.path().join("preview.png").exists());
}

#[test]
fn the_python_client_works_synchronously_and_with_asyncio() {
    let server = Server::start(&[], &[]).unwrap();
    let address = server.uri.strip_prefix("http://").unwrap();
    let text = run(python(), &["tests/python_client.py", address]);
    assert!(text.contains("python client: all checks hold"), "{text}");
}

#[test]
fn grpcurl_lists_describes_and_asks_for_health() {
    let server = Server::start(&[], &[]).unwrap();
    let address = server.uri.strip_prefix("http://").unwrap();
    let grpcurl = || python().with_file_name("grpcurl");
    let list = run(grpcurl(), &["-plaintext", address, "list"]);
    for service in ["maquette.v1.Catalog", "maquette.v1.Episodes", "maquette.v1.Rewards", "grpc.health.v1.Health"] {
        assert!(list.contains(service), "{list}");
    }
    let described = run(grpcurl(), &["-plaintext", address, "describe", "maquette.v1.Episodes"]);
    assert!(described.contains("rpc Step"), "{described}");
    for service in ["", "scene"] {
        let request = format!(r#"{{"service":"{service}"}}"#);
        let health = run(grpcurl(), &["-plaintext", "-d", &request, address, "grpc.health.v1.Health/Check"]);
        assert!(health.contains("SERVING"), "{health}");
    }
}

#[test]
fn the_protos_pass_buf_lint() {
    run(python().with_file_name("buf"), &["lint", "rl/protocol/proto"]);
}
