//! `node.create`: an empty node, to hold a mesh or other nodes.

use super::arguments::typed;
use super::edits::{AT_TRANSLATION, created, edit, edited, same_name};
use super::label::label;
use super::placement::Placement;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::{Edit, Node, Trs};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "node.create",
    group: Group::Core,
    description: "Makes an empty node and returns its id. Give objects exactly the names that the task uses.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Unique among siblings; 1 to 128 characters.
    #[schemars(length(min = 1, max = 128))]
    name: String,
    /// Id of the parent node, e.g. `n_1`; absent for a root.
    parent: Option<String>,
    /// Metres, in the parent's frame.
    translation: Option<[f64; 3]>,
    /// Quaternion [x, y, z, w]; it is normalised.
    rotation: Option<[f64; 4]>,
    /// Instead of `rotation`: degrees about x, then the turned y, then the turned z.
    rotation_euler_deg: Option<[f64; 3]>,
    /// Factors along x, y, z.
    scale: Option<[f64; 3]>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let placement = Placement {
        translation: args.translation,
        rotation: args.rotation,
        rotation_euler_deg: args.rotation_euler_deg,
        scale: args.scale,
    };
    let node = Node {
        name: label("/name", &args.name)?,
        parent: references::parent(&workspace.scene, args.parent.as_deref())?,
        transform: placement.checked(&workspace.limits)?.onto(Trs::IDENTITY),
        ..Node::default()
    };
    let applied = edit(&workspace.scene, Edit::CreateNode(node), same_name)?;
    let result = json!({"node": created(&applied)?});
    Ok(edited(applied, result).blaming(AT_TRANSLATION))
}
