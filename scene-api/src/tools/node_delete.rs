//! `node.delete`: a node and all below it.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "node.delete",
    group: Group::Core,
    description: "Deletes a node and everything below it. The ids are not used again.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let (node, _) = references::node(&workspace.scene, "/node", &args.node)?;
    let deleted = workspace.scene.subtree(node);
    let applied = edit(&workspace.scene, Edit::DeleteNode { node }, same_name)?;
    Ok(edited(applied, json!({"deleted": deleted})))
}
