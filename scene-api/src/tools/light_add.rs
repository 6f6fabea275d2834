//! `light.add`: a punctual light on a node of its own.

use super::arguments::typed;
use super::edits::{AT_TRANSLATION, and_edit, created, edit, edited, same_name};
use super::label::label;
use super::light_kind::{LightKindArgs, in_kind};
use super::look_at::aimed;
use super::placement::Placement;
use super::ranges::positive;
use super::schema::schema_of;
use super::target::Target;
use super::{Group, Outcome, ToolInfo, references};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{Edit, Kept, Light, Node, Trs};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "light.add",
    group: Group::Core,
    description: "Makes a node with a light. Directional and spot lights shine along the node's -Z: give `target` \
                  to aim one.",
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
    /// Which light.
    light: LightKindArgs,
    /// Candela for point and spot, lux for directional; ≥ 0.
    #[schemars(range(min = 0))]
    intensity: f64,
    /// Linear red, green, blue, each in [0, 1]; default white.
    #[schemars(inner(range(min = 0, max = 1)))]
    color: Option<[f64; 3]>,
    /// Metres at which the light ends; absent for never.
    #[schemars(transform = positive)]
    range_m: Option<f64>,
    /// Id of the parent node; absent for a root.
    parent: Option<String>,
    /// Metres, in the parent's frame.
    translation: Option<[f64; 3]>,
    /// Quaternion [x, y, z, w]; it is normalised.
    rotation: Option<[f64; 4]>,
    /// Instead of `rotation`: a point in world space, metres, or the id of a node, to shine at.
    target: Option<Target>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let name = label("/name", &args.name)?;
    let parent = references::parent(scene, args.parent.as_deref())?;
    let placement = Placement { translation: args.translation, rotation: args.rotation, ..Placement::default() };
    if let (Some(_), Some(target)) = (args.rotation, &args.target) {
        let message = "rotation and target exclude each other";
        return Err(ToolError::new(ErrorCode::InvalidArgument, "/target", message)
            .given(json!(target))
            .allowed("one of rotation, target"));
    }
    let placed = placement.checked(&workspace.limits)?.onto(Trs::IDENTITY);
    let target_m = args.target.map(|target| target.point_m(scene, "/target")).transpose()?;
    let transform = aimed(workspace, parent, placed, target_m)?;
    let light = Light {
        name: name.clone(),
        kind: args.light.into(),
        color: args.color.unwrap_or([1.0; 3]),
        intensity: args.intensity,
        range_m: args.range_m,
        kept: Kept::default(),
    };
    let made = edit(scene, Edit::CreateNode(Node { name, parent, transform, ..Node::default() }), same_name)?;
    let node = created(&made)?;
    let applied = and_edit(made, Edit::SetLight { node, light }, in_kind)?;
    let result = json!({"node": node, "light": applied.changed.lights.last()});
    Ok(edited(applied, result).blaming(AT_TRANSLATION))
}
