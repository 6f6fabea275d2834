//! What the engine says of itself where the machine gives it less.

use crate::harness::{SPAWNER, config, output};
use sandbox::{Engine, EngineConfig, EngineError, Isolation, Level};

/// `maquette-sandbox levels --json`, in a shell that has taken something away before.
fn levels(before: &str) -> (i32, Isolation) {
    // Where anybody can execute it.
    let folder = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .tempdir_in("/tmp")
        .unwrap();
    let program = folder.path().join("maquette-sandbox");
    std::fs::copy(SPAWNER, &program).unwrap();
    let (code, text) =
        output("sh", &["-c", &before.replace("LEVELS", &format!("{} levels --json", program.display()))]);
    (code, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{before}: {error}: {text}")))
}

#[test]
fn root_with_control_groups_is_full_and_every_barrier_holds() {
    let (code, isolation) = levels("LEVELS");
    assert_eq!((code, isolation.level, &isolation.missing[..]), (0, Level::Full, &[][..]), "{isolation:?}");
    assert!(isolation.barriers.len() >= 25 && isolation.barriers.iter().all(|barrier| barrier.holds));
}

#[test]
fn an_ordinary_user_is_rootless_and_told_what_is_missing() {
    let (code, isolation) = levels("setpriv --reuid=65534 --regid=65534 --clear-groups LEVELS");
    assert_eq!((code, isolation.level), (3, Level::Rootless), "{isolation:?}");
    let missing: Vec<&str> = isolation.missing.iter().map(|missing| missing.what.as_str()).collect();
    assert!(missing.iter().any(|what| what.contains("control groups")), "{missing:?}");
    assert!(missing.iter().any(|what| what.contains("users")), "{missing:?}");
    assert!(isolation.missing.iter().all(|missing| !missing.fix.is_empty()));
    assert!(isolation.barriers.iter().all(|barrier| barrier.holds), "{isolation:?}");
}

#[test]
fn without_user_namespaces_there_is_no_level_and_the_fix_is_told() {
    let (code, isolation) = levels("unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_user_namespaces; LEVELS'");
    assert_eq!((code, isolation.level), (3, Level::None), "{isolation:?}");
    assert!(isolation.advice().contains("user.max_user_namespaces"), "{}", isolation.advice());
}

#[test]
fn without_control_groups_root_is_not_full() {
    let (code, isolation) = levels("unshare -m sh -c 'mount -t tmpfs none /sys/fs/cgroup; LEVELS'");
    assert_eq!((code, isolation.level), (3, Level::Rootless), "{isolation:?}");
    assert!(isolation.missing[0].what.contains("control groups"), "{isolation:?}");
}

#[test]
fn an_engine_does_not_start_below_what_it_is_required_to_have() {
    // A mount that is not there is no matter of levels.
    let mounts = vec![sandbox::Mount { host: "/no/such/place".into(), inside: "/x".into() }];
    let error = Engine::start(EngineConfig { mounts, ..config() }).err().unwrap();
    assert!(error.to_string().contains("/no/such/place"), "{error}");
    let isolation = Isolation { level: Level::Rootless, barriers: vec![], missing: vec![] };
    let error = EngineError::Level { given: Level::Rootless, required: Level::Full, isolation: Box::new(isolation) };
    assert!(error.to_string().contains("Full"), "{error}");
}
