//! `mesh.merge_by_distance`: corners that nearly meet made one.

use super::arguments::typed;
use super::edits::edited;
use super::mesh_on_node::{SMOOTH_ANGLE_DEG, changed, mesh_of};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::limits::Blame;
use crate::modelling::{Surface, fused, shaded};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.merge_by_distance",
    group: Group::Mesh,
    description: "Makes corners of a node's mesh that are near each other one, which closes cracks; triangles that \
                  shrink to a line go. Normals are made anew.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

const DISTANCE_M: f64 = 1e-4;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a mesh, e.g. `n_3`.
    node: String,
    /// Metres in the node's frame, 0.000001 to 10; default 0.0001.
    #[schemars(range(min = 1e-6, max = 10))]
    distance_m: Option<f64>,
    /// Edges of up to this angle are shaded smooth, 0 to 90; default 30.
    #[schemars(range(min = 0, max = 90))]
    smooth_angle_deg: Option<f64>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, mesh) = mesh_of(scene, &args.node)?;
    let before = Surface::of(mesh);
    let after = fused(&before, args.distance_m.unwrap_or(DISTANCE_M));
    let parts = shaded(&after, args.smooth_angle_deg.unwrap_or(SMOOTH_ANGLE_DEG));
    let (applied, mut result) =
        changed(scene, (node, mesh), parts).map_err(|error| ToolError { pointer: "/distance_m".into(), ..error })?;
    result["merged_points"] = json!(before.points.len() - after.points.len());
    let removed = mesh.triangle_count().saturating_sub(after.faces.len() as u64);
    result["removed_triangles"] = json!(removed);
    Ok(edited(applied, result).blaming(Blame { triangles: "/node", place: "/distance_m" }))
}
