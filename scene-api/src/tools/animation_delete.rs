//! `animation.delete`: an animation with all of its channels.

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
    name: "animation.delete",
    group: Group::Animation,
    description: "Deletes an animation with all of its channels; the nodes stay where they stand. The id is not used \
                  again.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Animation id, e.g. `anm_1`.
    animation: String,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let animation = references::animation(&workspace.scene, "/animation", &args.animation)?;
    let applied = edit(&workspace.scene, Edit::DeleteAnimation { animation }, same_name)?;
    Ok(edited(applied, json!({"deleted": animation})))
}
