//! `scene.create`: start again from nothing.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::label::label;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "scene.create",
    group: Group::Core,
    description: "Clears everything and starts an empty scene; ids go on counting. Units are metres, +Y is up, the \
                  ground is y = 0.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// A title, repeated in the reply; nothing else depends on it.
    #[schemars(length(min = 1, max = 128))]
    name: Option<String>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let name = args.name.map(|name| label("/name", &name)).transpose()?;
    let applied = edit(&workspace.scene, Edit::Clear, same_name)?;
    let removed = applied.changed.nodes.clone();
    Ok(edited(applied, json!({"name": name, "removed": removed})))
}
