//! One session: an episode, its replies by seq, its lease.

use crate::{
    Code, Content, DomainError, Episode, Reward, StepOutcome, ToolCall, convert, panics::caught,
    transport::MAX_MESSAGE_BYTES, wire,
};
use prost::Message as _;
use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    slice,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use tokio::{
    sync::{Mutex, OwnedSemaphorePermit},
    time::Instant,
};

/// Replies kept for clients that ask again; the last one whatever its size.
const KEPT_REPLIES: usize = 32;
const KEPT_BYTES: usize = 1 << 20;

/// An observation by name, or why it cannot be made now.
pub(crate) type Observed = Result<Content, (String, DomainError)>;

pub(crate) struct Session {
    opened: Instant,
    lease: Duration,
    /// Since `opened`; only grows.
    alive_until_ms: AtomicU64,
    state: Mutex<State>,
    _place: OwnedSemaphorePermit,
}

struct State {
    episode: Box<dyn Episode>,
    next_seq: u64,
    replies: VecDeque<Reply>,
    /// What broke the episode for good.
    broken: Option<String>,
}

struct Reply {
    /// Of the calls that were asked for under this seq.
    asked: u64,
    response: wire::StepResponse,
    bytes: usize,
}

impl Session {
    pub(crate) fn new(episode: Box<dyn Episode>, lease: Duration, place: OwnedSemaphorePermit) -> Self {
        Self {
            opened: Instant::now(),
            lease,
            alive_until_ms: AtomicU64::new(milliseconds(lease)),
            state: Mutex::new(State { episode, next_seq: 1, replies: VecDeque::new(), broken: None }),
            _place: place,
        }
    }

    /// Lengthens the lease to `lease` from now (`None`: as agreed at Open), never shortens it. Returns what is left.
    pub(crate) fn renew(&self, lease: Option<Duration>) -> Duration {
        let now_ms = milliseconds(self.opened.elapsed());
        let until_ms = now_ms.saturating_add(milliseconds(lease.unwrap_or(self.lease)));
        let before_ms = self.alive_until_ms.fetch_max(until_ms, Ordering::Relaxed);
        Duration::from_millis(before_ms.max(until_ms) - now_ms)
    }

    pub(crate) fn expired(&self) -> bool {
        milliseconds(self.opened.elapsed()) >= self.alive_until_ms.load(Ordering::Relaxed)
    }

    /// Plays the calls once per `seq`; a repeated seq gets the kept reply. Concurrent steps wait for each other.
    pub(crate) async fn step(&self, seq: u64, calls: Vec<ToolCall>) -> Result<wire::StepResponse, DomainError> {
        let mut state = self.state.lock().await;
        let reply = state.step(seq, calls).await;
        self.renew(None);
        reply
    }

    /// One name at a time: an observation that cannot be made now does not cost the others.
    pub(crate) async fn observe(&self, name: String) -> Result<Vec<Observed>, DomainError> {
        let mut state = self.state.lock().await;
        let observed = state.observe(name).await;
        self.renew(None);
        observed
    }

    pub(crate) async fn score(&self, profile: Option<&str>) -> Result<Reward, DomainError> {
        let mut state = self.state.lock().await;
        state.usable()?;
        let scored = caught(state.episode.score(profile)).await;
        self.renew(None);
        state.settled(scored)
    }
}

impl State {
    async fn step(&mut self, seq: u64, calls: Vec<ToolCall>) -> Result<wire::StepResponse, DomainError> {
        let asked = fingerprint(&calls);
        if seq < self.next_seq {
            return self.kept(seq, asked);
        }
        if seq > self.next_seq {
            return Err(out_of_order(
                "SEQ_GAP",
                format!("seq {seq} skips some; expected {}", self.next_seq),
                self.next_seq,
            ));
        }
        self.usable()?;
        let played = caught(self.episode.step(calls)).await;
        // A step that failed has played nothing, so its seq is still free.
        let response = self.settled(played.and_then(|outcome| reply(seq, outcome)))?;
        self.next_seq += 1;
        self.replies.push_back(Reply { asked, bytes: response.encoded_len(), response: response.clone() });
        while self.replies.len() > 1 && (self.replies.len() > KEPT_REPLIES || self.kept_bytes() > KEPT_BYTES) {
            self.replies.pop_front();
        }
        Ok(response)
    }

    fn kept_bytes(&self) -> usize {
        self.replies.iter().map(|reply| reply.bytes).sum()
    }

    fn kept(&self, seq: u64, asked: u64) -> Result<wire::StepResponse, DomainError> {
        match self.replies.iter().find(|reply| reply.response.seq == seq) {
            Some(reply) if reply.asked == asked => Ok(wire::StepResponse { replayed: true, ..reply.response.clone() }),
            Some(_) => {
                let message = format!("seq {seq} was a step with other calls; expected {}", self.next_seq);
                Err(out_of_order("SEQ_REUSED", message, self.next_seq))
            }
            None => {
                let message = format!("the reply to seq {seq} is no longer kept; expected {}", self.next_seq);
                Err(out_of_order("SEQ_FORGOTTEN", message, self.next_seq))
            }
        }
    }

    async fn observe(&mut self, name: String) -> Result<Vec<Observed>, DomainError> {
        self.usable()?;
        let contents = caught(self.episode.observe(slice::from_ref(&name))).await;
        match self.settled(contents) {
            Ok(contents) => Ok(contents.into_iter().map(Ok).collect()),
            Err(error) if passing(error.code) => Ok(vec![Err((name, error))]),
            Err(error) => Err(error),
        }
    }

    fn usable(&self) -> Result<(), DomainError> {
        match &self.broken {
            None => Ok(()),
            Some(cause) => Err(DomainError::new(Code::Internal, "ENV_ERROR", format!("this episode is lost: {cause}"))),
        }
    }

    /// After an internal error nothing that the episode says can be trusted.
    fn settled<T>(&mut self, result: Result<T, DomainError>) -> Result<T, DomainError> {
        if let Err(error) = &result
            && error.code == Code::Internal
        {
            tracing::error!(%error, "an episode is lost");
            self.broken = Some(error.to_string());
        }
        result
    }
}

/// The reply as it is kept and sent. One that no client would take is a fault of the domain's.
fn reply(seq: u64, outcome: StepOutcome) -> Result<wire::StepResponse, DomainError> {
    let response = convert::step_response(seq, outcome).map_err(convert::InvalidField::in_reply)?;
    let bytes = response.encoded_len();
    if bytes > MAX_MESSAGE_BYTES {
        let message = format!("the reply to seq {seq} has {bytes} bytes; {MAX_MESSAGE_BYTES} are allowed");
        return Err(DomainError::new(Code::Internal, "REPLY_TOO_LARGE", message));
    }
    Ok(response)
}

/// The expected seq also stands in `nearest`, for programs.
fn out_of_order(reason: &'static str, message: String, expected: u64) -> DomainError {
    DomainError::new(Code::FailedPrecondition, reason, message).field("seq").nearest(vec![expected.to_string()])
}

/// What costs one observation only.
fn passing(code: Code) -> bool {
    matches!(code, Code::FailedPrecondition | Code::Unavailable | Code::ResourceExhausted | Code::DeadlineExceeded)
}

fn fingerprint(calls: &[ToolCall]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for call in calls {
        (&call.name, &call.arguments_json).hash(&mut hasher);
    }
    hasher.finish()
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
