//! An episode that is about to be a session: opened, forked, or played again.

use super::way::Way;
use crate::{
    Code, Domain, DomainError, Episode, OpenSpec, Opening,
    journal::{Header, Held, Leg, Line, Origin, VERSION, hex},
    panics::caught,
    wire,
};
use std::{sync::Arc, time::Duration};

pub(super) struct Newcomer {
    pub(super) origin: Arc<Origin>,
    pub(super) episode: Box<dyn Episode>,
    /// The observation at the opening of the task; state hash and budget as they stand.
    pub(super) opening: Opening,
    pub(super) way: Way,
}

impl Newcomer {
    pub(super) async fn opened(domain: &dyn Domain, name: &str, spec: OpenSpec) -> Result<Vec<Self>, DomainError> {
        let (asked, count) = (spec.clone(), spec.count);
        let episodes = caught(domain.open(spec)).await?;
        if u32::try_from(episodes.len()) != Ok(count) {
            let message = format!("the domain opened {} episodes; {count} were asked for", episodes.len());
            return Err(DomainError::new(Code::Internal, "MISCOUNTED", message));
        }
        let newcomer = |episode: Box<dyn Episode>| {
            let opening = episode.opening().clone();
            let origin = Arc::new(Origin::new(name, &asked, &opening.state_hash));
            Self { origin, episode, opening, way: Way::default() }
        };
        Ok(episodes.into_iter().map(newcomer).collect())
    }

    /// Plays a way again. `FailedPrecondition` names the step that does not lead to the state that it led to before.
    pub(super) async fn played(
        domain: &dyn Domain,
        origin: Arc<Origin>,
        legs: Vec<Arc<Leg>>,
    ) -> Result<Self, DomainError> {
        let opened = Self::opened(domain, &origin.domain, origin.spec()).await?.pop();
        let Some(Self { mut episode, mut opening, .. }) = opened else {
            return Err(DomainError::new(Code::Internal, "MISCOUNTED", "the domain opened no episode"));
        };
        same("the opening", &origin.state_hash, &opening.state_hash)?;
        let steps = legs.len();
        for (number, leg) in (1_usize..).zip(&legs) {
            let what = format!("step {number} of {steps}");
            let outcome = caught(episode.step(leg.calls())).await.map_err(|error| not_again(&what, error))?;
            same(&what, &leg.state_hash, &outcome.state_hash)?;
            (opening.state_hash, opening.budget) = (outcome.state_hash, outcome.budget);
        }
        Ok(Self { origin, episode, opening, way: Way::of(legs) })
    }

    /// The beginning of the session's file.
    pub(super) fn lines(&self, id: &str, lease: Duration) -> Result<Vec<Line>, DomainError> {
        let held = Held { id: id.to_owned(), lease_ms: u64::try_from(lease.as_millis()).unwrap_or(u64::MAX) };
        let header = Header { version: VERSION, origin: Arc::clone(&self.origin), session: Some(held) };
        let mut lines = vec![Line::Header(header)];
        lines.extend(self.way.legs()?.into_iter().map(Line::Before));
        Ok(lines)
    }

    pub(super) fn reply(&self, id: &str, lease: Duration) -> wire::Session {
        let opening = &self.opening;
        wire::Session {
            session_id: id.to_owned(),
            observation: opening.observation.iter().cloned().map(Into::into).collect(),
            lease: prost_types::Duration::try_from(lease).ok(),
            state_hash: opening.state_hash.clone(),
            budget: Some(opening.budget.clone().into()),
            tool_groups: opening.tool_groups.clone(),
        }
    }
}

/// What is played again leads where it led before; `before` is in hexadecimal.
pub(super) fn same(what: &str, before: &str, now: &[u8]) -> Result<(), DomainError> {
    let now = hex(now);
    if now == before {
        return Ok(());
    }
    let message = format!("played again, {what} leads to the state hash {now}; it led to {before}");
    Err(DomainError::new(Code::FailedPrecondition, "REPLAY_DIFFERS", message).field("data"))
}

/// Why a step that was played before is not played again. What may pass stays what it is.
pub(super) fn not_again(what: &str, error: DomainError) -> DomainError {
    let message = format!("played again, {what} fails: {error}");
    match error.code {
        Code::Internal => DomainError::new(Code::Internal, error.reason, message),
        _ if may_pass(&error) => DomainError { message, ..error },
        _ => DomainError::new(Code::FailedPrecondition, "REPLAY_REFUSED", message).field("data"),
    }
}

/// Whether the same may succeed later.
pub(super) fn may_pass(error: &DomainError) -> bool {
    matches!(error.code, Code::Unavailable | Code::ResourceExhausted | Code::DeadlineExceeded)
}
