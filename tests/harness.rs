//! Starts the built `maquette` binary as a user would, on a free port, and stops it on drop.

use anyhow::{Context, Result};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The repository's root: of the clone that runs the test, which need not be the one that compiled it where two share a
/// target folder.
#[must_use]
pub fn root() -> PathBuf {
    let package = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
    Path::new(&package).parent().unwrap_or(Path::new("/")).to_owned()
}

/// The built `maquette`.
///
/// # Errors
/// When it has not been built.
pub fn binary() -> Result<PathBuf> {
    built("maquette")
}

/// A built program beside the running test or example, such as `examples/soak`: `target/debug/deps/test-…` →
/// `target/debug/examples/soak`.
///
/// # Errors
/// When it has not been built.
pub fn built(program: &str) -> Result<PathBuf> {
    let test = std::env::current_exe()?;
    let path = test
        .ancestors()
        .nth(2)
        .context("tests run in target/debug/deps, examples in target/debug/examples")?
        .join(program);
    anyhow::ensure!(path.exists(), "{} is missing: run `make build` first", path.display());
    Ok(path)
}

/// `maquette` with these arguments, ready to run.
///
/// # Errors
/// When it has not been built.
pub fn maquette(args: &[&str]) -> Result<Command> {
    let mut command = process(binary()?);
    command.args(args).current_dir(root());
    Ok(command)
}

/// A process started by a test.
#[expect(clippy::disallowed_methods, reason = "tests drive programs from outside, as users do")]
pub fn process(program: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(program)
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// `http://127.0.0.1:PORT`.
    pub uri: String,
}

impl Server {
    /// Starts `maquette serve` on a free port; `environment` is added to the process's.
    ///
    /// # Errors
    /// When it does not come up.
    pub fn start(arguments: &[&str], environment: &[(&str, &str)]) -> Result<Self> {
        Self::start_at("127.0.0.1:0", arguments, environment)
    }

    /// As `start`, at an address, e.g. that of a server that was there before.
    ///
    /// # Errors
    /// When it does not come up.
    pub fn start_at(address: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<Self> {
        let mut command = maquette(&["serve", "--listen", address, "--log", "warn"])?;
        command.args(arguments).envs(environment.iter().copied());
        Self::of(command)
    }

    /// Any server that says where it listens, as `maquette serve` does.
    ///
    /// # Errors
    /// When it does not come up.
    pub fn of(mut command: Command) -> Result<Self> {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().context("no standard output")?;
        // A server that dies closes the pipe, so this ends.
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line.strip_prefix("listening on ").with_context(|| format!("the server said {line:?}"))?;
        Ok(Self { uri: format!("http://{}", address.trim()), child })
    }

    /// Ends it at once, as `kill -9` does.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// VmRSS of the process.
    ///
    /// # Errors
    /// Where the system does not say.
    pub fn resident_kib(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        Ok(line.trim().trim_end_matches("kB").trim_end().parse()?)
    }

    /// Whether the process still runs.
    pub fn is_up(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
