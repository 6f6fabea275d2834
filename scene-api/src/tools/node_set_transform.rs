//! `node.set_transform`: move, turn, scale.

use super::arguments::parse;
use super::edits::{edit, edited, same_name};
use super::look_at::world_from_parent;
use super::placement::Placement;
use super::schema::schema_of;
use super::{Outcome, ToolInfo, references};
use crate::measured::four_digits_each;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "node.set_transform",
    description: "Sets a node's translation, rotation or scale; absent parts stay as they are. What is below the node \
                  moves with it.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, json| run(workspace, parse(json)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// Metres.
    translation: Option<[f64; 3]>,
    /// Unit quaternion [x, y, z, w].
    rotation: Option<[f64; 4]>,
    /// Instead of `rotation`: degrees about x, then the turned y, then the turned z.
    rotation_euler_deg: Option<[f64; 3]>,
    /// Factors along x, y, z.
    scale: Option<[f64; 3]>,
    /// Frame of the parts given: the parent's (`local`) or the scene's (`world`).
    #[serde(default)]
    space: Space,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Space {
    #[default]
    Local,
    World,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (id, node) = references::node(scene, "/node", &args.node)?;
    let placement = Placement {
        translation: args.translation,
        rotation: args.rotation,
        rotation_euler_deg: args.rotation_euler_deg,
        scale: args.scale,
    };
    let parts = placement.checked(&workspace.limits)?;
    if parts.is_empty() {
        return Err(ToolError::new(ErrorCode::InvalidArgument, "", "nothing to set")
            .allowed("at least one of translation, rotation, rotation_euler_deg, scale"));
    }
    let transform = match (args.space, node.parent) {
        (Space::World, Some(_)) => parts.onto_in_world(node.transform, &world_from_parent(scene, node.parent))?,
        (Space::Local, _) | (Space::World, None) => parts.onto(node.transform),
    };
    let applied = edit(scene, Edit::SetTransform { node: id, transform }, same_name)?;
    let world_from_node = applied.scene.world_from_node(id);
    let origin = four_digits_each(world_from_node.column(3).iter().take(3).copied());
    let result = json!({"node": id, "transform": transform, "world_translation": origin});
    Ok(edited(applied, result))
}
