//! `history.undo`: the scene as it was some steps ago.

use super::arguments::typed;
use super::edits::{edit, same_name};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "history.undo",
    group: Group::History,
    description: "Takes the scene back by one or more steps; each call that changed it is a step, a whole batch is \
                  one. Only the scene goes back: calls and pixels stay used, and ids are not given twice.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Steps to go back; default 1.
    #[schemars(range(min = 1))]
    count: Option<u32>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let count = args.count.unwrap_or(1);
    let (earlier, history) = workspace
        .history
        .undone(&workspace.scene, count)
        .ok_or_else(|| too_many("undo", count, workspace.history.steps_to_undo()))?;
    let applied = edit(&workspace.scene, Edit::Restore(earlier), same_name)?;
    let (undo_left, redo_left) = (history.steps_to_undo(), history.steps_to_redo());
    let result = json!({"undone": count, "undo_left": undo_left, "redo_left": redo_left});
    Ok(Outcome::Restored { applied: Box::new(applied), history, result })
}

pub(super) fn too_many(what: &str, count: u32, left: usize) -> ToolError {
    let allowed = match left {
        0 => format!("no {what} now"),
        left => format!("1 to {left}"),
    };
    ToolError::new(ErrorCode::OutOfRange, "/count", format!("{count} steps to {what}; there are {left}"))
        .given(count)
        .allowed(allowed)
}
