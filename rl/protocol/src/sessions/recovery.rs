//! Sessions played again from their files when a server starts.

use super::{
    newcomer::{Newcomer, may_pass, not_again, same},
    state::State,
};
use crate::{
    Code, Domain, DomainError,
    journal::{Header, Held, Line, SessionFile, VERSION},
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::time::sleep;

/// Between the tries of what may pass, e.g. a renderer that is busy.
const DELAYS: [Duration; 3] = [Duration::from_millis(200), Duration::from_secs(1), Duration::from_secs(5)];

pub(super) struct Recovered {
    pub(super) id: String,
    pub(super) lease: Duration,
    pub(super) state: State,
}

/// An error that `may_pass` is one of the moment; after another one the file is of no use.
pub(super) async fn recovered(
    domains: Arc<BTreeMap<String, Arc<dyn Domain>>>,
    path: PathBuf,
) -> Result<Recovered, DomainError> {
    let mut delays = DELAYS.into_iter();
    loop {
        let error = match once(&domains, &path).await {
            Err(error) if may_pass(&error) => error,
            settled => return settled,
        };
        match delays.next() {
            Some(delay) => sleep(delay).await,
            None => return Err(error),
        }
    }
}

async fn once(domains: &BTreeMap<String, Arc<dyn Domain>>, path: &Path) -> Result<Recovered, DomainError> {
    let (file, lines) = SessionFile::read(path.to_owned()).await?;
    let mut lines = lines.into_iter().peekable();
    let (origin, held) = match lines.next() {
        Some(Line::Header(Header { version: VERSION, origin, session: Some(held) })) => (origin, held),
        Some(Line::Header(header)) => {
            return Err(damaged(format!("version {}; this server reads version {VERSION}", header.version)));
        }
        _ => return Err(damaged("the header is missing".to_owned())),
    };
    let Held { id, lease_ms } = held;
    if path.file_stem().and_then(|stem| stem.to_str()) != Some(id.as_str()) {
        return Err(damaged(format!("the file is of session {id}")));
    }
    // Another start may have the domain.
    let domain = domains.get(&origin.domain).ok_or_else(|| {
        DomainError::new(Code::Unavailable, "DOMAIN_NOT_FOUND", format!("no domain {:?}", origin.domain))
    })?;
    let mut legs = Vec::new();
    while let Some(Line::Before(leg)) = lines.next_if(|line| matches!(line, Line::Before(_))) {
        legs.push(leg);
    }
    let newcomer = Newcomer::played(domain.as_ref(), origin, legs).await?;
    let mut state = State::new(newcomer, None);
    for line in lines {
        redo(&mut state, line).await?;
    }
    state.keep_in(file);
    Ok(Recovered { id, lease: Duration::from_millis(lease_ms), state })
}

/// Does again what a line says.
async fn redo(state: &mut State, line: Line) -> Result<(), DomainError> {
    let out_of_place = || damaged("a line is out of place".to_owned());
    match line {
        Line::Step(seq, leg) => {
            let what = format!("the step of seq {seq}");
            let response = state.step(seq, leg.calls()).await.map_err(|error| not_again(&what, error))?;
            if response.replayed {
                return Err(out_of_place());
            }
            same(&what, &leg.state_hash, &response.state_hash)
        }
        Line::Snapshot(id) => {
            let again = state.snapshot().await.map_err(|error| not_again(&format!("snapshot {id}"), error))?;
            if again == id { Ok(()) } else { Err(out_of_place()) }
        }
        Line::Rollback(id, state_hash) => {
            let what = format!("the rollback to {id}");
            let response = state.rollback(&id, 0).await.map_err(|error| not_again(&what, error))?;
            same(&what, &state_hash, &response.state_hash)
        }
        Line::Header(_) | Line::Before(_) | Line::End(_) => Err(out_of_place()),
    }
}

fn damaged(problem: String) -> DomainError {
    DomainError::new(Code::InvalidArgument, "JOURNAL_DAMAGED", problem)
}
