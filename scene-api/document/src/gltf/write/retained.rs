//! What an imported file holds beside nodes, meshes, skins, materials, lights, cameras, animations and its environment.

use crate::Scene;
use crate::environment::Surroundings;
use crate::gltf::environment::IMAGE_BASED;
use crate::gltf::lists::take_list;
use serde_json::{Map, Value};

/// All empty for a scene that was not imported.
#[derive(Default)]
pub(super) struct Retained {
    /// The root object without the lists that are written anew.
    pub(super) root: Map<String, Value>,
    /// The default scene's object without `nodes`.
    pub(super) scene: Map<String, Value>,
    pub(super) blob: Vec<u8>,
}

pub(super) fn retained(scene: &Scene) -> Retained {
    let Some(source) = scene.source() else { return Retained::default() };
    let mut root = source.json.as_object().cloned().unwrap_or_default();
    let default_scene = root.get("scene").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
    let mut scene_object = match take_list(&mut root, "scenes").into_iter().nth(default_scene.unwrap_or(0)) {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    scene_object.remove("nodes");
    for written_anew in ["scene", "nodes", "meshes", "skins", "materials", "cameras", "animations"] {
        root.remove(written_anew);
    }
    remove_extension(&mut root, "KHR_lights_punctual");
    if scene.surroundings != Surroundings::Kept {
        remove_extension(&mut root, IMAGE_BASED);
        remove_extension(&mut scene_object, IMAGE_BASED);
    }
    Retained { root, scene: scene_object, blob: source.blob.clone() }
}

fn remove_extension(object: &mut Map<String, Value>, name: &str) {
    if let Some(Value::Object(extensions)) = object.get_mut("extensions") {
        extensions.remove(name);
        if extensions.is_empty() {
            object.remove("extensions");
        }
    }
}
