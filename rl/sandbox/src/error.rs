//! What an engine fails at. What a command does is no error but a report.

use crate::cgroup::CgroupError;
use crate::file_error::FileError;
use crate::isolation::Isolation;
use crate::report::Level;
use crate::wire::Failure;
use std::io;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("this machine isolates by {given:?}, {required:?} is required. {}", .isolation.advice())]
    Level { given: Level, required: Level, isolation: Box<Isolation> },
    /// A system call, or a process of the engine's.
    #[error("{what}: {source}")]
    Failed { what: String, source: io::Error },
    #[error("the command and its environment have {given_bytes} bytes, {allowed_bytes} are allowed")]
    CommandTooLong { given_bytes: usize, allowed_bytes: usize },
    #[error(
        "the tree has used {used_bytes} bytes and {used_inodes} files, {allowed_bytes} and {allowed_inodes} are allowed"
    )]
    TreeFull { used_bytes: u64, allowed_bytes: u64, used_inodes: u64, allowed_inodes: u64 },
    #[error(transparent)]
    Cgroup(#[from] CgroupError),
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<Failure> for EngineError {
    fn from(failure: Failure) -> Self {
        Self::Failed { what: failure.what, source: failure.source }
    }
}
