//! `camera.set_active`: which camera the scene is seen through.

use super::arguments::typed;
use super::edits::{edit, edited};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "camera.set_active",
    group: Group::Core,
    description: "Makes a camera the one that the scene is seen and judged through.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a camera, e.g. `n_9`.
    camera: String,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, ..) = references::camera(scene, "/camera", &args.camera)?;
    let applied = edit(scene, Edit::SetActiveCamera { node }, |_| "/camera".into())?;
    Ok(edited(applied, json!({"active_camera": node, "before": scene.active_camera()})))
}
