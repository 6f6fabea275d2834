//! One function per rule; `Err` says what was expected and what was found.

pub(crate) mod describe;
pub(crate) mod determinism;
pub(crate) mod errors;
pub(crate) mod fork;
pub(crate) mod groups;
pub(crate) mod history;
pub(crate) mod open;
pub(crate) mod probe;
pub(crate) mod score;
pub(crate) mod session;
pub(crate) mod step;

use crate::Sample;
use rl_protocol::{Code, Description, Domain, DomainError, Episode, OpenSpec, Reward, StepOutcome, ToolCall};

type Verdict = Result<(), String>;

const SEED: u64 = 7;

/// An episode played to its end, one call a step.
struct Played {
    episode: Box<dyn Episode>,
    outcomes: Vec<StepOutcome>,
    reward: Reward,
}

fn spec(sample: &Sample, count: u32) -> OpenSpec {
    OpenSpec { task_id: sample.task_id.clone(), count, seed: SEED, profile: None, tool_groups: Vec::new() }
}

async fn opened(domain: &dyn Domain, sample: &Sample) -> Result<Box<dyn Episode>, String> {
    let mut episodes = domain.open(spec(sample, 1)).await.map_err(|error| format!("open: {error}"))?;
    match (episodes.pop(), episodes.is_empty()) {
        (Some(episode), true) => Ok(episode),
        _ => Err("open with count 1 did not open one episode".into()),
    }
}

async fn played(domain: &dyn Domain, sample: &Sample) -> Result<Played, String> {
    let mut episode = opened(domain, sample).await?;
    let mut outcomes = Vec::with_capacity(sample.calls.len());
    for (number, call) in sample.calls.iter().enumerate() {
        let outcome = episode
            .step(vec![call.clone()])
            .await
            .map_err(|error| format!("step {} ({}): {error}", number + 1, call.name))?;
        if let Some(result) = outcome.results.iter().find(|result| !result.ok) {
            return Err(format!("step {} ({}) of the sample was refused: {}", number + 1, call.name, result.json));
        }
        outcomes.push(outcome);
    }
    let reward =
        outcomes.last().and_then(|outcome| outcome.reward.clone()).ok_or("the sample's last step brought no reward")?;
    Ok(Played { episode, outcomes, reward })
}

/// All calls but the last, which ends the episode, and that one.
fn parted(sample: &Sample) -> Result<(Vec<ToolCall>, Vec<ToolCall>), String> {
    let (last, before) = sample.calls.split_last().ok_or("the sample has no calls")?;
    Ok((before.to_vec(), vec![last.clone()]))
}

async fn stepped(what: &str, episode: &mut dyn Episode, calls: Vec<ToolCall>) -> Result<StepOutcome, String> {
    episode.step(calls).await.map_err(|error| format!("{what}: {error}"))
}

/// The error of a call that must fail with one of `allowed`.
fn refused<T>(what: &str, result: Result<T, DomainError>, allowed: &[Code]) -> Result<DomainError, String> {
    match result {
        Err(error) if allowed.contains(&error.code) => Ok(error),
        Err(error) => Err(format!("{what}: expected {allowed:?}, got {:?} ({error})", error.code)),
        Ok(_) => Err(format!("{what}: expected {allowed:?}, but it succeeded")),
    }
}

/// Of a name that is not known: `NotFound`, the request field, and the known name that was misspelt.
fn not_found<T>(what: &str, result: Result<T, DomainError>, field: &str, meant: &str) -> Verdict {
    let error = refused(what, result, &[Code::NotFound])?;
    ensure(error.field == field, || format!("{what}: the field is {:?}, not {field}", error.field))?;
    let offered = error.nearest.iter().any(|name| name == meant);
    ensure(offered, || format!("{what}: {meant:?} is not among the nearest names {:?}", error.nearest))
}

/// Near to a known name, and unknown.
fn misspelt(name: &str) -> String {
    format!("{name}x")
}

async fn described(domain: &dyn Domain) -> Result<Description, String> {
    domain.describe().await.map_err(|error| format!("describe: {error}"))
}

/// The id of a profile of the domain.
async fn profile(domain: &dyn Domain) -> Result<String, String> {
    let first = described(domain).await?.profiles.into_iter().next();
    first.map(|profile| profile.id).ok_or_else(|| "there are no reward profiles".into())
}

fn bytes(reward: &Reward) -> Result<String, String> {
    serde_json::to_string(reward).map_err(|error| format!("a reward is no JSON: {error}"))
}

fn equal_rewards(what: &str, left: &Reward, right: &Reward) -> Verdict {
    let (left, right) = (bytes(left)?, bytes(right)?);
    ensure(left == right, || format!("{what}: rewards differ:\n    {left}\n    {right}"))
}

fn ensure(holds: bool, problem: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(problem()) }
}
