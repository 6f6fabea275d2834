//! The file of one session. It is opened for each line, since there may be more sessions than a process may have open.

use super::{
    blocking,
    lines::{Line, read, written},
};
use crate::{Code, DomainError};
use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

pub(super) const ENDING: &str = "journal";
pub(super) const ENDING_UNTIL_BEGUN: &str = "begun";
pub(super) const ENDING_OF_DAMAGED: &str = "damaged";
/// A session of which more was played takes no further step.
const MAX_BYTES: u64 = 64 << 20;

pub(crate) struct SessionFile {
    path: PathBuf,
    /// The checksum of its lines.
    sum: u64,
    bytes: u64,
}

impl SessionFile {
    /// There is a whole beginning or none: a file without one was never told of.
    pub(super) fn create(folder: &Path, id: &str, lines: &[Line]) -> io::Result<Self> {
        let (mut sum, mut text) = (0, String::new());
        for line in lines {
            text.push_str(&written(line, &mut sum)?);
        }
        let path = path(folder, id);
        let beginning = path.with_extension(ENDING_UNTIL_BEGUN);
        fs::write(&beginning, &text)?;
        fs::rename(beginning, &path)?;
        Ok(Self { path, sum, bytes: count(text.len()) })
    }

    /// What was written whole; the rest is cut off. `InvalidArgument` where that is not as it was written.
    pub(crate) async fn read(path: PathBuf) -> Result<(Self, Vec<Line>), DomainError> {
        let (path, whole) = blocking(move || {
            let data = fs::read(&path)?;
            let whole = read(&data);
            if let Ok(whole) = &whole
                && whole.bytes < data.len()
            {
                OpenOptions::new().write(true).open(&path)?.set_len(count(whole.bytes))?;
            }
            Ok((path, whole))
        })
        .await?;
        let whole = whole.map_err(|problem| DomainError::new(Code::InvalidArgument, "JOURNAL_DAMAGED", problem))?;
        Ok((Self { path, sum: whole.sum, bytes: count(whole.bytes) }, whole.lines))
    }

    /// Whether the session takes no further step.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes >= MAX_BYTES
    }

    /// After an error what the file holds is unknown, so nothing may be appended any more.
    pub(crate) async fn append(&mut self, line: Line) -> Result<(), DomainError> {
        let (path, before) = (self.path.clone(), self.sum);
        let (sum, bytes) = blocking(move || {
            let mut sum = before;
            let text = written(&line, &mut sum)?;
            OpenOptions::new().append(true).open(path)?.write_all(text.as_bytes())?;
            Ok((sum, count(text.len())))
        })
        .await?;
        self.sum = sum;
        self.bytes += bytes;
        Ok(())
    }

    pub(crate) async fn discard(self) {
        let removed = blocking(move || {
            self.remove();
            Ok(())
        });
        if let Err(error) = removed.await {
            tracing::warn!(%error, "a closed session's file was left");
        }
    }

    pub(super) fn remove(&self) {
        remove(&self.path);
    }
}

pub(super) fn path(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.{ENDING}"))
}

/// One that stays only brings its session back at the next start, until its lease has run out.
pub(super) fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path) {
        tracing::warn!(%error, path = %path.display(), "a closed session's file was left");
    }
}

fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
