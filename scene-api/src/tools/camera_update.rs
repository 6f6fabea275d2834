//! `camera.update`: another field of view, projection or clip plane for a camera that is there.

use super::arguments::typed;
use super::edits::{edit, edited};
use super::lens::{Lens, Orthographic, in_lens};
use super::ranges::positive;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{Camera, Edit};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "camera.update",
    group: Group::Look,
    description: "Changes a camera's projection and clip planes; absent parts stay as they are, and the camera where \
                  it is.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a camera, e.g. `n_9`.
    camera: String,
    /// Vertical field of view, 1 to 170; makes a perspective camera.
    #[schemars(range(min = 1, max = 170))]
    yfov_deg: Option<f64>,
    /// Instead of `yfov_deg`: makes a parallel projection.
    orthographic: Option<Orthographic>,
    /// Metres, more than 0, at most 1000.
    #[schemars(range(max = 1000), transform = positive)]
    znear_m: Option<f64>,
    /// Metres, more than `znear_m`, at most 10000.
    #[schemars(range(max = 10000), transform = positive)]
    zfar_m: Option<f64>,
    /// Instead of `zfar_m`: whether a perspective camera sees without end; default false.
    #[serde(default)]
    endless: bool,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, _, before) = references::camera(scene, "/camera", &args.camera)?;
    let lens = Lens {
        yfov_deg: args.yfov_deg,
        orthographic: args.orthographic,
        znear_m: args.znear_m,
        zfar_m: args.zfar_m,
        endless: args.endless,
    };
    if lens.is_empty() {
        return Err(ToolError::new(ErrorCode::InvalidArgument, "", "nothing to set")
            .allowed("at least one of yfov_deg, orthographic, znear_m, zfar_m, endless"));
    }
    let projection = lens.onto(before.projection)?;
    let camera = Camera { projection, ..before.clone() };
    let applied = edit(scene, Edit::SetCamera { node, camera }, in_lens)?;
    Ok(edited(applied, json!({"camera": node, "projection": projection})))
}
