//! `mesh.set_data`: triangles as given.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::extent::min_max;
use super::ranges::each_within;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::limits::Blame;
use crate::measured::world_aabb;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{Edit, Geometry, Mesh, NodeId, Primitive, Scene, Triangles};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.set_data",
    group: Group::Core,
    description: "Gives a node a mesh of the triangles listed, replacing the mesh it had. Triangles are \
                  counter-clockwise seen from outside; a solid must be closed.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// Points in the node's frame, metres; stored as 32-bit floats.
    positions: Vec<[f64; 3]>,
    /// At least one; three indices into `positions` each.
    triangles: Vec<[u32; 3]>,
    /// Unit shading normals, one per position.
    normals: Option<Vec<[f64; 3]>>,
    /// Material id, e.g. `mat_1`.
    material: Option<String>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, holder) = references::node(scene, "/node", &args.node)?;
    let material = args.material.map(|given| references::material(scene, "/material", &given)).transpose()?;
    if args.triangles.is_empty() {
        return Err(ToolError::new(ErrorCode::Degenerate, "/triangles", "a mesh needs a triangle")
            .allowed("at least one triangle"));
    }
    let most = workspace.limits.coordinate_m;
    for (index, position) in args.positions.iter().enumerate() {
        each_within(&format!("/positions/{index}"), *position, -most, most)?;
    }
    let triangles = Triangles {
        positions: args.positions.into_iter().map(single_precision).collect(),
        normals: args.normals.map(|normals| normals.into_iter().map(single_precision).collect()),
        triangles: args.triangles,
        ..Triangles::default()
    };
    let primitive = Primitive { geometry: Geometry::Raw(Arc::new(triangles)), material };
    let mesh = Mesh { name: holder.name.clone(), primitives: vec![primitive], ..Mesh::default() };
    let applied = edit(scene, Edit::SetMesh { node, mesh }, same_name)?;
    let result = placed(&applied.scene, node);
    Ok(edited(applied, result).blaming(Blame { triangles: "/triangles", place: "/positions" }))
}

/// What the reply says of a mesh just put on a node.
pub(super) fn placed(scene: &Scene, node: NodeId) -> Value {
    let mesh = scene.node(node).and_then(|node| node.mesh);
    let triangles = mesh.and_then(|mesh| scene.meshes().get(&mesh)).map(|mesh| mesh.triangle_count());
    let bounds = world_aabb(scene, node).map(|bounds| min_max(&bounds));
    json!({"node": node, "mesh": mesh, "triangles": triangles, "world_aabb_m": bounds})
}

fn single_precision(point: [f64; 3]) -> [f32; 3] {
    point.map(|part| part as f32)
}
