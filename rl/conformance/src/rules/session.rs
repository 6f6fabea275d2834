//! The verbs that only a session on a server has.

use super::{Verdict, ensure, equal_rewards, parted, played, refused, spec, stepped};
use crate::Sample;
use rl_protocol::{Code, Episode as _, RemoteDomain, RemoteEpisode, StepOutcome};

async fn opened(domain: &RemoteDomain, sample: &Sample) -> Result<RemoteEpisode, String> {
    let mut sessions = domain.open_sessions(spec(sample, 1)).await.map_err(|error| format!("open: {error}"))?;
    sessions.pop().ok_or_else(|| "no session was opened".into())
}

async fn snapshot(session: &mut RemoteEpisode) -> Result<String, String> {
    session.snapshot().await.map_err(|error| format!("snapshot: {error}"))
}

/// The session is where it was after `before`.
async fn rolled_back(session: &mut RemoteEpisode, snapshot_id: &str, before: &StepOutcome) -> Verdict {
    let (state_hash, budget) =
        session.rollback(snapshot_id).await.map_err(|error| format!("rollback to {snapshot_id}: {error}"))?;
    ensure(state_hash == before.state_hash, || "the state hash is not that of the snapshot".into())?;
    ensure(budget == before.budget, || "the budget is not that of the snapshot".into())
}

pub(crate) async fn a_rollback_restores_state_budget_and_end(domain: &RemoteDomain, sample: &Sample) -> Verdict {
    let expected = played(domain, sample).await?.reward;
    let (before, last) = parted(sample)?;
    let mut session = opened(domain, sample).await?;
    let outcome = stepped("the steps before the snapshot", &mut session, before).await?;
    let id = snapshot(&mut session).await?;
    for _ in 0..2 {
        let ended = stepped("the end", &mut session, last.clone()).await?;
        equal_rewards("the end after a rollback", &expected, &ended.reward.ok_or("the end brought no reward")?)?;
        rolled_back(&mut session, &id, &outcome).await?;
        // As a client does that has lost the reply.
        rolled_back(&mut session, &id, &outcome).await?;
    }
    Ok(())
}

pub(crate) async fn snapshots_outlive_a_rollback_to_an_older_one(domain: &RemoteDomain, sample: &Sample) -> Verdict {
    let (before, _) = parted(sample)?;
    let mut session = opened(domain, sample).await?;
    let start = stepped("a step without calls", &mut session, Vec::new()).await?;
    let older = snapshot(&mut session).await?;
    ensure(snapshot(&mut session).await? == older, || "an unchanged state has two snapshots".into())?;
    let later = stepped("the steps between the snapshots", &mut session, before).await?;
    let newer = snapshot(&mut session).await?;
    rolled_back(&mut session, &older, &start).await?;
    rolled_back(&mut session, &newer, &later).await?;
    let error = refused("a rollback to no snapshot", session.rollback("s_0").await, &[Code::NotFound])?;
    ensure(error.field == "snapshot_id", || format!("the field is {:?}, not snapshot_id", error.field))
}

pub(crate) async fn forks_are_sessions_of_their_own(domain: &RemoteDomain, sample: &Sample) -> Verdict {
    let expected = played(domain, sample).await?.reward;
    let (before, last) = parted(sample)?;
    let mut session = opened(domain, sample).await?;
    stepped("the steps before the fork", &mut session, before).await?;
    let id = snapshot(&mut session).await?;
    stepped("the end of the parent", &mut session, last.clone()).await?;
    refused("a fork after the end", session.forks(None, 1).await, &[Code::FailedPrecondition])?;
    let forks = session.forks(Some(&id), 2).await.map_err(|error| format!("forks of a snapshot: {error}"))?;
    ensure(forks.len() == 2, || format!("{} forks; 2 were asked for", forks.len()))?;
    drop(session);
    for mut fork in forks {
        let ended = stepped("the end of a fork", &mut fork, last.clone()).await?;
        equal_rewards("a fork's end", &expected, &ended.reward.ok_or("the end brought no reward")?)?;
    }
    Ok(())
}

pub(crate) async fn an_export_is_imported_as_it_was(domain: &RemoteDomain, sample: &Sample) -> Verdict {
    let expected = played(domain, sample).await?.reward;
    let (before, last) = parted(sample)?;
    let mut session = opened(domain, sample).await?;
    let outcome = stepped("the steps before the export", &mut session, before).await?;
    let export = session.export().await.map_err(|error| format!("export: {error}"))?;
    let mut imported = domain.import(&export).await.map_err(|error| format!("import: {error}"))?;
    let opening = imported.opening().clone();
    ensure(opening.observation == session.opening().observation, || "the observation is another one".into())?;
    let same = opening.state_hash == outcome.state_hash && opening.budget == outcome.budget;
    ensure(same, || "state hash or budget are not those of the export".into())?;
    let again = imported.export().await.map_err(|error| format!("export of the import: {error}"))?;
    ensure(again == export, || "the import exports other bytes".into())?;
    let ended = stepped("the end of the import", &mut imported, last).await?;
    equal_rewards("the import's end", &expected, &ended.reward.ok_or("the end brought no reward")?)
}

pub(crate) async fn a_damaged_export_is_refused(domain: &RemoteDomain, sample: &Sample) -> Verdict {
    let (before, _) = parted(sample)?;
    let mut session = opened(domain, sample).await?;
    stepped("the steps before the export", &mut session, before).await?;
    let export = session.export().await.map_err(|error| format!("export: {error}"))?;
    let (_, short) = export.split_last().ok_or("the export is empty")?;
    let mut changed = export.clone();
    if let Some(byte) = changed.get_mut(export.len() / 2) {
        *byte ^= 1;
    }
    refused("an export cut short", domain.import(short).await, &[Code::InvalidArgument])?;
    refused("a changed export", domain.import(&changed).await, &[Code::InvalidArgument])?;
    refused("nothing", domain.import(&[]).await, &[Code::InvalidArgument]).map(drop)
}
