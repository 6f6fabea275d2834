//! `DomainError` as `google.rpc.Status` with details, and back.

use super::duration;
use crate::{Code, DomainError, wire};
use std::{collections::HashMap, error::Error as _, time::Duration};
use tonic::Status;
use tonic_types::{ErrorDetails, StatusExt as _};

/// `ErrorInfo.domain` of every error of ours.
const ERROR_DOMAIN: &str = "maquette";
/// Key of `ErrorInfo.metadata`: the nearest valid values as a JSON array of strings.
const NEAREST: &str = "nearest";
/// Longer texts would not fit the trailers that carry them.
const MAX_MESSAGE_BYTES: usize = 2048;

impl From<DomainError> for Status {
    fn from(error: DomainError) -> Self {
        let message = shortened(error.message);
        let mut metadata = HashMap::new();
        if !error.nearest.is_empty() {
            metadata.insert(NEAREST.to_owned(), serde_json::Value::from(error.nearest).to_string());
        }
        let mut details = ErrorDetails::with_error_info(error.reason, ERROR_DOMAIN, metadata);
        if !error.field.is_empty() {
            details.add_bad_request_violation(error.field, message.clone());
        }
        if let Some(delay_ms) = error.retry_after_ms {
            details.set_retry_info(Some(Duration::from_millis(delay_ms)));
        }
        Self::with_error_details(wire_code(error.code), message, details)
    }
}

impl From<Status> for DomainError {
    fn from(status: Status) -> Self {
        let details = status.get_error_details();
        let (code, reason, nearest) = match details.error_info() {
            Some(info) => (plain_code(status.code()), info.reason.clone(), nearest(&info.metadata)),
            None => (bare_code(&status), bare_reason(status.code()), Vec::new()),
        };
        let field = details
            .bad_request()
            .and_then(|request| request.field_violations.first())
            .map(|violation| violation.field.clone())
            .unwrap_or_default();
        let retry_after_ms = details.retry_info().and_then(|info| info.retry_delay).map(milliseconds);
        Self { code, reason: reason.into(), message: status.message().to_owned(), field, nearest, retry_after_ms }
    }
}

impl From<DomainError> for wire::ObserveError {
    fn from(error: DomainError) -> Self {
        let code = i32::from(wire_code(error.code));
        let delay = error.retry_after_ms.map(Duration::from_millis);
        let retry_after = delay.and_then(|delay| prost_types::Duration::try_from(delay).ok());
        Self { reason: error.reason.into_owned(), message: shortened(error.message), code, retry_after }
    }
}

impl From<wire::ObserveError> for DomainError {
    fn from(error: wire::ObserveError) -> Self {
        let retry_after_ms = error.retry_after.and_then(duration).map(milliseconds);
        Self { retry_after_ms, ..Self::new(plain_code(error.code.into()), error.reason, error.message) }
    }
}

fn milliseconds(delay: Duration) -> u64 {
    u64::try_from(delay.as_millis()).unwrap_or(u64::MAX)
}

fn wire_code(code: Code) -> tonic::Code {
    match code {
        Code::InvalidArgument => tonic::Code::InvalidArgument,
        Code::NotFound => tonic::Code::NotFound,
        Code::FailedPrecondition => tonic::Code::FailedPrecondition,
        Code::ResourceExhausted => tonic::Code::ResourceExhausted,
        Code::DeadlineExceeded => tonic::Code::DeadlineExceeded,
        Code::Unavailable => tonic::Code::Unavailable,
        Code::Internal => tonic::Code::Internal,
    }
}

fn plain_code(code: tonic::Code) -> Code {
    match code {
        tonic::Code::InvalidArgument | tonic::Code::OutOfRange => Code::InvalidArgument,
        tonic::Code::NotFound => Code::NotFound,
        tonic::Code::FailedPrecondition => Code::FailedPrecondition,
        tonic::Code::ResourceExhausted => Code::ResourceExhausted,
        tonic::Code::DeadlineExceeded => Code::DeadlineExceeded,
        tonic::Code::Unavailable => Code::Unavailable,
        _ => Code::Internal,
    }
}

/// The code of a status that no server of ours made: by a proxy, or on this side by the transport.
fn bare_code(status: &Status) -> Code {
    match status.code() {
        tonic::Code::Cancelled if status.message() == tonic::TimeoutExpired(()).to_string() => Code::DeadlineExceeded,
        tonic::Code::Cancelled | tonic::Code::Unknown | tonic::Code::Internal if status.source().is_some() => {
            Code::Unavailable
        }
        code => plain_code(code),
    }
}

/// `InvalidArgument` → `GRPC_INVALID_ARGUMENT`.
fn bare_reason(code: tonic::Code) -> String {
    let mut reason = String::from("GRPC");
    for letter in format!("{code:?}").chars() {
        if letter.is_ascii_uppercase() {
            reason.push('_');
        }
        reason.push(letter.to_ascii_uppercase());
    }
    reason
}

fn nearest(metadata: &HashMap<String, String>) -> Vec<String> {
    metadata.get(NEAREST).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

fn shortened(mut message: String) -> String {
    if message.len() > MAX_MESSAGE_BYTES {
        let mut end = MAX_MESSAGE_BYTES;
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        message.truncate(end);
        message.push('…');
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_comes_back_as_it_was() {
        let error = DomainError::new(Code::NotFound, "TASK_NOT_FOUND", "no task \"tabel\"")
            .field("task_id")
            .nearest(vec!["table".into(), "a, \"b\"".into()])
            .retry_after(1500);
        assert_eq!(DomainError::from(Status::from(error.clone())), error);
    }

    #[test]
    fn an_observations_error_comes_back_with_its_retry() {
        let error = DomainError::new(Code::ResourceExhausted, "RENDER_QUEUE_FULL", "256 wait");
        for error in [error.clone(), error.clone().retry_after(1500), error.retry_after(u64::MAX)] {
            assert_eq!(DomainError::from(wire::ObserveError::from(error.clone())), error);
        }
        let retry_after = Some(prost_types::Duration { seconds: -1, nanos: 0 });
        let odd = wire::ObserveError { retry_after, ..wire::ObserveError::default() };
        assert_eq!(DomainError::from(odd).retry_after_ms, None);
    }

    #[test]
    fn long_messages_are_cut_between_characters() {
        let status = Status::from(DomainError::new(Code::Internal, "X", "é".repeat(5000)));
        assert!(status.message().len() <= MAX_MESSAGE_BYTES + '…'.len_utf8());
        assert!(status.message().ends_with("é…"));
    }

    #[test]
    fn a_bare_status_keeps_its_code() {
        let error = DomainError::from(Status::unavailable("gone"));
        assert_eq!((error.code, error.reason.as_ref()), (Code::Unavailable, "GRPC_UNAVAILABLE"));
        // tonic's own, for a message beyond the limit that its text names.
        let error = DomainError::from(Status::out_of_range("found 9 bytes, the limit is: 8 bytes"));
        assert_eq!((error.code, error.reason.as_ref()), (Code::InvalidArgument, "GRPC_OUT_OF_RANGE"));
        let error = DomainError::from(Status::cancelled("Timeout expired"));
        assert_eq!(error.code, Code::DeadlineExceeded);
    }
}
