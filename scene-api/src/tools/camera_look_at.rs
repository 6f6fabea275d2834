//! `camera.look_at`: turns a camera.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::look_at::aimed;
use super::schema::schema_of;
use super::target::Target;
use super::{Group, Outcome, ToolInfo, references};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "camera.look_at",
    group: Group::Core,
    description: "Turns a camera, where it stands, to look at a point or at the middle of a node and all below it.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a camera, e.g. `n_9`.
    camera: String,
    /// A point in world space, metres, or the id of a node.
    target: Target,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (id, node) = references::node_with("camera", |node| node.camera.is_some(), scene, "/camera", &args.camera)?;
    let target = args.target.point_m(scene, "/target")?;
    let transform = aimed(workspace, node.parent, node.transform, Some(target))?;
    let applied = edit(scene, Edit::SetTransform { node: id, transform }, same_name)?;
    Ok(edited(applied, json!({"camera": id, "rotation": transform.rotation, "target_m": target})))
}
