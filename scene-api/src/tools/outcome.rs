//! What a tool did, and how that gets into the workspace.

use super::{Group, Wanted};
use crate::difference::reshaped;
use crate::history::History;
use crate::limits::Blame;
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::{Applied, Changed, NodeId};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) enum Outcome {
    Answer(Value),
    /// Lacks its picture.
    Pictured {
        wanted: Box<Wanted>,
        result: Value,
    },
    /// One step further.
    Edited {
        applied: Box<Applied>,
        result: Value,
        blame: Blame,
    },
    /// A step back or forth in the history that there is.
    Restored {
        applied: Box<Applied>,
        history: History,
        result: Value,
    },
    /// Only the history is another.
    Saved {
        history: History,
        result: Value,
    },
    /// `played` is the workspace after the calls of a batch; the calls count even where `end` is a refusal.
    Batched {
        played: Box<Workspace>,
        end: Result<Value, ToolError>,
    },
    Submitted,
}

/// What has come of an outcome.
pub(super) struct Done {
    pub(super) changed: Changed,
    pub(super) result: Value,
    /// Where the scene is another (`difference::reshaped`); `None` where nothing was done to it.
    pub(super) reshaped: Option<BTreeSet<NodeId>>,
    /// Yet to be drawn.
    pub(super) wanted: Option<Box<Wanted>>,
}

impl Done {
    fn of(result: Value) -> Self {
        Self { changed: Changed::default(), result, reshaped: None, wanted: None }
    }
}

/// # Errors
/// A limit forbids the scene, or a batch was refused; then nothing has changed but `calls_used`.
pub(super) fn entered(after: &mut Workspace, outcome: Outcome) -> Result<Done, ToolError> {
    match outcome {
        Outcome::Answer(result) => Ok(Done::of(result)),
        Outcome::Pictured { wanted, result } => {
            after.pixels_used += wanted.pixels();
            Ok(Done { wanted: Some(wanted), ..Done::of(result) })
        }
        Outcome::Edited { applied, result, blame } => {
            let history = stepped(after);
            replaced(after, *applied, history, result, blame)
        }
        Outcome::Restored { applied, history, result } => replaced(after, *applied, history, result, Blame::default()),
        Outcome::Saved { history, result } => {
            after.history = history;
            after.revision += 1;
            Ok(Done::of(result))
        }
        Outcome::Batched { played, end } => {
            after.calls_used = played.calls_used;
            let result = end?;
            after.log = played.log.clone();
            if played.revision == after.revision {
                return Ok(Done::of(result));
            }
            let history = stepped(after).with_checkpoints_of(&played.history);
            let changed = Changed::between(&after.scene, &played.scene);
            replaced(after, Applied { scene: played.scene, changed }, history, result, Blame::default())
        }
        Outcome::Submitted => {
            after.submitted = true;
            after.revision += 1;
            Ok(Done::of(json!({"submitted": true})))
        }
    }
}

/// The history after one more step; an episode that cannot go back keeps none.
fn stepped(workspace: &Workspace) -> History {
    if workspace.groups.has(Group::History) {
        workspace.history.stepped(workspace.scene.clone())
    } else {
        workspace.history.clone()
    }
}

fn replaced(
    after: &mut Workspace,
    applied: Applied,
    history: History,
    result: Value,
    blame: Blame,
) -> Result<Done, ToolError> {
    let Applied { scene, changed } = applied;
    let reshaped = reshaped(&after.scene, &scene);
    after.limits.admit(&after.scene, &scene, &reshaped, blame)?;
    after.scene = scene;
    after.history = history;
    after.revision += 1;
    Ok(Done { changed, result, reshaped: Some(reshaped), wanted: None })
}
