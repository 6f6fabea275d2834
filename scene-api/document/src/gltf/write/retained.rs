//! What an imported file holds beside nodes, meshes, materials, lights, cameras and animations, with its node indices
//! brought up to date.

use crate::gltf::lists::{put_list, take_list};
use crate::{NodeId, Scene};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// All empty for a scene that was not imported.
#[derive(Default)]
pub(super) struct Retained {
    /// The root object without the lists that are written anew.
    pub(super) root: Map<String, Value>,
    /// The default scene's object without `nodes`.
    pub(super) scene: Map<String, Value>,
    /// The new place of each skin of the file; `None` for one whose joints are gone.
    pub(super) skins: Vec<Option<usize>>,
    pub(super) blob: Vec<u8>,
}

pub(super) fn retained(scene: &Scene, nodes: &BTreeMap<NodeId, usize>) -> Retained {
    let Some(source) = scene.source() else { return Retained::default() };
    let mut root = source.json.as_object().cloned().unwrap_or_default();
    let node_id = |index: &Value| *source.node_ids.get(usize::try_from(index.as_u64()?).ok()?)?;
    let place = |index: &Value| nodes.get(&node_id(index)?).copied();

    let mut skins = Vec::new();
    let mut kept_skins = Vec::new();
    for skin in take_list(&mut root, "skins") {
        let moved = skin_with(skin, &place);
        skins.push(moved.is_some().then_some(kept_skins.len()));
        kept_skins.extend(moved);
    }
    put_list(&mut root, "skins", kept_skins);

    let default_scene = root.get("scene").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
    let mut scene_object = match take_list(&mut root, "scenes").into_iter().nth(default_scene.unwrap_or(0)) {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    scene_object.remove("nodes");
    for written_anew in ["scene", "nodes", "meshes", "materials", "cameras", "animations"] {
        root.remove(written_anew);
    }
    if let Some(Value::Object(extensions)) = root.get_mut("extensions") {
        extensions.remove("KHR_lights_punctual");
        if extensions.is_empty() {
            root.remove("extensions");
        }
    }
    Retained { root, scene: scene_object, skins, blob: source.blob.clone() }
}

/// `None` when a joint is gone.
fn skin_with(skin: Value, place: &impl Fn(&Value) -> Option<usize>) -> Option<Value> {
    let Value::Object(mut skin) = skin else { return None };
    let joints: Vec<Value> =
        take_list(&mut skin, "joints").iter().map(|joint| place(joint).map(Value::from)).collect::<Option<_>>()?;
    put_list(&mut skin, "joints", joints);
    if let Some(skeleton) = skin.remove("skeleton").and_then(|skeleton| place(&skeleton)) {
        skin.insert("skeleton".into(), Value::from(skeleton));
    }
    Some(Value::Object(skin))
}
