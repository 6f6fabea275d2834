//! `mesh.flip_normals`: the inside out.

use super::arguments::typed;
use super::edits::edited;
use super::mesh_on_node::{changed, mesh_of};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::limits::Blame;
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::Triangles;
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.flip_normals",
    group: Group::Mesh,
    description: "Turns every triangle of a node's mesh over, with its shading normals.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a mesh, e.g. `n_3`.
    node: String,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, mesh) = mesh_of(scene, &args.node)?;
    let flipped = mesh.primitives.iter().map(|primitive| flipped(&primitive.geometry.triangles()));
    let (applied, result) = changed(scene, (node, mesh), flipped.enumerate().collect())?;
    Ok(edited(applied, result).blaming(Blame { triangles: "/node", place: "/node" }))
}

fn flipped(given: &Triangles) -> Triangles {
    let normals = given.normals.as_ref();
    Triangles {
        positions: given.positions.clone(),
        normals: normals.map(|normals| normals.iter().map(|normal| normal.map(|part| 0.0 - part)).collect()),
        uvs: given.uvs.clone(),
        triangles: given.triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect(),
    }
}
