//! `checkpoint.restore`: a scene that was saved.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::scene_diff::saved;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "checkpoint.restore",
    group: Group::History,
    description: "Puts a saved scene in the place of the one that is there; this is a step that can be undone. Calls \
                  and pixels stay used, and ids are not given twice.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// As given to checkpoint.save.
    name: String,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let saved = saved(&workspace.history, "/name", &args.name)?.clone();
    let applied = edit(&workspace.scene, Edit::Restore(saved), same_name)?;
    let nodes = applied.scene.nodes().size();
    Ok(edited(applied, json!({"name": args.name, "nodes": nodes})))
}
