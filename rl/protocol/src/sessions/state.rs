//! What one session is, and what each call does to it. One call at a time; each runs to its end.

use super::{
    newcomer::Newcomer,
    remembered::fingerprint,
    replies::{Replies, out_of_order},
    way::Way,
};
use crate::{
    Code, Content, DomainError, Episode, ObserveOptions, Reward, StepOutcome, ToolCall, convert,
    journal::{Leg, Line, Origin, SessionFile, hex},
    panics::caught,
    transport::MAX_MESSAGE_BYTES,
    wire,
};
use prost::Message as _;
use std::{slice, sync::Arc};

const MAX_SNAPSHOTS: usize = 64;

/// An observation by name, or why it cannot be made now.
pub(crate) type Observed = Result<Content, (String, DomainError)>;

pub(super) struct State {
    origin: Arc<Origin>,
    episode: Box<dyn Episode>,
    next_seq: u64,
    replies: Replies,
    way: Way,
    /// What the way may yet grow by.
    room_bytes: usize,
    /// In the order of their ids.
    snapshots: Vec<Snapshot>,
    /// The snapshot that nothing has changed since, by its place.
    stands_at: Option<usize>,
    /// Where the session is kept.
    file: Option<SessionFile>,
    /// What broke the episode for good.
    broken: Option<String>,
}

/// A fork that is never stepped.
struct Snapshot {
    episode: Box<dyn Episode>,
    way: Way,
}

impl State {
    pub(super) fn new(newcomer: Newcomer, file: Option<SessionFile>) -> Self {
        let Newcomer { origin, episode, way, .. } = newcomer;
        let room_bytes = way.room_bytes();
        Self {
            origin,
            episode,
            next_seq: 1,
            replies: Replies::default(),
            way,
            room_bytes,
            snapshots: Vec::new(),
            stands_at: None,
            file,
            broken: None,
        }
    }

    /// Played, then written to the file, then counted: a reply that leaves is kept, and what is not kept was not
    /// replied to.
    pub(super) async fn step(&mut self, seq: u64, calls: Vec<ToolCall>) -> Result<wire::StepResponse, DomainError> {
        let asked = fingerprint(&calls);
        if seq < self.next_seq {
            return self.replies.kept(seq, asked, self.next_seq);
        }
        if seq > self.next_seq {
            let message = format!("seq {seq} skips some; expected {}", self.next_seq);
            return Err(out_of_order("SEQ_GAP", message, self.next_seq));
        }
        self.writable()?;
        let played = caught(self.episode.step(calls.clone())).await;
        // A step that failed has played nothing, so its seq is still free.
        let response = self.settled(played.and_then(|outcome| reply(seq, outcome)))?;
        let leg = Arc::new(Leg::new(calls, &response.state_hash));
        self.write(Line::Step(seq, Arc::clone(&leg))).await?;
        // A step without calls changes nothing.
        if leg.call_count() > 0 {
            self.way.push(leg, &mut self.room_bytes);
            self.stands_at = None;
        }
        self.next_seq += 1;
        self.replies.keep(asked, response.clone());
        Ok(response)
    }

    pub(super) async fn observe(
        &mut self,
        name: String,
        options: ObserveOptions,
    ) -> Result<Vec<Observed>, DomainError> {
        self.usable()?;
        let contents = caught(self.episode.observe(slice::from_ref(&name), options)).await;
        match self.settled(contents) {
            Ok(contents) => Ok(contents.into_iter().map(Ok).collect()),
            Err(error) if passing(error.code) => Ok(vec![Err((name, error))]),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn score(&mut self, profile: Option<&str>) -> Result<Reward, DomainError> {
        self.usable()?;
        let scored = caught(self.episode.score(profile)).await;
        self.settled(scored)
    }

    /// The id of a snapshot of the state as it stands.
    pub(super) async fn snapshot(&mut self) -> Result<String, DomainError> {
        self.usable()?;
        if let Some(index) = self.stands_at {
            return Ok(id_of(index));
        }
        self.writable()?;
        let index = self.snapshots.len();
        if index >= MAX_SNAPSHOTS {
            let message = format!("a session keeps {MAX_SNAPSHOTS} snapshots; fork it, or roll back to one of them");
            return Err(DomainError::new(Code::ResourceExhausted, "TOO_MANY_SNAPSHOTS", message));
        }
        let forked = caught(self.episode.fork()).await;
        let episode = self.settled(forked)?;
        let id = id_of(index);
        self.write(Line::Snapshot(id.clone())).await?;
        self.snapshots.push(Snapshot { episode, way: self.way.clone() });
        self.stands_at = Some(index);
        Ok(id)
    }

    /// `next_seq` is what the caller takes for the seq of its next step; 0 for any.
    pub(super) async fn rollback(&mut self, id: &str, next_seq: u64) -> Result<wire::RollbackResponse, DomainError> {
        self.usable()?;
        let expected = self.next_seq;
        if next_seq != 0 && next_seq != expected {
            let message = format!("steps were played that the caller does not know of; expected next_seq {expected}");
            return Err(out_of_order("SEQ_PASSED", message, expected).field("next_seq"));
        }
        let index = self.place(id)?;
        // Asked again, e.g. because the reply was lost.
        if self.stands_at != Some(index) {
            self.writable()?;
            let Newcomer { episode, opening, way, .. } = self.forked_at(index).await?;
            self.write(Line::Rollback(id.to_owned(), hex(&opening.state_hash))).await?;
            self.episode = episode;
            self.way = way;
            self.stands_at = Some(index);
        }
        let kept = self.snapshots.get(index).ok_or_else(|| self.unknown(id))?;
        let opening = kept.episode.opening();
        Ok(wire::RollbackResponse {
            state_hash: opening.state_hash.clone(),
            budget: Some(opening.budget.clone().into()),
            next_seq: self.next_seq,
        })
    }

    /// `count` episodes that stand at the snapshot, or (`""`) where this one stands.
    pub(super) async fn forks(&mut self, snapshot_id: &str, count: u32) -> Result<Vec<Newcomer>, DomainError> {
        self.usable()?;
        let index = if snapshot_id.is_empty() { None } else { Some(self.place(snapshot_id)?) };
        let mut forks = Vec::new();
        for _ in 0..count {
            let fork = match index {
                Some(index) => self.forked_at(index).await?,
                None => {
                    let forked = caught(self.episode.fork()).await;
                    let episode = self.settled(forked)?;
                    self.newcomer(episode, self.way.clone())
                }
            };
            forks.push(fork);
        }
        Ok(forks)
    }

    /// What an export is made of. Of a lost episode it is the way to where it was lost.
    pub(super) fn way(&self) -> Result<(Arc<Origin>, Vec<Arc<Leg>>), DomainError> {
        Ok((Arc::clone(&self.origin), self.way.legs()?))
    }

    /// Nothing of it is kept in a file any more.
    pub(super) async fn forget(&mut self) {
        if let Some(file) = self.file.take() {
            file.discard().await;
        }
    }

    /// From now on it is kept in this file, which says how it came to be.
    pub(super) fn keep_in(&mut self, file: SessionFile) {
        self.file = Some(file);
    }

    async fn forked_at(&mut self, index: usize) -> Result<Newcomer, DomainError> {
        let Some(snapshot) = self.snapshots.get_mut(index) else { return Err(self.unknown(&id_of(index))) };
        let way = snapshot.way.clone();
        let forked = caught(snapshot.episode.fork()).await;
        let episode = self.settled(forked)?;
        Ok(self.newcomer(episode, way))
    }

    fn newcomer(&self, episode: Box<dyn Episode>, way: Way) -> Newcomer {
        let opening = episode.opening().clone();
        Newcomer { origin: Arc::clone(&self.origin), episode, opening, way }
    }

    fn place(&self, snapshot_id: &str) -> Result<usize, DomainError> {
        let found = (0..self.snapshots.len()).find(|index| id_of(*index) == snapshot_id);
        found.ok_or_else(|| self.unknown(snapshot_id))
    }

    fn unknown(&self, snapshot_id: &str) -> DomainError {
        let kept: Vec<String> = (0..self.snapshots.len()).map(id_of).collect();
        let message = format!("no snapshot {snapshot_id:?}; this session has {}", kept.len());
        DomainError::new(Code::NotFound, "SNAPSHOT_NOT_FOUND", message).field("snapshot_id").nearest(kept)
    }

    fn usable(&self) -> Result<(), DomainError> {
        match &self.broken {
            None => Ok(()),
            Some(cause) => Err(DomainError::new(Code::Internal, "ENV_ERROR", format!("this episode is lost: {cause}"))),
        }
    }

    /// Usable, and its file takes another line.
    fn writable(&self) -> Result<(), DomainError> {
        self.usable()?;
        if self.file.as_ref().is_some_and(SessionFile::is_full) {
            let message = "the journal of this session is full; close it and open another";
            return Err(DomainError::new(Code::ResourceExhausted, "JOURNAL_FULL", message));
        }
        Ok(())
    }

    /// What could not be written may stand in the file or not, so the session is of no more use until it is read again.
    async fn write(&mut self, line: Line) -> Result<(), DomainError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let written = file.append(line).await;
        self.settled(written.map_err(|error| DomainError { code: Code::Internal, ..error }))
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

fn id_of(index: usize) -> String {
    format!("s_{}", index + 1)
}

/// What costs one observation only.
fn passing(code: Code) -> bool {
    matches!(code, Code::FailedPrecondition | Code::Unavailable | Code::ResourceExhausted | Code::DeadlineExceeded)
}
