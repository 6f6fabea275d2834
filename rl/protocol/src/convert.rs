//! Every conversion between plain values and wire messages, and the checks that a message must pass.

mod catalog;
mod episodes;
mod reward;
mod status;

use crate::{Code, DomainError};
use std::time::Duration;

pub(crate) use episodes::step_response;

/// `None` for what is negative or not normal; prost's own conversion and `Display` overflow on some of it.
pub(crate) fn duration(wire: prost_types::Duration) -> Option<Duration> {
    let nanos = u32::try_from(wire.nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?;
    Some(Duration::new(u64::try_from(wire.seconds).ok()?, nanos))
}

/// A message that does not say what it must.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct InvalidField {
    field: &'static str,
    problem: String,
}

impl InvalidField {
    pub(crate) fn new(field: &'static str, problem: impl Into<String>) -> Self {
        Self { field, problem: problem.into() }
    }

    pub(crate) fn missing(field: &'static str) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_normal_and_not_negative() {
        let of = |seconds, nanos| duration(prost_types::Duration { seconds, nanos });
        assert_eq!(of(3, 5), Some(Duration::new(3, 5)));
        assert_eq!(of(i64::MAX, 999_999_999), Some(Duration::new(i64::MAX.unsigned_abs(), 999_999_999)));
        for (seconds, nanos) in [(i64::MIN, 0), (i64::MIN, i32::MIN), (-1, 0), (0, -1), (1, 1_000_000_000)] {
            assert_eq!(of(seconds, nanos), None, "{seconds} s {nanos} ns");
        }
    }
}
