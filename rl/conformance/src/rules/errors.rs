//! Failures of the model are results that it sees; bad requests are typed errors.

use super::{Verdict, ensure, opened, refused};
use crate::Sample;
use rl_protocol::{Code, Domain, ObserveOptions, ToolCall};
use serde_json::Value;

pub(crate) async fn bad_calls_are_results(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let tool = sample.bad_call.name.as_str();
    let bad_calls = [
        ("an unknown tool", call("no_such_tool", "{}")),
        ("malformed JSON", call(tool, "{\"")),
        ("arguments that are no object", call(tool, "[1]")),
        ("an unknown argument", call(tool, "{\"no_such_argument\": 1}")),
        ("a wrong type", sample.bad_call.clone()),
    ];
    let mut episode = opened(domain, sample).await?;
    let before = episode.opening().state_hash.clone();
    for (what, bad_call) in bad_calls {
        let outcome = episode.step(vec![bad_call]).await.map_err(|error| format!("{what} is an error: {error}"))?;
        let [result] = outcome.results.as_slice() else {
            return Err(format!("{what}: {} results for one call", outcome.results.len()));
        };
        ensure(!result.ok, || format!("{what} succeeded: {}", result.json))?;
        well_formed(what, &result.json)?;
        ensure(outcome.state_hash == before, || format!("{what} changed the state"))?;
        ensure(outcome.end.is_none(), || format!("{what} ended the episode"))?;
    }
    Ok(())
}

/// A refusal says all of what a model needs to mend its call.
pub(super) fn well_formed(what: &str, reply: &Value) -> Verdict {
    let error = &reply["error"];
    let said = |member: &str| error[member].as_str().is_some_and(|text| !text.is_empty());
    let complete = said("code")
        && said("message")
        && error["pointer"].is_string()
        && error.get("given").is_some()
        && error["allowed"].is_string()
        && error["nearest"].as_array().is_some_and(|nearest| nearest.iter().all(Value::is_string));
    ensure(complete, || format!("{what}: error lacks one of code, message, pointer, given, allowed, nearest: {reply}"))
}

pub(crate) async fn unknown_observation_is_refused(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let mut episode = opened(domain, sample).await?;
    let observed = episode.observe(&["no_such_observation".to_owned()], ObserveOptions::default()).await;
    refused("an unknown observation", observed, &[Code::InvalidArgument]).map(drop)
}

pub(crate) async fn nothing_wanted_is_nothing_observed(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let mut episode = opened(domain, sample).await?;
    let nothing =
        episode.observe(&[], ObserveOptions::default()).await.map_err(|error| format!("observing nothing: {error}"))?;
    ensure(nothing.is_empty(), || format!("{} contents, though none was wanted", nothing.len()))
}

fn call(name: &str, arguments_json: &str) -> ToolCall {
    ToolCall { name: name.into(), arguments_json: arguments_json.into() }
}
