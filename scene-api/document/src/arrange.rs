//! Edits of the tree as it stands: another parent, name or extras, hidden or shown, a copy of a part of it.

use crate::edit::{node_of, take};
use crate::{Applied, CameraId, Changed, EditError, LightId, MeshId, Node, NodeId, Scene, SkinId, Table};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Levels of the hierarchy; a root is level 1.
const DEPTH_LIMIT: usize = 32;

pub(crate) fn set_parent(scene: &Scene, id: NodeId, parent: Option<NodeId>) -> Result<Applied, EditError> {
    let node = node_of(scene, id)?;
    if let Some(parent) = parent {
        node_of(scene, parent)?;
        if scene.is_within(parent, id) {
            return Err(EditError::Cycle { node: id, parent });
        }
    }
    let levels_above = |id: Option<NodeId>| id.map_or(0, |id| scene.ancestry(id).count());
    let deepest = scene.subtree(id).into_iter().map(|below| levels_above(Some(below))).max().unwrap_or(0);
    fits_depth(levels_above(parent) + deepest - levels_above(node.parent))?;
    name_is_free(scene, parent, &node.name, Some(id))?;
    Ok(replaced(scene, id, Node { parent, ..node.clone() }))
}

pub(crate) fn rename(scene: &Scene, id: NodeId, name: String) -> Result<Applied, EditError> {
    let node = node_of(scene, id)?;
    name_is_free(scene, node.parent, &name, Some(id))?;
    Ok(replaced(scene, id, Node { name, ..node.clone() }))
}

pub(crate) fn set_visible(scene: &Scene, id: NodeId, visible: bool) -> Result<Applied, EditError> {
    let node = node_of(scene, id)?;
    Ok(replaced(scene, id, Node { visible, ..node.clone() }))
}

pub(crate) fn set_extras(scene: &Scene, id: NodeId, extras: Option<Map<String, Value>>) -> Result<Applied, EditError> {
    let node = node_of(scene, id)?;
    let kept = node.kept.with("extras", extras.map(Value::Object));
    Ok(replaced(scene, id, Node { kept, ..node.clone() }))
}

/// What two nodes of the original share, their copies share.
pub(crate) fn copy_node(scene: &Scene, id: NodeId, name: &str, share_meshes: bool) -> Result<Applied, EditError> {
    let original = node_of(scene, id)?;
    name_is_free(scene, original.parent, name, None)?;
    let mut after = scene.clone();
    let mut nodes: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    for old in scene.subtree(id) {
        nodes.insert(old, NodeId(take(&mut after.next.node)));
    }
    let (mut meshes, mut lights, mut cameras) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut skins = BTreeMap::new();
    for (old, new) in &nodes {
        let mut copy = node_of(scene, *old)?.clone();
        if *old == id {
            name.clone_into(&mut copy.name);
        } else {
            copy.parent = copy.parent.and_then(|parent| nodes.get(&parent).copied());
        }
        if !share_meshes {
            copy.mesh = copied(&mut after.meshes, &mut after.next.mesh, MeshId, &mut meshes, copy.mesh);
        }
        copy.skin = copy.skin.map(|skin| rebound(&mut after, skin, &mut skins, &nodes));
        copy.light = copied(&mut after.lights, &mut after.next.light, LightId, &mut lights, copy.light);
        copy.camera = copied(&mut after.cameras, &mut after.next.camera, CameraId, &mut cameras, copy.camera);
        after.nodes.insert_mut(*new, Arc::new(copy));
    }
    let changed = Changed {
        nodes: made(nodes),
        meshes: made(meshes),
        lights: made(lights),
        cameras: made(cameras),
        skins: made(skins),
        ..Changed::default()
    };
    Ok(Applied { scene: after, changed })
}

/// The skin on the copied joints, made where `copies` has none yet; the same skin where no joint is copied.
fn rebound(
    after: &mut Scene,
    skin: SkinId,
    copies: &mut BTreeMap<SkinId, SkinId>,
    nodes: &BTreeMap<NodeId, NodeId>,
) -> SkinId {
    if let Some(copy) = copies.get(&skin) {
        return *copy;
    }
    let Some(bound) = after.skins.get(&skin).and_then(|found| found.on_copies(nodes)) else { return skin };
    let copy = SkinId(take(&mut after.next.skin));
    after.skins.insert_mut(copy, Arc::new(bound));
    copies.insert(skin, copy);
    copy
}

/// # Errors
/// `NameTaken` where a child of `parent` other than `apart_from` has the name.
pub(crate) fn name_is_free(
    scene: &Scene,
    parent: Option<NodeId>,
    name: &str,
    apart_from: Option<NodeId>,
) -> Result<(), EditError> {
    let mut others = scene.children(parent).filter(|(id, _)| Some(*id) != apart_from);
    match others.find(|(_, sibling)| sibling.name == name) {
        Some((taken_by, _)) => Err(EditError::NameTaken { name: name.to_owned(), taken_by }),
        None => Ok(()),
    }
}

/// # Errors
/// `TooDeep`.
pub(crate) fn fits_depth(depth: usize) -> Result<(), EditError> {
    if depth > DEPTH_LIMIT { Err(EditError::TooDeep { depth, limit: DEPTH_LIMIT }) } else { Ok(()) }
}

fn replaced(scene: &Scene, id: NodeId, node: Node) -> Applied {
    let mut after = scene.clone();
    after.nodes.insert_mut(id, Arc::new(node));
    Applied { scene: after, changed: Changed { nodes: vec![id], ..Changed::default() } }
}

/// The copy of `of`, made where `copies` has none yet; `None` where there is nothing to copy.
fn copied<Id: Ord + Copy, T>(
    table: &mut Table<Id, T>,
    next: &mut u32,
    id: fn(u32) -> Id,
    copies: &mut BTreeMap<Id, Id>,
    of: Option<Id>,
) -> Option<Id> {
    let of = of?;
    if let Some(copy) = copies.get(&of) {
        return Some(*copy);
    }
    let original = Arc::clone(table.get(&of)?);
    let copy = id(take(next));
    table.insert_mut(copy, original);
    copies.insert(of, copy);
    Some(copy)
}

fn made<Id: Ord>(copies: BTreeMap<Id, Id>) -> Vec<Id> {
    let mut ids: Vec<Id> = copies.into_values().collect();
    ids.sort();
    ids
}
