//! What a fork promises, and with it every snapshot, which is one.

use super::{Verdict, ensure, equal_rewards, opened, parted, played, refused, stepped};
use crate::Sample;
use rl_protocol::{Code, Domain};

pub(crate) async fn it_stands_where_it_was_made(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let mut parent = opened(domain, sample).await?;
    let (before, _) = parted(sample)?;
    let outcome = stepped("the steps before the fork", parent.as_mut(), before).await?;
    let mut fork = parent.fork().await.map_err(|error| format!("fork: {error}"))?;
    let (of_parent, of_fork) = (parent.opening().clone(), fork.opening().clone());
    ensure(of_fork.observation == of_parent.observation, || "its observation is not that of the opening".into())?;
    let same = of_fork.state_hash == outcome.state_hash && of_fork.budget == outcome.budget;
    ensure(same, || "its opening does not tell state hash and budget of where it was made".into())?;
    let idle = stepped("a step without calls", fork.as_mut(), Vec::new()).await?;
    let same = idle.state_hash == outcome.state_hash && idle.budget == outcome.budget;
    ensure(same, || "it does not stand where its opening says".into())
}

pub(crate) async fn it_goes_on_as_its_parent(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let mut parent = opened(domain, sample).await?;
    let (before, last) = parted(sample)?;
    stepped("the steps before the fork", parent.as_mut(), before).await?;
    let mut fork = parent.fork().await.map_err(|error| format!("fork: {error}"))?;
    let of_fork = stepped("the end of the fork", fork.as_mut(), last.clone()).await?;
    let of_parent = stepped("the end of its parent", parent.as_mut(), last).await?;
    ensure(of_fork.results == of_parent.results, || "the results differ".into())?;
    ensure(of_fork.state_hash == of_parent.state_hash, || "the state hashes differ".into())?;
    ensure(of_fork.budget == of_parent.budget && of_fork.end == of_parent.end, || "budget or end differ".into())?;
    let (fork, parent) = (of_fork.reward.ok_or("no reward")?, of_parent.reward.ok_or("no reward")?);
    equal_rewards("a fork and its parent", &fork, &parent)
}

pub(crate) async fn it_is_apart(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let mut parent = opened(domain, sample).await?;
    let mut fork = parent.fork().await.map_err(|error| format!("fork: {error}"))?;
    let mut of_fork = fork.fork().await.map_err(|error| format!("a fork of a fork: {error}"))?;
    let before = parent.opening().clone();
    stepped("the steps of a fork", fork.as_mut(), sample.calls.clone()).await?;
    drop(fork);
    for (what, other) in [("its parent", parent.as_mut()), ("its own fork", of_fork.as_mut())] {
        let after = stepped("a step without calls", other, Vec::new()).await?;
        let same = after.state_hash == before.state_hash && after.budget == before.budget;
        ensure(same, || format!("steps of a fork changed {what}"))?;
    }
    Ok(())
}

pub(crate) async fn an_ended_episode_is_not_forked(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let mut played = played(domain, sample).await?;
    refused("a fork after the end", played.episode.fork().await, &[Code::FailedPrecondition]).map(drop)
}
