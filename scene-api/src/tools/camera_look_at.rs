//! `camera.look_at`: turns a camera.

use super::arguments::parse;
use super::edits::{edit, edited, same_name};
use super::look_at::{centre, rotation_towards, world_from_parent};
use super::ranges::each_within;
use super::schema::schema_of;
use super::{Outcome, ToolInfo, references};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::{Edit, Trs};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "camera.look_at",
    description: "Turns a camera, where it stands, to look at a point or at the middle of a node and all below it.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, json| run(workspace, parse(json)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a camera, e.g. `n_9`.
    camera: String,
    /// A point in world space, metres, or the id of a node.
    target: Target,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "invalid target, expected a point [x, y, z] or the id of a node")]
enum Target {
    Point([f64; 3]),
    Node(String),
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (id, node) = references::camera(scene, "/camera", &args.camera)?;
    let most = workspace.limits.coordinate_m;
    let target = match args.target {
        Target::Point(point) => each_within("/target", point, -most, most)?,
        Target::Node(given) => centre(scene, references::node(scene, "/target", &given)?.0),
    };
    let from_parent = world_from_parent(scene, node.parent);
    let rotation = rotation_towards(&from_parent, node.transform.translation, target)?;
    let transform = Trs { rotation, ..node.transform };
    let applied = edit(scene, Edit::SetTransform { node: id, transform }, same_name)?;
    Ok(edited(applied, json!({"camera": id, "rotation": rotation, "target_m": target})))
}
