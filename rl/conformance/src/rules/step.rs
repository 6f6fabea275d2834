//! What Step promises.

use super::{Verdict, ensure, errors::well_formed, opened, played, refused};
use crate::Sample;
use rl_protocol::{Code, Domain};

pub(crate) async fn no_calls_change_nothing(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let mut episode = opened(domain, sample).await?;
    let opening = episode.opening().clone();
    let outcome = episode.step(Vec::new()).await.map_err(|error| format!("a step without calls: {error}"))?;
    ensure(outcome.results.is_empty(), || format!("{} results for no calls", outcome.results.len()))?;
    ensure(outcome.end.is_none() && outcome.reward.is_none(), || "a step without calls ended the episode".into())?;
    let same = outcome.state_hash == opening.state_hash && outcome.budget == opening.budget;
    ensure(same, || "a step without calls changed state hash or budget".into())
}

pub(crate) async fn every_call_has_a_result(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let mut episode = opened(domain, sample).await?;
    let mut calls = sample.calls.clone();
    calls.extend(sample.calls.last().cloned());
    let outcome = episode.step(calls).await.map_err(|error| format!("step: {error}"))?;
    let (given, expected) = (outcome.results.len(), sample.calls.len() + 1);
    ensure(given == expected, || format!("{given} results for {expected} calls"))?;
    let last = outcome.results.last().ok_or("no results")?;
    ensure(!last.ok, || "a call after the end, in the same step, succeeded".into())?;
    well_formed("a call after the end, in the same step", &last.json)
}

pub(crate) async fn the_end_brings_a_reward(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let played = played(domain, sample).await?;
    let last = played.outcomes.len().saturating_sub(1);
    for (index, outcome) in played.outcomes.iter().enumerate() {
        let (ends, pays) = (outcome.end.is_some(), outcome.reward.is_some());
        ensure(ends == (index == last), || format!("step {}: end is {:?}", index + 1, outcome.end))?;
        ensure(pays == ends, || format!("step {}: end and reward do not come together", index + 1))?;
        ensure(!outcome.state_hash.is_empty(), || format!("step {}: no state hash", index + 1))?;
        if let Some(end) = outcome.end {
            ensure(end.terminated != end.truncated, || format!("{end:?} is not one of terminated and truncated"))?;
        }
    }
    Ok(())
}

pub(crate) async fn nothing_follows_the_end(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let mut played = played(domain, sample).await?;
    let calls = sample.calls.iter().take(1).cloned().collect();
    refused("a step after the end", played.episode.step(calls).await, &[Code::FailedPrecondition]).map(drop)
}
