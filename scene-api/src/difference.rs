//! Where two scenes differ in place and shape.

use scene_document::{Mesh, NodeId, Scene};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The mesh nodes, of either scene, whose surface in world space is not the same in both: made, gone, hidden, shown,
/// moved (also by a parent) or given another mesh. Materials do not matter.
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
            let same_place = || untouched(before, after, id) || before.world_from_node(id) == after.world_from_node(id);
            same_geometry(old, new) && same_place()
        }
        _ => false,
    }
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
