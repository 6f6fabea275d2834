//! `mesh.apply_transform`: a node's rotation and scale put into its mesh.

use super::arguments::typed;
use super::edits::{and_edit, edited};
use super::mesh_on_node::{changed, mesh_of};
use super::mesh_set_data::placed;
use super::placement::decomposed;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::limits::Blame;
use crate::modelling::single_precision;
use crate::tool_error::{ErrorCode, ToolError, quoted};
use crate::workspace::Workspace;
use nalgebra::{Matrix3, Vector3};
use scene_document::{Edit, Node, NodeId, Scene, Triangles, Trs};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.apply_transform",
    group: Group::Mesh,
    description: "Puts a node's rotation and scale into its mesh and sets them to none; its translation stays. The \
                  mesh and all nodes below stay where they are in the scene.",
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
    let (id, mesh) = mesh_of(scene, &args.node)?;
    let node = scene.node(id).cloned().unwrap_or_default();
    if node.camera.is_some() || node.light.is_some() {
        let what = if node.camera.is_some() { "a camera" } else { "a light" };
        let message = format!("{id} ({}) has {what} too, which would turn", quoted(&node.name));
        return Err(ToolError::new(ErrorCode::Unsupported, "/node", message)
            .given(args.node)
            .allowed("a node that has neither camera nor light"));
    }
    let parent_from_node = Trs { translation: [0.0; 3], ..node.transform }.matrix();
    let linear: Matrix3<f64> = parent_from_node.fixed_view::<3, 3>(0, 0).into_owned();
    let Some(inverse) = linear.try_inverse() else {
        return Err(ToolError::new(ErrorCode::Degenerate, "/node", format!("the scale of {id} flattens it"))
            .given(args.node)
            .allowed("a node whose scale has no zero"));
    };
    let children = children(scene, id, &node)?;
    let baked = mesh.primitives.iter().map(|primitive| baked(&primitive.geometry.triangles(), &linear, &inverse));
    let (mut applied, of_mesh) = changed(scene, (id, mesh), baked.enumerate().collect())?;
    let transform = Trs { translation: node.transform.translation, ..Trs::IDENTITY };
    for (node, transform) in [(id, transform)].into_iter().chain(children) {
        applied = and_edit(applied, Edit::SetTransform { node, transform }, |_| "/node".to_owned())?;
    }
    let mut result = placed(&applied.scene, id);
    if let Some(lost) = of_mesh.get("lost") {
        result["lost"] = lost.clone();
    }
    Ok(edited(applied, result).blaming(Blame { triangles: "/node", place: "/node" }))
}

/// What the children's transforms become.
///
/// # Errors
/// `Unsupported` where a child would be sheared, which no transform can say.
fn children(scene: &Scene, id: NodeId, node: &Node) -> Result<Vec<(NodeId, Trs)>, ToolError> {
    let parent_from_node = Trs { translation: [0.0; 3], ..node.transform }.matrix();
    let moved = scene.children(Some(id)).map(|(child, below)| -> Result<(NodeId, Trs), ToolError> {
        let sheared = || {
            let message = format!("the uneven scale of {id} shears {child} ({}) below it", quoted(&below.name));
            ToolError::new(ErrorCode::Unsupported, "/node", message)
                .given(id.to_string())
                .allowed("an even scale, or children turned by right angles only")
        };
        let transform = decomposed(&(parent_from_node * below.transform.matrix())).ok_or_else(sheared)?;
        Ok((child, transform))
    });
    moved.collect()
}

/// A mirror also turns the triangles over, so that their outside stays outside.
fn baked(given: &Triangles, linear: &Matrix3<f64>, inverse: &Matrix3<f64>) -> Triangles {
    let is_mirror = linear.determinant() < 0.0;
    let vector = |parts: &[f32; 3]| Vector3::from(parts.map(f64::from));
    let normal_matrix = inverse.transpose();
    let normal = |normal: &[f32; 3]| {
        single_precision((normal_matrix * vector(normal)).try_normalize(0.0).unwrap_or_else(Vector3::y))
    };
    let corners = |[a, b, c]: &[u32; 3]| if is_mirror { [*a, *c, *b] } else { [*a, *b, *c] };
    Triangles {
        positions: given.positions.iter().map(|position| single_precision(linear * vector(position))).collect(),
        normals: given.normals.as_ref().map(|normals| normals.iter().map(&normal).collect()),
        uvs: given.uvs.clone(),
        triangles: given.triangles.iter().map(corners).collect(),
    }
}
