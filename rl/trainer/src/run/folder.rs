//! What lies where in the folder of a run.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder(PathBuf);

impl RunFolder {
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The run as it was started, with what the command line changed.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.0.join("config.toml")
    }

    /// A JSON object for each step and each evaluation.
    #[must_use]
    pub fn metrics(&self) -> PathBuf {
        self.0.join("metrics.jsonl")
    }

    /// Episodes of the evaluations, to be read.
    #[must_use]
    pub fn samples(&self) -> PathBuf {
        self.0.join("samples.jsonl")
    }

    #[must_use]
    pub fn checkpoints(&self) -> PathBuf {
        self.0.join("checkpoints")
    }

    /// Weights that the policy is held near, where the run asks for it.
    #[must_use]
    pub fn reference(&self) -> PathBuf {
        self.0.join("reference")
    }

    #[must_use]
    pub fn server_log(&self) -> PathBuf {
        self.0.join("server.log")
    }

    #[must_use]
    pub fn curve(&self) -> PathBuf {
        self.0.join("curve.png")
    }

    #[must_use]
    pub fn report(&self) -> PathBuf {
        self.0.join("report.html")
    }
}
