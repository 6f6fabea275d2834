//! What is run in a sandbox.

use std::collections::BTreeMap;

/// What a command sees where it asks for nothing else.
const ENVIRONMENT: [(&str, &str); 5] = [
    ("HOME", "/home/user"),
    ("LANG", "C.UTF-8"),
    ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
    ("TMPDIR", "/tmp"),
    ("USER", "user"),
];
const CWD: &str = "/work";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// A program, by path or to be looked for in PATH, and its arguments.
    pub argv: Vec<String>,
    pub env: BTreeMap<String, String>,
    /// An absolute path inside.
    pub cwd: String,
    pub stdin: Vec<u8>,
}

impl Command {
    /// In `/work`, with HOME, LANG, PATH, TMPDIR and USER, and nothing to read.
    pub fn new<T: Into<String>>(argv: impl IntoIterator<Item = T>) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            env: ENVIRONMENT.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            cwd: CWD.to_owned(),
            stdin: Vec::new(),
        }
    }

    /// A line for the shell.
    #[must_use]
    pub fn shell(script: &str) -> Self {
        Self::new(["/bin/sh", "-c", script])
    }
}
