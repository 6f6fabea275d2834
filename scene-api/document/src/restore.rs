//! An earlier scene again, and what differs between two scenes.

use crate::scene::NextIds;
use crate::{Applied, Changed, Scene, Table};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The ids that were given since `earlier` stay given.
pub(crate) fn restore(scene: &Scene, earlier: Scene) -> Applied {
    let changed = Changed::between(scene, &earlier);
    let next = scene.next.later(earlier.next);
    Applied { scene: Scene { next, ..earlier }, changed }
}

impl NextIds {
    /// Of each kind the later one.
    fn later(self, other: Self) -> Self {
        Self {
            node: self.node.max(other.node),
            mesh: self.mesh.max(other.mesh),
            material: self.material.max(other.material),
            light: self.light.max(other.light),
            camera: self.camera.max(other.camera),
            animation: self.animation.max(other.animation),
            texture: self.texture.max(other.texture),
            skin: self.skin.max(other.skin),
        }
    }
}

impl Changed {
    /// What is not the very same object in both, and the active cameras where they differ. O(objects).
    #[must_use]
    pub fn between(before: &Scene, after: &Scene) -> Self {
        let mut nodes = differing(&before.nodes, &after.nodes);
        if before.active_camera != after.active_camera {
            nodes.extend([before.active_camera, after.active_camera].into_iter().flatten());
        }
        Self {
            nodes: nodes.into_iter().collect(),
            meshes: differing(&before.meshes, &after.meshes).into_iter().collect(),
            materials: differing(&before.materials, &after.materials).into_iter().collect(),
            lights: differing(&before.lights, &after.lights).into_iter().collect(),
            cameras: differing(&before.cameras, &after.cameras).into_iter().collect(),
            animations: differing(&before.animations, &after.animations).into_iter().collect(),
            textures: differing(&before.textures, &after.textures).into_iter().collect(),
            skins: differing(&before.skins, &after.skins).into_iter().collect(),
            environment: before.surroundings != after.surroundings,
        }
    }
}

fn differing<Id: Ord + Copy, T>(before: &Table<Id, T>, after: &Table<Id, T>) -> BTreeSet<Id> {
    let is_same = |id: &Id| match (before.get(id), after.get(id)) {
        (Some(old), Some(new)) => Arc::ptr_eq(old, new),
        _ => false,
    };
    before.keys().chain(after.keys()).copied().filter(|id| !is_same(id)).collect()
}
