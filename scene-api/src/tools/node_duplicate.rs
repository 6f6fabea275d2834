//! `node.duplicate`: a copy of a node and all below it.

use super::arguments::typed;
use super::copies::{Meshes, free_names, with_copy};
use super::edits::{edited, unchanged};
use super::label::label;
use super::look_at::world_from_parent;
use super::motion::moved;
use super::ranges::each_within;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::limits::Blame;
use crate::measured::origin_m;
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "node.duplicate",
    group: Group::Node,
    description: "Copies a node and everything below it, to the same parent. The copies of lights and cameras are \
                  their own.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// Of the copy; unique among siblings. Default: the node's with the next free number, `leg_2` after `leg`.
    #[schemars(length(min = 1, max = 128))]
    name: Option<String>,
    /// Metres in the scene's frame from the node to its copy; default none.
    move_by_m: Option<[f64; 3]>,
    /// Whether the copy shows the same meshes (`linked`, default) or has its own (`copied`), to be changed apart.
    #[serde(default)]
    meshes: Meshes,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (id, node) = references::node(scene, "/node", &args.node)?;
    let given = args.name.map(|name| label("/name", &name)).transpose()?;
    let name = given.or_else(|| free_names(scene, node).next()).unwrap_or_default();
    let mut place = "";
    let mut transform = node.transform;
    if let Some(by_m) = args.move_by_m {
        let most = 2.0 * workspace.limits.coordinate_m;
        let by_m = Vector3::from(each_within("/move_by_m", by_m, -most, most)?);
        transform = moved(transform, &world_from_parent(scene, node.parent), &by_m)?;
        place = "/move_by_m";
    }
    let (applied, copy) = with_copy(unchanged(scene), id, name.clone(), args.meshes, transform)?;
    let origin = origin_m(&applied.scene, copy);
    let nodes = applied.scene.subtree(copy);
    let result = json!({"node": copy, "name": name, "nodes": nodes, "world_translation_m": origin});
    Ok(edited(applied, result).blaming(Blame { place, ..Blame::default() }))
}
