//! Every conversion between plain values and wire messages, and the checks that a message must pass.

mod catalog;
mod episodes;
mod reward;
mod status;

use crate::{Code, DomainError};

pub(crate) use episodes::step_response;

/// A message that does not say what it must.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct InvalidField {
    pub(crate) field: &'static str,
    pub(crate) problem: String,
}

impl InvalidField {
    fn new(field: &'static str, problem: impl Into<String>) -> Self {
        Self { field, problem: problem.into() }
    }

    fn missing(field: &'static str) -> Self {
        Self::new(field, "is not set")
    }

    /// The sender is a client: its request is at fault.
    pub(crate) fn in_request(self) -> DomainError {
        DomainError::new(Code::InvalidArgument, "INVALID_FIELD", self.to_string()).field(self.field)
    }

    /// The sender is a domain or a server: its reply cannot be trusted.
    pub(crate) fn in_reply(self) -> DomainError {
        DomainError::new(Code::Internal, "INVALID_REPLY", self.to_string()).field(self.field)
    }
}
