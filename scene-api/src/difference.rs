//! Where two scenes differ in place and shape.

use scene_document::{Mesh, NodeId, Scene, Skin};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The mesh nodes, of either scene, whose surface in world space is not the same in both: made, gone, hidden, shown,
/// moved (also by a parent or a joint), morphed or given another mesh. Materials do not matter.
pub(crate) fn reshaped(before: &Scene, after: &Scene) -> BTreeSet<NodeId> {
    let nodes: BTreeSet<NodeId> = before.nodes().keys().chain(after.nodes().keys()).copied().collect();
    nodes.into_iter().filter(|id| !same_surface(before, after, *id)).collect()
}

/// Whether the node and all above it are the very same in both scenes, so that it stands where it stood.
pub(crate) fn untouched(before: &Scene, after: &Scene, id: NodeId) -> bool {
    after.ancestry(id).all(|above| match (before.nodes().get(&above), after.nodes().get(&above)) {
        (Some(old), Some(new)) => Arc::ptr_eq(old, new),
        _ => false,
    })
}

fn same_surface(before: &Scene, after: &Scene, id: NodeId) -> bool {
    match (mesh_of(before, id), mesh_of(after, id)) {
        (None, None) => true,
        (Some(old), Some(new)) => {
            same_geometry(old, new)
                && same_place(before, after, id)
                && same_pose(before, after, id)
                && weights(before, id, old) == weights(after, id, new)
        }
        _ => false,
    }
}

fn same_place(before: &Scene, after: &Scene, id: NodeId) -> bool {
    untouched(before, after, id) || before.world_from_node(id) == after.world_from_node(id)
}

/// Whether the joints, if any, stand where they stood.
fn same_pose(before: &Scene, after: &Scene, id: NodeId) -> bool {
    match (skin_of(before, id), skin_of(after, id)) {
        (None, None) => true,
        (Some(then), Some(now)) => {
            let same_binding = Arc::ptr_eq(then, now) || then == now;
            same_binding && now.joints.iter().all(|joint| same_place(before, after, *joint))
        }
        _ => false,
    }
}

fn skin_of(scene: &Scene, id: NodeId) -> Option<&Arc<Skin>> {
    scene.skins().get(&scene.node(id)?.skin?)
}

fn weights<'a>(scene: &'a Scene, id: NodeId, mesh: &'a Mesh) -> &'a [f64] {
    scene.node(id).map(|node| node.morph_weights(mesh)).unwrap_or_default()
}

/// `None` also for a hidden one.
fn mesh_of(scene: &Scene, id: NodeId) -> Option<&Arc<Mesh>> {
    let mesh = scene.meshes().get(&scene.node(id)?.mesh?)?;
    scene.is_shown(id).then_some(mesh)
}

fn same_geometry(old: &Arc<Mesh>, new: &Arc<Mesh>) -> bool {
    Arc::ptr_eq(old, new)
        || old.primitives.iter().map(|primitive| &primitive.geometry).eq(new.primitives.iter().map(|p| &p.geometry))
}
