//! What the tools that make or change a mesh share: the node it is for, and the edit that puts it there.

use super::edits::edit;
use super::mesh_set_data::placed;
use super::references;
use crate::modelling::{Surface, shaded};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{Applied, Edit, Geometry, Mesh, NodeId, Primitive, Scene, Triangles};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Between two triangles: up to this an edge is smooth where a call does not say.
pub(super) const SMOOTH_ANGLE_DEG: f64 = 30.0;

/// Refuses before it is made what no mesh may hold.
///
/// # Errors
/// `LimitExceeded`.
pub(super) fn affordable(workspace: &Workspace, pointer: &str, triangles: u64) -> Result<(), ToolError> {
    let most = workspace.limits.triangles_per_mesh;
    if triangles <= most { Ok(()) } else { Err(ToolError::limit(pointer, "triangles in one mesh", triangles, most)) }
}

/// Gives a node a new mesh of one primitive. The reply is that of `mesh.set_data`.
///
/// # Errors
/// `NotFound`; `NonFinite` where a place is beyond single precision.
pub(super) fn made(
    scene: &Scene,
    node: &str,
    material: Option<&str>,
    surface: &Surface,
    smooth_angle_deg: Option<f64>,
) -> Result<(Applied, Value), ToolError> {
    let (node, holder) = references::node(scene, "/node", node)?;
    let material = material.map(|given| references::material(scene, "/material", given)).transpose()?;
    let parts = shaded(surface, smooth_angle_deg.unwrap_or(SMOOTH_ANGLE_DEG));
    let primitive = |triangles| Primitive { geometry: Geometry::Raw(Arc::new(triangles)), material };
    let primitives = parts.into_values().map(primitive).collect();
    set(scene, node, Mesh { name: holder.name.clone(), primitives, ..Mesh::default() })
}

/// A node that has a mesh, and that mesh.
pub(super) fn mesh_of<'a>(scene: &'a Scene, given: &str) -> Result<(NodeId, &'a Mesh), ToolError> {
    let (id, node) = references::node_with("mesh", |node| node.mesh.is_some(), scene, "/node", given)?;
    let mesh = node.mesh.and_then(|mesh| scene.meshes().get(&mesh));
    let missing = || ToolError::new(ErrorCode::NotFound, "/node", format!("{id} has no mesh")).given(given);
    Ok((id, mesh.ok_or_else(missing)?))
}

/// Puts other triangles into the primitives of a node's mesh, each by its index; a primitive without any goes. Other
/// nodes keep the mesh as it was. What was imported with the triangles and cannot follow them is named as `lost`.
///
/// # Errors
/// `Degenerate` where nothing is left.
pub(super) fn changed(
    scene: &Scene,
    (node, mesh): (NodeId, &Mesh),
    mut parts: BTreeMap<usize, Triangles>,
) -> Result<(Applied, Value), ToolError> {
    let changed = mesh.primitives.iter().enumerate().filter_map(|(index, primitive)| {
        let triangles = parts.remove(&index).filter(|triangles| !triangles.triangles.is_empty())?;
        Some(Primitive { geometry: Geometry::Raw(Arc::new(triangles)), material: primitive.material })
    });
    let primitives: Vec<Primitive> = changed.collect();
    if primitives.is_empty() {
        return Err(ToolError::new(ErrorCode::Degenerate, "/node", format!("no triangle of {node} would be left"))
            .given(node.to_string())
            .allowed("a change that leaves triangles; node.delete removes a node"));
    }
    let has_uvs = |primitives: &[Primitive]| primitives.iter().any(|primitive| primitive.geometry.has_uvs());
    let mut lost = cannot_follow(mesh);
    if has_uvs(&primitives) {
        lost.remove("TEXCOORD_0");
    } else if has_uvs(&mesh.primitives) {
        lost.insert("TEXCOORD_0".into());
    }
    let (applied, mut result) = set(scene, node, Mesh { name: mesh.name.clone(), primitives, ..Mesh::default() })?;
    if !lost.is_empty() {
        result["lost"] = json!(lost);
    }
    Ok((applied, result))
}

fn set(scene: &Scene, node: NodeId, mesh: Mesh) -> Result<(Applied, Value), ToolError> {
    let applied = edit(scene, Edit::SetMesh { node, mesh }, |_| "/node".to_owned())?;
    let result = placed(&applied.scene, node);
    Ok((applied, result))
}

/// Joints, weights and morph targets; of imported primitives other attributes, extensions and extras too.
pub(super) fn cannot_follow(mesh: &Mesh) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = mesh.kept.0.iter().flat_map(|kept| kept.keys().cloned()).collect();
    if mesh.is_skinned() {
        names.extend(["JOINTS_0", "WEIGHTS_0"].map(str::to_owned));
    }
    if mesh.morph_target_count() > 0 {
        names.insert("targets".to_owned());
    }
    for primitive in &mesh.primitives {
        let Geometry::Imported { primitive, .. } = &primitive.geometry else { continue };
        let attributes = primitive["attributes"].as_object().into_iter().flat_map(|attributes| attributes.keys());
        names.extend(attributes.filter(|name| !["POSITION", "NORMAL"].contains(&name.as_str())).cloned());
        let members = ["targets", "extensions", "extras"].into_iter().filter(|name| !primitive[*name].is_null());
        names.extend(members.map(str::to_owned));
    }
    names
}
