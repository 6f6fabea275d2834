//! Whether a sample is what the rules can play with, so that none of its faults is taken for one of the domain.

use super::{Verdict, described, ensure, spec};
use crate::Sample;
use rl_protocol::{Code, Domain};

/// Plays the sample once. What the domain itself fails at is left to the rules.
pub(crate) async fn fits(domain: &dyn Domain, sample: &Sample) -> Verdict {
    ensure(!sample.calls.is_empty(), || "calls is empty".into())?;
    let Ok(description) = described(domain).await else { return Ok(()) };
    let bad = &sample.bad_call.name;
    let known: Vec<&str> =
        description.tools.iter().filter(|tool| tool.group.is_empty()).map(|tool| tool.name.as_str()).collect();
    ensure(known.contains(&bad.as_str()), || {
        format!("bad_call is of {bad:?}; the tools without a group are {}", known.join(", "))
    })?;
    let mut opened = match domain.open(spec(sample, 1)).await {
        Ok(opened) => opened,
        Err(error) if error.code == Code::NotFound => return Err(format!("task_id: {error}")),
        Err(_) => return Ok(()),
    };
    let Some(mut episode) = opened.pop() else { return Ok(()) };
    let last = sample.calls.len();
    for (number, call) in (1..).zip(&sample.calls) {
        let Ok(outcome) = episode.step(vec![call.clone()]).await else { return Ok(()) };
        if let Some(result) = outcome.results.iter().find(|result| !result.ok) {
            return Err(format!("call {number} ({}) is refused: {}", call.name, result.json));
        }
        let ended = outcome.end.is_some();
        ensure(number == last || !ended, || format!("call {number} ({}) ends the episode before the last", call.name))?;
        ensure(number < last || ended, || format!("the last call ({}) does not end the episode", call.name))?;
    }
    Ok(())
}
