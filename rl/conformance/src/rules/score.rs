//! A reward is in range or absent, and a pure function of what was delivered.

use super::{SEED, Verdict, ensure, equal_rewards, misspelt, not_found, opened, played, profile};
use crate::Sample;
use rl_protocol::{Domain, Outcome, Subject};

/// Of the sum of weights: rounding of a few dozen additions.
const WEIGHT_SUM_ERROR: f64 = 1e-9;

pub(crate) async fn the_value_is_in_range(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let reward = played(domain, sample).await?.reward;
    match &reward.outcome {
        Outcome::Value(value) => ensure((0.0..=1.0).contains(value), || format!("the value is {value}"))?,
        Outcome::Unscorable(why) => {
            ensure(!why.code.is_empty() && !why.message.is_empty(), || "unscorable without code or message".into())?;
        }
    }
    ensure(!reward.profile_id.is_empty(), || "the reward names no profile".into())?;
    for gate in &reward.gates {
        ensure(gate.evidence.len() <= 10, || format!("gate {} has more than ten faults", gate.name))?;
    }
    for component in &reward.components {
        let in_range = (0.0..=1.0).contains(&component.value);
        ensure(in_range, || format!("component {} is {}", component.name, component.value))?;
        ensure(component.evidence.len() <= 10, || format!("component {} has more than ten faults", component.name))?;
    }
    Ok(())
}

pub(crate) async fn weights_sum_to_one(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let components = played(domain, sample).await?.reward.components;
    let sum: f64 = components.iter().map(|component| component.weight).sum();
    ensure(components.is_empty() || (sum - 1.0).abs() <= WEIGHT_SUM_ERROR, || format!("the weights sum to {sum}"))
}

pub(crate) async fn scoring_is_pure(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let mut played = played(domain, sample).await?;
    for _ in 0..2 {
        let again = played.episode.score(None).await.map_err(|error| format!("score after the end: {error}"))?;
        equal_rewards("the ended episode scored again", &played.reward, &again)?;
    }
    Ok(())
}

pub(crate) async fn a_call_log_scores_the_same(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let reward = played(domain, sample).await?.reward;
    let log = call_log(sample);
    let of_log = domain.score(log, None).await.map_err(|error| format!("score of the call log: {error}"))?;
    equal_rewards("episode and call log", &reward, &of_log)
}

pub(crate) async fn unknown_profile_is_not_found(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let known = profile(domain).await?;
    let unknown = misspelt(&known);
    let mut episode = opened(domain, sample).await?;
    not_found("scoring an episode", episode.score(Some(&unknown)).await, "profile", &known)?;
    let log = call_log(sample);
    not_found("scoring a call log", domain.score(log, Some(&unknown)).await, "profile", &known)
}

fn call_log(sample: &Sample) -> Subject {
    let (task_id, calls) = (sample.task_id.clone(), sample.calls.clone());
    Subject::CallLog { task_id, seed: SEED, calls, tool_groups: Vec::new() }
}
