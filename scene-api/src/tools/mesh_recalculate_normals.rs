//! `mesh.recalculate_normals`: which way triangles look, and where they are shaded smooth.

use super::arguments::typed;
use super::edits::edited;
use super::mesh_on_node::{SMOOTH_ANGLE_DEG, changed, mesh_of};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::limits::Blame;
use crate::modelling::{Surface, outward, shaded};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.recalculate_normals",
    group: Group::Mesh,
    description: "Turns the triangles of a node's mesh so that each connected shell looks outward (a cavity's too), \
                  and makes its shading normals anew: smooth up to an angle, or flat.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a mesh, e.g. `n_3`.
    node: String,
    /// Whether triangles are turned outward; false only shades. Default true.
    outside: Option<bool>,
    /// Edges of up to this angle are shaded smooth, 0 (flat) to 90; default 30.
    #[schemars(range(min = 0, max = 90))]
    smooth_angle_deg: Option<f64>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, mesh) = mesh_of(scene, &args.node)?;
    let angle_deg = args.smooth_angle_deg.unwrap_or(SMOOTH_ANGLE_DEG);
    let given = Surface::of(mesh);
    let (applied, result) = if args.outside.unwrap_or(true) {
        let done = outward(&given);
        let (applied, mut result) = changed(scene, (node, mesh), shaded(&done.surface, angle_deg))?;
        result["shells"] = json!(done.shells);
        result["turned_triangles"] = json!(done.turned);
        (applied, result)
    } else {
        changed(scene, (node, mesh), shaded(&given, angle_deg))?
    };
    Ok(edited(applied, result).blaming(Blame { triangles: "/node", place: "/node" }))
}
