//! `camera.add`: a camera on a node of its own, which the scene is then seen through.

use super::arguments::typed;
use super::edits::{AT_TRANSLATION, and_edit, created, edit, edited, same_name};
use super::label::label;
use super::lens::{Lens, Orthographic, USUAL, in_lens};
use super::look_at::aimed;
use super::placement::Placement;
use super::ranges::positive;
use super::schema::schema_of;
use super::target::Target;
use super::{Group, Outcome, ToolInfo, references};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::{Camera, Edit, Kept, Node, Trs};
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
    /// A point in world space, metres, or the id of a node, to look at; absent for straight along -Z.
    target: Option<Target>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let lens = Lens {
        yfov_deg: args.yfov_deg,
        orthographic: args.orthographic,
        znear_m: args.znear_m,
        zfar_m: args.zfar_m,
        endless: false,
    };
    let projection = lens.onto(USUAL)?;
    let name = label("/name", &args.name)?;
    let parent = references::parent(scene, args.parent.as_deref())?;
    let placement = Placement { translation: args.translation, ..Placement::default() };
    let placed = placement.checked(&workspace.limits)?.onto(Trs::IDENTITY);
    let target_m = args.target.map(|target| target.point_m(scene, "/target")).transpose()?;
    let transform = aimed(workspace, parent, placed, target_m)?;
    let camera = Camera { name: name.clone(), projection, kept: Kept::default() };
    let made = edit(scene, Edit::CreateNode(Node { name, parent, transform, ..Node::default() }), same_name)?;
    let node = created(&made)?;
    let seen = and_edit(made, Edit::SetCamera { node, camera }, in_lens)?;
    let applied = and_edit(seen, Edit::SetActiveCamera { node }, same_name)?;
    let result = json!({"node": node, "camera": applied.changed.cameras.last()});
    Ok(edited(applied, result).blaming(AT_TRANSLATION))
}
