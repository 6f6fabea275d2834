//! Skins: joints by the new places of their nodes, matrices once.

use super::buffer::Buffer;
use super::object::{kept_members, merged};
use crate::{NodeId, Scene, Skin};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The file's list.
pub(super) fn skins(scene: &Scene, nodes: &BTreeMap<NodeId, usize>, buffer: &mut Buffer) -> Vec<Value> {
    scene.skins.values().map(|skin| written(scene, skin, nodes, buffer)).collect()
}

fn written(scene: &Scene, skin: &Skin, nodes: &BTreeMap<NodeId, usize>, buffer: &mut Buffer) -> Value {
    let joints: Vec<&usize> = skin.joints.iter().filter_map(|joint| nodes.get(joint)).collect();
    let mut ours = Map::from_iter([("joints".to_owned(), json!(joints))]);
    if let Some(root) = skin.skeleton.and_then(|root| nodes.get(&root)) {
        ours.insert("skeleton".into(), json!(root));
    }
    let matrices = match skin.accessor.filter(|_| scene.source.is_some()) {
        None if skin.inverse_bind_matrices.is_empty() => None,
        None => Some(buffer.values(skin.inverse_bind_matrices.as_flattened(), "MAT4", 16)),
        read => read,
    };
    if let Some(place) = matrices {
        ours.insert("inverseBindMatrices".into(), json!(place));
    }
    merged(kept_members(&skin.kept), &skin.name, ours)
}
