//! `history.redo`: what was undone, done again.

use super::arguments::typed;
use super::edits::{edit, same_name};
use super::history_undo::too_many;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "history.redo",
    group: Group::History,
    description: "Makes one or more undone steps again, as long as nothing else has changed the scene since.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Steps to make again; default 1.
    #[schemars(range(min = 1))]
    count: Option<u32>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let count = args.count.unwrap_or(1);
    let (later, history) = workspace
        .history
        .redone(&workspace.scene, count)
        .ok_or_else(|| too_many("redo", count, workspace.history.steps_to_redo()))?;
    let applied = edit(&workspace.scene, Edit::Restore(later), same_name)?;
    let (undo_left, redo_left) = (history.steps_to_undo(), history.steps_to_redo());
    let result = json!({"redone": count, "undo_left": undo_left, "redo_left": redo_left});
    Ok(Outcome::Restored { applied: Box::new(applied), history, result })
}
