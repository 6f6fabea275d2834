//! `batch.apply`: several calls as one, all or nothing.

use super::arguments::typed;
use super::fits::fits;
use super::outcome::{Done, entered};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, episode_submit, ids, named, render_still};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "batch.apply",
    group: Group::History,
    description: "Makes calls one after another, as one step with one reply. With `atomic`, the default, the first \
                  refusal undoes all of them. Each counts as a call of the episode. Not in a batch: batch.apply, \
                  episode.submit, render.still.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

const NOT_INSIDE: [&str; 3] = [TOOL.name, episode_submit::TOOL.name, render_still::TOOL.name];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// In order; 1 to 64.
    #[schemars(length(min = 1, max = 64))]
    calls: Vec<Call>,
    /// Whether one refusal undoes all (default true); else the other calls stand and the refused ones say why.
    atomic: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Call {
    /// Of the tool, e.g. `node.create`.
    name: String,
    /// As for the tool by itself.
    arguments: Map<String, Value>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let (given, left) = (args.calls.len(), workspace.calls_left());
    if given as u64 > u64::from(left) {
        let message = format!("{given} calls; {left} of this episode are left");
        return Err(ToolError::new(ErrorCode::BudgetExhausted, "/calls", message)
            .given(given)
            .allowed(format!("at most {left} calls")));
    }
    let atomic = args.atomic.unwrap_or(true);
    let mut played = Box::new(workspace.clone());
    let mut results = Vec::with_capacity(given);
    let mut refused = 0;
    for (index, call) in args.calls.into_iter().enumerate() {
        played.calls_used = played.calls_used.saturating_add(1);
        match one(&mut played, &call.name, Value::Object(call.arguments)) {
            Ok(done) => {
                played.log = played.log.with_artifact(&call.name, workspace.revision, &done.result);
                results.push(json!({"ok": true, "changed": ids(&done.changed), "result": done.result}));
            }
            Err(error) => {
                let error = error.below(index).below("calls");
                if atomic {
                    let message = format!("call {index} was refused, so none was made: {}", error.message);
                    return Ok(Outcome::Batched { played, end: Err(ToolError { message, ..error }) });
                }
                refused += 1;
                results.push(json!({"ok": false, "error": error}));
            }
        }
    }
    Ok(Outcome::Batched { played, end: Ok(json!({"results": results, "refused": refused})) })
}

/// The pointer of a refusal counts from the call.
fn one(played: &mut Workspace, name: &str, arguments: Value) -> Result<Done, ToolError> {
    if NOT_INSIDE.contains(&name) {
        return Err(ToolError::new(ErrorCode::Unsupported, "/name", format!("{name} cannot be in a batch"))
            .given(name)
            .allowed(format!("any tool but {}", NOT_INSIDE.join(", "))));
    }
    let (tool, schema) = named(played, name).map_err(|error| error.below("name"))?;
    let checked = fits(&arguments, schema);
    let outcome = checked.and_then(|()| (tool.run)(played, arguments));
    outcome.and_then(|outcome| entered(played, outcome)).map_err(|error| error.below("arguments"))
}
