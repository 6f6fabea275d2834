//! `node.mirror`: the mirror image of a node and all below it.

use super::arguments::typed;
use super::axis::Axis;
use super::copies::{Meshes, free_names, with_copy};
use super::edits::{edit, edited, same_name, unchanged};
use super::label::label;
use super::look_at::world_from_parent;
use super::motion::{mirror, under};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::limits::Blame;
use crate::measured::origin_m;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "node.mirror",
    group: Group::Node,
    description: "Makes the mirror image of a node and everything below it across a plane of the scene, as a copy \
                  that shows the same meshes, or in place.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// Axis of the scene that the plane stands across: `x` swaps left and right.
    axis: Axis,
    /// Where the plane cuts the axis, metres; default 0.
    at_m: Option<f64>,
    /// Whether the node itself is mirrored; default false, for a copy.
    in_place: Option<bool>,
    /// Of the copy; unique among siblings. Default: the node's with the next free number.
    #[schemars(length(min = 1, max = 128))]
    name: Option<String>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (id, node) = references::node(scene, "/node", &args.node)?;
    let (at_m, most) = (args.at_m.unwrap_or_default(), workspace.limits.coordinate_m);
    if !(-most..=most).contains(&at_m) {
        return Err(ToolError::out_of_range("/at_m", at_m, format!("-{most} to {most}")));
    }
    let given = args.name.map(|name| label("/name", &name)).transpose()?;
    let world_from_image = mirror(args.axis, at_m) * scene.world_from_node(id);
    let transform = under(&world_from_parent(scene, node.parent), &world_from_image, "/node")?;
    let (applied, image) = if args.in_place.unwrap_or(false) {
        if let Some(name) = given {
            let message = "a node that is mirrored in place keeps its name";
            return Err(ToolError::new(ErrorCode::InvalidArgument, "/name", message)
                .given(name)
                .allowed("no name, or in_place false"));
        }
        (edit(scene, Edit::SetTransform { node: id, transform }, same_name)?, id)
    } else {
        let name = given.or_else(|| free_names(scene, node).next()).unwrap_or_default();
        with_copy(unchanged(scene), id, name, Meshes::Linked, transform)?
    };
    let origin = origin_m(&applied.scene, image);
    let name = applied.scene.node(image).map(|node| node.name.clone());
    let result = json!({"node": image, "name": name, "transform": transform, "world_translation_m": origin});
    Ok(edited(applied, result).blaming(Blame { place: "/at_m", ..Blame::default() }))
}
