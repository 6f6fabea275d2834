//! A server for the length of a run.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// A machine without a graphics card compiles shaders on its first start.
const UP_WITHIN: Duration = Duration::from_secs(120);

#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error("{program} cannot be started: {source}; build it (make build) or give [server] address")]
    Start { program: PathBuf, source: io::Error },
    #[error("{program} did not say within {within:?} where it listens; see {log}", within = UP_WITHIN)]
    Silent { program: PathBuf, log: PathBuf },
    #[error("{program} ended without saying where it listens; see {log}")]
    Ended { program: PathBuf, log: PathBuf },
    #[error("{program} said {line:?} instead of where it listens; see {log}")]
    Odd { program: PathBuf, line: String, log: PathBuf },
}

/// `maquette serve` on a free port of this machine; ended on drop. Its standard input is a pipe that nobody writes to: it
/// ends with this process, also by `kill -9`.
#[derive(Debug)]
pub struct Served {
    child: Child,
    /// `http://127.0.0.1:PORT`.
    pub address: String,
}

impl Served {
    /// Starts `program`; its log goes to the end of `log`.
    pub fn start(program: &Path, max_sessions: u32, log: &Path) -> Result<Self, ServerError> {
        let failed = |source| ServerError::Start { program: program.into(), source };
        let log_file = File::options().create(true).append(true).open(log).map_err(failed)?;
        #[expect(clippy::disallowed_methods, reason = "a server of ours, not what a model wrote")]
        let mut command = Command::new(program);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--until-stdin-closes"])
            .args(["--max-sessions", &max_sessions.to_string()])
            // A terminal sends Ctrl-C to a whole group, and the step in progress still needs the server.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log_file);
        let mut child = command.spawn().map_err(failed)?;
        let (first, line) = mpsc::sync_channel(1);
        let stdout = child.stdout.take();
        let mut served = Self { child, address: String::new() };
        stdout.map(|stdout| read_away(stdout, first)).transpose().map_err(failed)?;
        let line = line
            .recv_timeout(UP_WITHIN)
            .map_err(|_| ServerError::Silent { program: program.into(), log: log.into() })?;
        if line.is_empty() {
            return Err(ServerError::Ended { program: program.into(), log: log.into() });
        }
        let address = line.strip_prefix("listening on ").ok_or_else(|| ServerError::Odd {
            program: program.into(),
            line: line.clone(),
            log: log.into(),
        })?;
        served.address = format!("http://{}", address.trim());
        Ok(served)
    }
}

/// Sends the first line and reads the others away, on a thread that ends with the server.
fn read_away(stdout: ChildStdout, first: mpsc::SyncSender<String>) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("server-output".into()).spawn(move || {
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        // Nobody waits any more where it came too late.
        let _ = first.send(lines.next().unwrap_or_default());
        lines.for_each(drop);
    });
    thread.map(drop)
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
