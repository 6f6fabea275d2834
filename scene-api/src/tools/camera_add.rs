//! `camera.add`: a camera on a node of its own, which the scene is then seen through.

use super::arguments::parse;
use super::edits::{and_edit, created, edit, edited, same_name};
use super::label::label;
use super::look_at::{rotation_towards, world_from_parent};
use super::placement::Placement;
use super::ranges::{each_within, within};
use super::schema::schema_of;
use super::{Outcome, ToolInfo, references};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{Camera, Edit, Kept, Node, Projection, Trs};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "camera.add",
    description: "Makes a node with a camera and makes it the active one. It looks along the node's -Z with +Y up: \
                  give `target` to aim it.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, json| run(workspace, parse(json)?),
};

const YFOV_DEG: f64 = 50.0;
const ZNEAR_M: f64 = 0.05;
/// An orthographic view needs an end.
const ORTHOGRAPHIC_ZFAR_M: f64 = 1000.0;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Name of the node; unique among siblings.
    name: String,
    /// Vertical field of view of a perspective camera, 1 to 170; default 50.
    yfov_deg: Option<f64>,
    /// Instead of `yfov_deg`: parallel projection.
    orthographic: Option<Orthographic>,
    /// Metres, more than 0; default 0.05.
    znear_m: Option<f64>,
    /// Metres, more than `znear_m`; default infinite, or 1000 for a parallel projection.
    zfar_m: Option<f64>,
    /// Id of the parent node; absent for a root.
    parent: Option<String>,
    /// Metres, in the parent's frame.
    translation: Option<[f64; 3]>,
    /// The point in world space, metres, that the camera looks at; absent for straight along -Z.
    target: Option<[f64; 3]>,
}

/// Half the width and half the height of the view.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Orthographic {
    xmag_m: f64,
    ymag_m: f64,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let projection = projection(&args)?;
    let name = label("/name", &args.name)?;
    let parent = references::parent(scene, args.parent.as_deref())?;
    let placement = Placement { translation: args.translation, ..Placement::default() };
    let mut transform = placement.checked(&workspace.limits)?.onto(Trs::IDENTITY);
    if let Some(target) = args.target {
        let most = workspace.limits.coordinate_m;
        let target = each_within("/target", target, -most, most)?;
        transform.rotation = rotation_towards(&world_from_parent(scene, parent), transform.translation, target)?;
    }
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
    Ok(edited(applied, result))
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
            let yfov_rad = within("/yfov_deg", yfov_deg.unwrap_or(YFOV_DEG), 1.0, 170.0)?.to_radians();
            Ok(Projection::Perspective { yfov_rad, aspect: None, znear_m, zfar_m: args.zfar_m })
        }
        (None, Some(Orthographic { xmag_m, ymag_m })) => {
            let zfar_m = args.zfar_m.unwrap_or(ORTHOGRAPHIC_ZFAR_M);
            Ok(Projection::Orthographic { xmag_m, ymag_m, znear_m, zfar_m })
        }
    }
}
