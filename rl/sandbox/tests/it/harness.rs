use sandbox::{Command, Engine, EngineConfig, Event, ExecReport, Limits, Tree};
use std::ffi::OsStr;
use std::process::{Command as Process, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

pub(crate) const SPAWNER: &str = env!("CARGO_BIN_EXE_maquette-sandbox");

pub(crate) fn config() -> EngineConfig {
    EngineConfig::new(vec![SPAWNER.into(), "spawner".into()])
}

/// Of all tests that do not disturb it.
pub(crate) fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::start(config()).unwrap_or_else(|error| panic!("{error}")))
}

pub(crate) fn limits() -> Limits {
    Limits { wall: Duration::from_secs(20), memory_bytes: 256 << 20, ..Limits::default() }
}

pub(crate) fn python(script: &str) -> Command {
    Command::new(["/usr/bin/python3", "-c", script])
}

/// In an empty tree.
pub(crate) fn run(command: &Command) -> ExecReport {
    run_with(command, &limits())
}

pub(crate) fn run_with(command: &Command, limits: &Limits) -> ExecReport {
    run_in(&engine().tree().unwrap(), command, limits).0
}

pub(crate) fn run_in(tree: &Tree, command: &Command, limits: &Limits) -> (ExecReport, Tree) {
    engine().run(tree, command, limits).unwrap()
}

/// What a line of the shell prints, which must end well.
pub(crate) fn printed(tree: &Tree, script: &str) -> (String, Tree) {
    let (report, tree) = run_in(tree, &Command::shell(script), &limits());
    assert!(report.exit.is_success(), "{script}: {:?} {}", report.exit, report.stderr.text());
    (report.stdout.text(), tree)
}

pub(crate) fn has_system_call(report: &ExecReport, wanted: &str) -> bool {
    report.events.iter().any(|event| matches!(event, Event::Syscall { name, .. } if name == wanted))
}

#[expect(clippy::disallowed_methods, reason = "tests drive programs from outside, as users do")]
pub(crate) fn process(program: impl AsRef<OsStr>) -> Process {
    Process::new(program)
}

/// Of a program on the host.
pub(crate) fn output(program: &str, arguments: &[&str]) -> (i32, String) {
    let output = process(program).args(arguments).stdin(Stdio::null()).output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}
