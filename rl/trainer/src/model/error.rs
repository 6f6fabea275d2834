//! What may be wrong with a checkpoint, or with a call that extends sequences.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("{field} is {given}, allowed: {allowed}")]
    Unsupported { field: &'static str, given: String, allowed: &'static str },
    #[error("{field} is missing or not a number")]
    MissingField { field: &'static str },
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path}: {source}")]
    Json { path: PathBuf, source: serde_json::Error },
    #[error("the checkpoint has no parameter {name}")]
    MissingParameter { name: String },
    #[error("the checkpoint has a parameter {name} that this architecture does not know")]
    UnknownParameter { name: String },
    #[error("parameter {name} is {given:?}, config.json says {expected:?}")]
    WrongShape { name: String, given: Vec<i64>, expected: Vec<i64> },
    #[error("slot {slot} would hold {len} tokens, it has room for {context}")]
    ContextFull { slot: usize, len: usize, context: usize },
    /// The rows of one call do not fit each other or the cache.
    #[error("{0}")]
    Rows(String),
    #[error(transparent)]
    Torch(#[from] tch::TchError),
}
