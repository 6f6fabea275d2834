//! What a server says about itself, on standard error.

use std::io::IsTerminal as _;

/// `filter` says what, e.g. `info` or `rl_protocol=debug`. Called once.
pub(crate) fn to_stderr(filter: &str) {
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .init();
}
