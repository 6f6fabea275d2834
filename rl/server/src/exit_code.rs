//! What an exit code says: one rule for all commands, which `maquette --help` tells.

use std::process::ExitCode;

/// The rule, for people.
pub(crate) const RULE: &str = "\
Exit codes:
  0  done
  1  done, and the answer is no: there is no reward, or a check failed
  2  not done, or not for all files: bad arguments, or a file cannot be read, drawn or written";

/// Of a command that was carried out.
pub(crate) fn answer(is_yes: bool) -> ExitCode {
    if is_yes { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Of a command that was not carried out, or not for all files.
pub(crate) fn not_done() -> ExitCode {
    ExitCode::from(2)
}
