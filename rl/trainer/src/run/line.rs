//! The lines of metrics.jsonl.

use super::evaluate::EvaluationLine;
use crate::pipeline::StepLine;
use crate::train::SftMetrics;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Line {
    Step(Box<StepLine>),
    Evaluation(EvaluationLine),
    /// The same by a policy that takes any token that is allowed.
    Random(EvaluationLine),
    /// A supervised step before the first rollout.
    WarmStart {
        warm_step: u64,
        #[serde(flatten)]
        metrics: SftMetrics,
    },
}

#[derive(Debug, thiserror::Error)]
pub enum LineError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}, line {line}: {source}")]
    Json { path: PathBuf, line: usize, source: serde_json::Error },
}

/// All whole lines; one that a killed process left unfinished at the end, without a line break and no `T`, is not there.
///
/// # Errors
/// A file that cannot be read, and any other line that is no `T`.
pub fn read_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, LineError> {
    let text = std::fs::read_to_string(path).map_err(|source| LineError::Io { path: path.into(), source })?;
    let (whole, last) = text.split_at(text.rfind('\n').map_or(0, |end| end + 1));
    let lines = whole.lines().enumerate().filter(|(_, line)| !line.is_empty());
    let read = lines.map(|(index, line)| {
        serde_json::from_str(line).map_err(|source| LineError::Json { path: path.into(), line: index + 1, source })
    });
    read.chain(serde_json::from_str(last).ok().map(Ok)).collect()
}

/// A file that grows line by line, and can be cut back to what it was at a checkpoint.
pub(super) struct Lines {
    file: File,
    bytes: u64,
}

impl Lines {
    /// Goes on after `bytes`; what lies beyond was written after the checkpoint and is written again. A shorter file has
    /// lost lines.
    pub(super) fn open(path: &Path, bytes: u64) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        let there = file.metadata()?.len();
        if there < bytes {
            let lost = format!("it has {there} bytes, and had {bytes} at the checkpoint");
            return Err(io::Error::new(io::ErrorKind::InvalidData, lost));
        }
        file.set_len(bytes)?;
        Ok(Self { file, bytes })
    }

    pub(super) fn push(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes())?;
        self.bytes += text.len() as u64;
        Ok(())
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}
