//! Edits of skins and morph weights, and what other edits take from them.

use super::{Applied, Changed, EditError, drop_unused, node_of, take};
use crate::{Kept, Node, NodeId, Scene, Skin, SkinId, check};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) fn set_skin(scene: &Scene, id: NodeId, skin: Skin) -> Result<Applied, EditError> {
    let node = node_of(scene, id)?;
    let mesh = node.mesh.and_then(|mesh| scene.meshes.get(&mesh)).ok_or(EditError::NoMesh(id))?;
    check::skin(scene, &skin)?;
    check::bound(mesh, &skin)?;
    let mut after = scene.clone();
    let made = SkinId(take(&mut after.next.skin));
    // An accessor of another file would mean something else here.
    after.skins.insert_mut(made, Arc::new(Skin { accessor: None, kept: Kept::default(), ..skin }));
    after.nodes.insert_mut(id, Arc::new(Node { skin: Some(made), ..node.clone() }));
    let mut skins = drop_unused(&mut after.skins, &after.nodes, &[node], |node| node.skin);
    skins.push(made);
    Ok(Applied { scene: after, changed: Changed { nodes: vec![id], skins, ..Changed::default() } })
}

pub(super) fn set_weights(scene: &Scene, id: NodeId, weights: Vec<f64>) -> Result<Applied, EditError> {
    let node = node_of(scene, id)?;
    let mesh = node.mesh.and_then(|mesh| scene.meshes.get(&mesh)).ok_or(EditError::NoMesh(id))?;
    check::weights(&weights, mesh.morph_target_count())?;
    let mut after = scene.clone();
    after.nodes.insert_mut(id, Arc::new(Node { weights, ..node.clone() }));
    Ok(Applied { scene: after, changed: Changed { nodes: vec![id], ..Changed::default() } })
}

/// A skin that has lost a joint cannot be said any more: it goes, and what was bound to it stays as it was modelled.
/// Gives the nodes that were bound and the skins that are gone or changed. `removed` is in id order.
pub(super) fn drop_joints(after: &mut Scene, removed: &[NodeId]) -> (Vec<NodeId>, Vec<SkinId>) {
    let is_gone = |node: &NodeId| removed.binary_search(node).is_ok();
    let (mut changed, mut lost) = (Vec::new(), BTreeSet::new());
    for (id, skin) in &after.skins.clone() {
        if skin.joints.iter().any(is_gone) {
            after.skins.remove_mut(id);
            lost.insert(*id);
        } else if skin.skeleton.as_ref().is_some_and(is_gone) {
            after.skins.insert_mut(*id, Arc::new(Skin { skeleton: None, ..Skin::clone(skin) }));
        } else {
            continue;
        }
        changed.push(*id);
    }
    let mut unbound = Vec::new();
    if !lost.is_empty() {
        for (id, node) in &after.nodes.clone() {
            if node.skin.is_some_and(|skin| lost.contains(&skin)) {
                after.nodes.insert_mut(*id, Arc::new(Node { skin: None, ..Node::clone(node) }));
                unbound.push(*id);
            }
        }
    }
    (unbound, changed)
}
