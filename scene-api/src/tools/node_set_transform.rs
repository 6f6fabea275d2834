//! `node.set_transform`: move, turn, scale.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::look_at::world_from_parent;
use super::motion::moved;
use super::placement::Placement;
use super::ranges::each_within;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::limits::Blame;
use crate::measured::origin_m;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use nalgebra::Vector3;
use scene_document::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "node.set_transform",
    group: Group::Core,
    description: "Sets a node's translation, rotation or scale, or moves it by `move_by_m`; absent parts stay as they \
                  are. What is below the node moves with it.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// Metres.
    translation: Option<[f64; 3]>,
    /// Quaternion [x, y, z, w]; it is normalised.
    rotation: Option<[f64; 4]>,
    /// Instead of `rotation`: degrees about x, then the turned y, then the turned z.
    rotation_euler_deg: Option<[f64; 3]>,
    /// Factors along x, y, z.
    scale: Option<[f64; 3]>,
    /// Frame of the parts given: the parent's (`local`) or the scene's (`world`).
    #[serde(default)]
    space: Space,
    /// Metres in the scene's frame whatever `space` is, added after the rest.
    move_by_m: Option<[f64; 3]>,
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
    if parts.is_empty() && args.move_by_m.is_none() {
        return Err(ToolError::new(ErrorCode::InvalidArgument, "", "nothing to set")
            .allowed("at least one of translation, rotation, rotation_euler_deg, scale, move_by_m"));
    }
    let from_parent = world_from_parent(scene, node.parent);
    let mut transform = match (args.space, node.parent) {
        (Space::World, Some(_)) => parts.onto_in_world(node.transform, &from_parent)?,
        (Space::Local, _) | (Space::World, None) => parts.onto(node.transform),
    };
    if let Some(by_m) = args.move_by_m {
        let most = 2.0 * workspace.limits.coordinate_m;
        let by_m = Vector3::from(each_within("/move_by_m", by_m, -most, most)?);
        transform = moved(transform, &from_parent, &by_m)?;
    }
    let given = [
        ("/translation", args.translation.is_some()),
        ("/rotation", args.rotation.is_some()),
        ("/rotation_euler_deg", args.rotation_euler_deg.is_some()),
        ("/scale", args.scale.is_some()),
        ("/move_by_m", args.move_by_m.is_some()),
    ];
    let mut given = given.into_iter().filter_map(|(pointer, is_given)| is_given.then_some(pointer));
    let place = match (given.next(), given.next()) {
        (Some(only), None) => only,
        _ => "",
    };
    let applied = edit(scene, Edit::SetTransform { node: id, transform }, same_name)?;
    let origin = origin_m(&applied.scene, id);
    let result = json!({"node": id, "transform": transform, "world_translation_m": origin});
    Ok(edited(applied, result).blaming(Blame { place, ..Blame::default() }))
}
