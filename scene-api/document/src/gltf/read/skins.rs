//! Skins, as far as nodes of the scene are bound to them.

use super::super::check::Document;
use super::{invalid, kept, look, ordinal, reference};
use crate::gltf::ReadError;
use crate::{MeshId, Node, NodeId, Scene, Skin, SkinId};
use ::gltf::json::accessor::{ComponentType, Type};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Reads skins in the file's order and binds the nodes that have a mesh which joints can move. `wanted`: nodes with the
/// places of their skins.
pub(super) fn bind(
    document: &Document,
    node_ids: &[Option<NodeId>],
    scene: &mut Scene,
    wanted: &[(NodeId, usize)],
) -> Result<(), ReadError> {
    if wanted.is_empty() {
        return Ok(());
    }
    let needed: BTreeMap<MeshId, usize> =
        scene.meshes.iter().filter_map(|(id, mesh)| Some((*id, mesh.joint_count()?))).collect();
    let needs = |node: NodeId| needed.get(&scene.node(node)?.mesh?).copied();
    let bound: Vec<(NodeId, usize, usize)> =
        wanted.iter().filter_map(|(node, place)| Some((*node, *place, needs(*node)?))).collect();
    let places: BTreeSet<usize> = bound.iter().map(|(_, place, _)| *place).collect();
    let mut skins = BTreeMap::new();
    for (id, place) in places.into_iter().enumerate() {
        let skin = Arc::new(skin(document, place, node_ids)?);
        skins.insert(place, (SkinId(ordinal(id)), skin));
    }
    for (node, place, needed) in bound {
        let Some((id, skin)) = skins.get(&place) else { continue };
        if needed > skin.joints.len() {
            let message = format!("Vertices use joint {}; the skin has {}.", needed - 1, skin.joints.len());
            return Err(invalid("ACCESSOR_JOINTS_INDEX_OOB", &format!("/skins/{place}/joints"), message));
        }
        if let Some(unbound) = scene.node(node).cloned() {
            scene.nodes.insert_mut(node, Arc::new(Node { skin: Some(*id), ..unbound }));
        }
    }
    for (id, skin) in skins.into_values() {
        scene.skins.insert_mut(id, skin);
    }
    Ok(())
}

const SKIN_MEMBERS: &[&[&str]] = &[&["name"], &["joints"], &["inverseBindMatrices"], &["skeleton"]];

fn skin(document: &Document, place: usize, node_ids: &[Option<NodeId>]) -> Result<Skin, ReadError> {
    let json = document.list("skins").get(place).unwrap_or(&Value::Null);
    let pointer = format!("/skins/{place}");
    let joints = joints(json, node_ids, &format!("{pointer}/joints"))?;
    let at = format!("{pointer}/inverseBindMatrices");
    let accessor = reference(json.get("inverseBindMatrices"), document.accessors.len(), &at)?;
    let matrices = accessor.map(|accessor| matrices(document, accessor, joints.len(), &at)).transpose()?;
    let skeleton = reference(json.get("skeleton"), node_ids.len(), &format!("{pointer}/skeleton"))?;
    Ok(Skin {
        name: look::name(json),
        joints,
        inverse_bind_matrices: matrices.unwrap_or_default(),
        skeleton: skeleton.and_then(|node| node_ids.get(node).copied().flatten()),
        accessor,
        kept: kept(json, SKIN_MEMBERS),
    })
}

fn joints(json: &Value, node_ids: &[Option<NodeId>], pointer: &str) -> Result<Vec<NodeId>, ReadError> {
    let items = json.get("joints").and_then(Value::as_array).filter(|items| !items.is_empty());
    let none = || invalid("UNDEFINED_PROPERTY", pointer, "A skin must have joints.".into());
    let mut joints = Vec::new();
    let mut seen = BTreeSet::new();
    for (position, item) in items.ok_or_else(none)?.iter().enumerate() {
        let at = format!("{pointer}/{position}");
        let node = reference(Some(item), node_ids.len(), &at)?;
        let Some(joint) = node.and_then(|node| node_ids.get(node).copied().flatten()) else {
            let message = "A node with a skinned mesh is used in a scene that does not contain joint nodes.";
            return Err(invalid("NODE_SKIN_NO_SCENE", &at, message.into()));
        };
        if !seen.insert(joint) {
            return Err(invalid("DUPLICATE_ELEMENTS", &at, "The joint is listed before.".into()));
        }
        joints.push(joint);
    }
    Ok(joints)
}

/// The first of an accessor's matrices, one for each joint.
fn matrices(document: &Document, place: usize, joints: usize, pointer: &str) -> Result<Vec<[f32; 16]>, ReadError> {
    let unresolved = || invalid("UNRESOLVED_REFERENCE", pointer, format!("Unresolved reference: {place}."));
    let accessor = document.accessor(place).ok_or_else(unresolved)?;
    if accessor.format.kind != Type::Mat4 || accessor.format.component != ComponentType::F32 {
        let message = "Invalid IBM accessor format. Must be {MAT4, FLOAT}.";
        return Err(invalid("SKIN_IBM_INVALID_FORMAT", pointer, message.into()));
    }
    if accessor.count < joints as u64 {
        let message = format!("IBM accessor must have at least {joints} elements. Found {}.", accessor.count);
        return Err(invalid("INVALID_IBM_ACCESSOR_COUNT", pointer, message));
    }
    let mut wanted = accessor.clone();
    // Without a buffer view nothing else bounds the count.
    wanted.count = joints as u64;
    let values = document.fits(&wanted).then(|| document.elements(&wanted)).flatten().ok_or_else(|| {
        let message = "The bytes of the accessor are missing or do not fit.";
        invalid("ACCESSOR_TOO_LONG", &format!("/accessors/{place}"), message.into())
    })?;
    if !values.iter().all(|value| value.is_finite()) {
        let message = "An inverse bind matrix is not finite.";
        return Err(invalid("ACCESSOR_INVALID_FLOAT", &format!("/accessors/{place}"), message.into()));
    }
    let (matrices, _) = values.as_chunks::<16>();
    Ok(matrices.iter().map(|matrix| matrix.map(|part| part as f32)).collect())
}
