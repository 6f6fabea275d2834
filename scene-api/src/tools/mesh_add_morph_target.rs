//! `mesh.add_morph_target`: a second shape that a mesh can be moved towards.

use super::arguments::typed;
use super::edits::{and_edit, edit, edited};
use super::label::label;
use super::mesh_on_node::{cannot_follow, mesh_of};
use super::mesh_set_data::placed;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::limits::Blame;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{Deformation, Edit, Geometry, Mesh, MorphTarget, Primitive, Triangles};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.add_morph_target",
    group: Group::Mesh,
    description: "Gives a node's mesh a morph target: the shape of another node's mesh, which must have the same \
                  triangles with their corners elsewhere. node.set_morph_weights moves the mesh towards it, and so do \
                  animations (path `weights`); channels that drove the weights before are removed. The other node may \
                  be deleted afterwards.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

/// Vertices times morph targets of one mesh.
const MOST_DELTAS: u64 = 1 << 20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of the node whose mesh gets the target, e.g. `n_3`.
    node: String,
    /// Id of the node whose mesh has the shape; both are taken in the frames of their nodes.
    shape: String,
    /// Of the target; unique in the mesh.
    #[schemars(length(min = 1, max = 128))]
    name: String,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, mesh) = mesh_of(scene, &args.node)?;
    let (_, shaped) = references::node_with("mesh", |node| node.mesh.is_some(), scene, "/shape", &args.shape)?;
    let targets = mesh.morph_target_count();
    let mut target_names = mesh.target_names.clone();
    if target_names.is_empty() {
        target_names.extend((0..targets).map(|place| format!("target_{place}")));
    }
    let name = label("/name", &args.name)?;
    if target_names.contains(&name) {
        return Err(ToolError::new(ErrorCode::NameConflict, "/name", "the mesh has a morph target of that name")
            .given(name)
            .allowed("a name that no morph target of the mesh has"));
    }
    target_names.push(name);
    let vertices: usize = mesh.primitives.iter().map(|part| part.geometry.triangles().positions.len()).sum();
    let deltas = (vertices as u64).saturating_mul(targets as u64 + 1);
    if deltas > MOST_DELTAS {
        return Err(ToolError::limit("/node", "vertices times morph targets", deltas, MOST_DELTAS));
    }
    let shape = shaped.mesh.and_then(|mesh| scene.meshes().get(&mesh));
    let primitives = shape.and_then(|shape| morphing(mesh, shape)).ok_or_else(|| {
        let message = format!("the meshes of {} and {} do not have the same triangles", args.node, args.shape);
        ToolError::new(ErrorCode::InvalidArgument, "/shape", message)
            .given(args.shape.as_str())
            .allowed("a node whose mesh has as many vertices in the same order, and the same triangles of them")
    })?;

    let with_one_more = |weights: &[f64]| if weights.is_empty() { Vec::new() } else { [weights, &[0.0]].concat() };
    let (lost, weights) = (cannot_follow(mesh), with_one_more(&mesh.weights));
    let morphed = Mesh { name: mesh.name.clone(), primitives, weights, target_names, ..Mesh::default() };
    let of_node = scene.node(node).map(|node| with_one_more(&node.weights)).unwrap_or_default();
    let place = |_: &str| "/node".to_owned();
    let mut applied = edit(scene, Edit::SetMesh { node, mesh: morphed }, place)?;
    if !of_node.is_empty() {
        applied = and_edit(applied, Edit::SetWeights { node, weights: of_node }, place)?;
    }
    let mut result = placed(&applied.scene, node);
    result["morph_targets"] = json!(targets + 1);
    let lost: Vec<String> =
        lost.into_iter().filter(|name| !["JOINTS_0", "WEIGHTS_0", "targets"].contains(&name.as_str())).collect();
    if !lost.is_empty() {
        result["lost"] = json!(lost);
    }
    Ok(edited(applied, result).blaming(Blame { triangles: "/node", place: "/node" }))
}

/// The primitives of `mesh` with one more target each; `None` where those of `shape` are not made of the same triangles.
fn morphing(mesh: &Mesh, shape: &Mesh) -> Option<Vec<Primitive>> {
    if mesh.primitives.len() != shape.primitives.len() {
        return None;
    }
    let pairs = mesh.primitives.iter().zip(&shape.primitives);
    pairs
        .map(|(part, shape_part)| {
            let triangles = part.geometry.triangles();
            let target = Arc::new(target(&triangles, &shape_part.geometry.triangles())?);
            let mut deformation = part.geometry.deformation().cloned().unwrap_or_default();
            deformation.targets.push(target);
            let deformation: Arc<Deformation> = Arc::new(deformation);
            Some(Primitive { geometry: Geometry::Deformable { triangles, deformation }, material: part.material })
        })
        .collect()
}

fn target(from: &Triangles, to: &Triangles) -> Option<MorphTarget> {
    if from.positions.len() != to.positions.len() || from.triangles != to.triangles {
        return None;
    }
    let normals = from.normals.as_ref().zip(to.normals.as_ref());
    Some(MorphTarget {
        positions: differences(&from.positions, &to.positions),
        normals: normals.map(|(from, to)| differences(from, to)),
    })
}

fn differences(from: &[[f32; 3]], to: &[[f32; 3]]) -> Vec<[f32; 3]> {
    from.iter().zip(to).map(|([x, y, z], [a, b, c])| [a - x, b - y, c - z]).collect()
}
