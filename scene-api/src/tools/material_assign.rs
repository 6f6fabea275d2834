//! `material.assign`: a material on a node's mesh.

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
    name: "material.assign",
    group: Group::Core,
    description: "Puts a material on the whole mesh of a node.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a mesh, e.g. `n_3`.
    node: String,
    /// Material id, e.g. `mat_1`.
    material: String,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let (node, _) = references::node_with("mesh", |node| node.mesh.is_some(), &workspace.scene, "/node", &args.node)?;
    let material = references::material(&workspace.scene, "/material", &args.material)?;
    let applied = edit(&workspace.scene, Edit::AssignMaterial { node, material }, same_name)?;
    Ok(edited(applied, json!({"node": node, "material": material})))
}
