//! What goes wrong with the files of a tree.

use rustix::io::Errno;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("there is no {path:?}")]
    NotFound { path: PathBuf },
    #[error("{path:?} is {kind}, not a file")]
    NotAFile { path: PathBuf, kind: &'static str },
    #[error("{path:?} is no directory, or one on the way to it is none")]
    NotADirectory { path: PathBuf },
    #[error("{path:?} has {size_bytes} bytes, {allowed_bytes} are allowed")]
    TooLarge { path: PathBuf, size_bytes: u64, allowed_bytes: u64 },
    #[error("{path:?} holds more than {allowed} entries")]
    TooMany { path: PathBuf, allowed: usize },
    #[error("{path:?} lies deeper than {allowed} directories")]
    TooDeep { path: PathBuf, allowed: usize },
    #[error("{path:?} is no path: {why}")]
    BadPath { path: PathBuf, why: &'static str },
    #[error("{path:?} cannot be written: the disk is full")]
    Full { path: PathBuf },
    #[error("the archive is damaged: {0}")]
    BadArchive(String),
    #[error("{path:?}: {source}")]
    Io { path: PathBuf, source: io::Error },
}

/// Says which path a system call failed at.
pub(crate) trait At<T> {
    fn at(self, path: impl AsRef<Path>) -> Result<T, FileError>;
}

impl<T> At<T> for Result<T, Errno> {
    fn at(self, path: impl AsRef<Path>) -> Result<T, FileError> {
        self.map_err(|errno| {
            let path = path.as_ref().to_path_buf();
            match errno {
                Errno::NOENT => FileError::NotFound { path },
                Errno::NOTDIR => FileError::NotADirectory { path },
                Errno::ISDIR => FileError::NotAFile { path, kind: "a directory" },
                // A FIFO without a reader.
                Errno::NXIO => FileError::NotAFile { path, kind: "a pipe" },
                Errno::NOSPC | Errno::DQUOT => FileError::Full { path },
                Errno::NAMETOOLONG => FileError::BadPath { path, why: "a name or the whole is too long" },
                Errno::LOOP => FileError::BadPath { path, why: "links lead in a circle" },
                errno => FileError::Io { path, source: errno.into() },
            }
        })
    }
}
