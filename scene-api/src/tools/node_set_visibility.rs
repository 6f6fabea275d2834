//! `node.set_visibility`: hidden, or shown again.

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
    name: "node.set_visibility",
    group: Group::Node,
    description: "Hides a node and everything below it, or shows it again. What is hidden is neither drawn nor \
                  measured nor counted as there, and hidden lights are out; cameras still see.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// False hides.
    visible: bool,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let (node, _) = references::node(&workspace.scene, "/node", &args.node)?;
    let visible = args.visible;
    let applied = edit(&workspace.scene, Edit::SetVisible { node, visible }, same_name)?;
    let hidden_by = applied.scene.ancestry(node).find(|id| applied.scene.node(*id).is_some_and(|node| !node.visible));
    let result = json!({"node": node, "visible": visible, "hidden_by": hidden_by});
    Ok(edited(applied, result))
}
