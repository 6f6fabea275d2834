//! The one error of the protocol: a code from a closed set, a text, and details that a program can act on.

use std::borrow::Cow;

/// Maps one to one to a gRPC code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    InvalidArgument,
    NotFound,
    FailedPrecondition,
    ResourceExhausted,
    DeadlineExceeded,
    Unavailable,
    Internal,
}

/// `code` decides what a client may do; `reason` is stable and upper snake case; `message` says what was given and what
/// is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}: {message}")]
pub struct DomainError {
    pub code: Code,
    pub reason: Cow<'static, str>,
    pub message: String,
    /// The request field meant, e.g. `task_id`; empty when none.
    pub field: String,
    /// Nearest valid names, e.g. for a misspelt task.
    pub nearest: Vec<String>,
    /// When trying again may help.
    pub retry_after_ms: Option<u64>,
}

impl DomainError {
    #[must_use]
    pub fn new(code: Code, reason: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            code,
            reason: reason.into(),
            message: message.into(),
            field: String::new(),
            nearest: Vec::new(),
            retry_after_ms: None,
        }
    }

    #[must_use]
    pub fn field(mut self, field: &str) -> Self {
        self.field = field.into();
        self
    }

    #[must_use]
    pub fn nearest(mut self, nearest: Vec<String>) -> Self {
        self.nearest = nearest;
        self
    }

    #[must_use]
    pub fn retry_after(mut self, delay_ms: u64) -> Self {
        self.retry_after_ms = Some(delay_ms);
        self
    }
}
