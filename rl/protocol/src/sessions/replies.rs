//! The last replies of a session, for clients that ask again.

use crate::{Code, DomainError, wire};
use prost::Message as _;
use std::collections::VecDeque;

/// Replies kept; the last one whatever its size.
const KEPT_REPLIES: usize = 32;
const KEPT_BYTES: usize = 1 << 20;

#[derive(Default)]
pub(super) struct Replies(VecDeque<Reply>);

struct Reply {
    /// Of the calls that were asked for under this seq.
    asked: u64,
    response: wire::StepResponse,
    bytes: usize,
}

impl Replies {
    pub(super) fn keep(&mut self, asked: u64, response: wire::StepResponse) {
        self.0.push_back(Reply { asked, bytes: response.encoded_len(), response });
        while self.0.len() > 1 && (self.0.len() > KEPT_REPLIES || self.kept_bytes() > KEPT_BYTES) {
            self.0.pop_front();
        }
    }

    fn kept_bytes(&self) -> usize {
        self.0.iter().map(|reply| reply.bytes).sum()
    }

    /// The reply to a step that was played; `expected` is the seq of the next one.
    pub(super) fn kept(&self, seq: u64, asked: u64, expected: u64) -> Result<wire::StepResponse, DomainError> {
        match self.0.iter().find(|reply| reply.response.seq == seq) {
            Some(reply) if reply.asked == asked => Ok(wire::StepResponse { replayed: true, ..reply.response.clone() }),
            Some(_) => {
                let message = format!("seq {seq} was a step with other calls; expected {expected}");
                Err(out_of_order("SEQ_REUSED", message, expected))
            }
            None => {
                let message = format!("the reply to seq {seq} is no longer kept; expected {expected}");
                Err(out_of_order("SEQ_FORGOTTEN", message, expected))
            }
        }
    }
}

/// The expected seq also stands in `nearest`, for programs.
pub(super) fn out_of_order(reason: &'static str, message: String, expected: u64) -> DomainError {
    DomainError::new(Code::FailedPrecondition, reason, message).field("seq").nearest(vec![expected.to_string()])
}
