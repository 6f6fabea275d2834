//! `node.rename`: another name.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::label::label;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "node.rename",
    group: Group::Node,
    description: "Gives a node another name; its id stays. Give objects exactly the names that the task uses.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// Unique among siblings; 1 to 128 characters.
    #[schemars(length(min = 1, max = 128))]
    name: String,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let (id, node) = references::node(&workspace.scene, "/node", &args.node)?;
    let name = label("/name", &args.name)?;
    let result = json!({"node": id, "name": name, "before": node.name});
    let applied = edit(&workspace.scene, Edit::Rename { node: id, name }, same_name)?;
    Ok(edited(applied, result))
}
