//! `camera.add`: a camera on a node of its own, which the scene is then seen through.

use super::arguments::typed;
use super::edits::{AT_TRANSLATION, and_edit, created, edit, edited, same_name};
use super::label::label;
use super::look_at::aimed;
use super::placement::Placement;
use super::ranges::positive;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{Camera, Edit, Kept, Node, Projection, Trs};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "camera.add",
    group: Group::Core,
    description: "Makes a node with a camera and makes it the active one. It looks along the node's -Z with +Y up: \
                  give `target` to aim it.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

const YFOV_DEG: f64 = 50.0;
const ZNEAR_M: f64 = 0.05;
/// An orthographic view needs an end.
const ORTHOGRAPHIC_ZFAR_M: f64 = 1000.0;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Name of the node; unique among siblings.
    #[schemars(length(min = 1, max = 128))]
    name: String,
    /// Vertical field of view of a perspective camera, 1 to 170; default 50.
    #[schemars(range(min = 1, max = 170))]
    yfov_deg: Option<f64>,
    /// Instead of `yfov_deg`: parallel projection.
    orthographic: Option<Orthographic>,
    /// Metres, more than 0, at most 1000; default 0.05.
    #[schemars(range(max = 1000), transform = positive)]
    znear_m: Option<f64>,
    /// Metres, more than `znear_m`, at most 10000; default infinite, or 1000 for a parallel projection.
    #[schemars(range(max = 10000), transform = positive)]
    zfar_m: Option<f64>,
    /// Id of the parent node; absent for a root.
    parent: Option<String>,
    /// Metres, in the parent's frame.
    translation: Option<[f64; 3]>,
    /// The point in world space, metres, that the camera looks at; absent for straight along -Z.
    target: Option<[f64; 3]>,
}

/// Half the width and half the height of the view, metres.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Orthographic {
    #[schemars(range(min = 0.001, max = 10000))]
    xmag_m: f64,
    #[schemars(range(min = 0.001, max = 10000))]
    ymag_m: f64,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let projection = projection(&args)?;
    let name = label("/name", &args.name)?;
    let parent = references::parent(scene, args.parent.as_deref())?;
    let placement = Placement { translation: args.translation, ..Placement::default() };
    let placed = placement.checked(&workspace.limits)?.onto(Trs::IDENTITY);
    let transform = aimed(workspace, parent, placed, args.target)?;
    let camera = Camera { name: name.clone(), projection, kept: Kept::default() };
    let made = edit(scene, Edit::CreateNode(Node { name, parent, transform, ..Node::default() }), same_name)?;
    let node = created(&made);
    let seen = and_edit(made, Edit::SetCamera { node, camera }, |what| match what {
        "xmag_m" | "ymag_m" => format!("/orthographic/{what}"),
        "yfov_rad" => "/yfov_deg".into(),
        other => same_name(other),
    })?;
    let applied = and_edit(seen, Edit::SetActiveCamera { node }, same_name)?;
    let result = json!({"node": node, "camera": applied.changed.cameras.last()});
    Ok(edited(applied, result).blaming(AT_TRANSLATION))
}

fn projection(args: &Args) -> Result<Projection, ToolError> {
    let znear_m = args.znear_m.unwrap_or(ZNEAR_M);
    match (args.yfov_deg, args.orthographic) {
        (Some(_), Some(_)) => {
            let message = "yfov_deg and orthographic exclude each other";
            Err(ToolError::new(ErrorCode::InvalidArgument, "/orthographic", message)
                .allowed("one of yfov_deg, orthographic"))
        }
        (yfov_deg, None) => {
            let yfov_rad = yfov_deg.unwrap_or(YFOV_DEG).to_radians();
            Ok(Projection::Perspective { yfov_rad, aspect: None, znear_m, zfar_m: args.zfar_m })
        }
        (None, Some(Orthographic { xmag_m, ymag_m })) => {
            let zfar_m = args.zfar_m.unwrap_or(ORTHOGRAPHIC_ZFAR_M);
            Ok(Projection::Orthographic { xmag_m, ymag_m, znear_m, zfar_m })
        }
    }
}
