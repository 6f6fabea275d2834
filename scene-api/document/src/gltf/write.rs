//! glTF 2.0 export. Deterministic: objects in id order, JSON keys sorted. What an imported file held and we do not
//! understand goes out again: its accessors, buffer views and textures keep their indices and come first.

mod animations;
mod buffer;
mod environment;
mod object;
mod retained;
mod skins;
mod textures;

use super::environment::IMAGE_BASED;
use super::lists::{put_list, take_list};
use crate::canonical::canonical_text;
use crate::{CameraId, Geometry, LightId, MaterialId, MeshId, NodeId, Scene, SkinId};
use buffer::Buffer;
use environment::put_environment;
use retained::{Retained, retained};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Why a scene cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    #[error("the file would have {bytes} bytes; GLB allows {allowed}")]
    TooLarge { bytes: u64, allowed: u64 },
    /// JSON has no number for it.
    #[error("the transform of node {node} is not finite")]
    NotFinite { node: NodeId },
}

type Members = Map<String, Value>;

/// Places in the file's arrays.
struct Indices {
    nodes: BTreeMap<NodeId, usize>,
    meshes: BTreeMap<MeshId, usize>,
    materials: BTreeMap<MaterialId, usize>,
    lights: BTreeMap<LightId, usize>,
    cameras: BTreeMap<CameraId, usize>,
    skins: BTreeMap<SkinId, usize>,
}

impl Indices {
    fn of(scene: &Scene) -> Self {
        let written =
            scene.meshes.iter().filter(|(_, mesh)| mesh.primitives.iter().any(|p| !is_empty(scene, &p.geometry)));
        Self {
            nodes: places(scene.nodes.keys()),
            meshes: places(written.map(|(id, _)| id)),
            materials: places(scene.materials.keys()),
            lights: places(scene.lights.keys()),
            cameras: places(scene.cameras.keys()),
            skins: places(scene.skins.keys()),
        }
    }
}

fn places<'a, Id: Ord + Copy + 'a>(ids: impl Iterator<Item = &'a Id>) -> BTreeMap<Id, usize> {
    ids.enumerate().map(|(place, id)| (*id, place)).collect()
}

/// glTF has no way to say "no triangles": such primitives are left out. One that is written as it was read may hold
/// points or lines.
fn is_empty(scene: &Scene, geometry: &Geometry) -> bool {
    match geometry {
        Geometry::Shape(_) => false,
        Geometry::Imported { .. } if scene.source.is_some() => false,
        Geometry::Raw(part)
        | Geometry::Deformable { triangles: part, .. }
        | Geometry::Imported { triangles: part, .. } => part.positions.is_empty() || part.triangles.is_empty(),
    }
}

/// A binary glTF file.
///
/// # Errors
/// `WriteError`.
pub fn write_glb(scene: &Scene) -> Result<Vec<u8>, WriteError> {
    let (json, mut blob) = write_gltf(scene)?;
    let mut text = canonical_text(&json).into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    blob.resize(blob.len().next_multiple_of(4), 0);

    let bin_bytes = if blob.is_empty() { 0 } else { 8 + blob.len() };
    let bytes = 12 + 8 + text.len() + bin_bytes;
    let too_large = WriteError::TooLarge { bytes: bytes as u64, allowed: u64::from(u32::MAX) };
    let total = u32::try_from(bytes).map_err(|_| too_large)?;

    let mut glb = Vec::with_capacity(bytes);
    glb.extend_from_slice(b"glTF");
    glb.extend_from_slice(&2_u32.to_le_bytes());
    glb.extend_from_slice(&total.to_le_bytes());
    append_chunk(&mut glb, b"JSON", &text);
    if !blob.is_empty() {
        append_chunk(&mut glb, b"BIN\0", &blob);
    }
    Ok(glb)
}

/// The whole file was checked to be below 4 GiB, so every chunk's length fits.
fn append_chunk(glb: &mut Vec<u8>, kind: &[u8; 4], content: &[u8]) {
    glb.extend_from_slice(&u32::try_from(content.len()).unwrap_or(u32::MAX).to_le_bytes());
    glb.extend_from_slice(kind);
    glb.extend_from_slice(content);
}

/// The JSON and the content of its only buffer, which has no `uri`: the caller names it. No buffer where the scene has
/// no vertex data.
///
/// # Errors
/// `WriteError::NotFinite`.
pub fn write_gltf(scene: &Scene) -> Result<(Value, Vec<u8>), WriteError> {
    for (id, node) in &scene.nodes {
        let transform = &node.transform;
        let mut parts = transform.translation.iter().chain(&transform.rotation).chain(&transform.scale);
        if !parts.all(|part| part.is_finite()) {
            return Err(WriteError::NotFinite { node: *id });
        }
    }
    let indices = Indices::of(scene);
    let Retained { mut root, scene: scene_object, blob } = retained(scene);
    let mut buffer = Buffer::after(blob, &mut root);

    let written = scene.meshes.iter().filter(|(id, _)| indices.meshes.contains_key(id));
    let meshes = written.map(|(_, mesh)| object::mesh(scene, mesh, &indices, &mut buffer)).collect();
    let mut children: BTreeMap<Option<NodeId>, Vec<usize>> = BTreeMap::new();
    for (place, node) in scene.nodes.values().enumerate() {
        children.entry(node.parent).or_default().push(place);
    }
    let nodes = scene
        .nodes
        .iter()
        .map(|(id, node)| {
            let below = children.get(&Some(*id)).map(Vec::as_slice).unwrap_or_default();
            object::node(scene, node, &indices, below)
        })
        .collect();
    let roots = children.get(&None).map(Vec::as_slice).unwrap_or_default();
    let skins = skins::skins(scene, &indices.nodes, &mut buffer);
    let animations = animations::animations(scene, &indices.nodes, &mut buffer);
    let textures = textures::textures(scene, &mut root, &mut buffer);
    let materials = scene.materials.values().map(|material| object::material(material, &textures)).collect();
    put_environment(scene, &mut root, &mut buffer);

    put_list(&mut root, "meshes", meshes);
    put_list(&mut root, "nodes", nodes);
    put_list(&mut root, "materials", materials);
    put_list(&mut root, "animations", animations);
    put_list(&mut root, "skins", skins);
    put_list(&mut root, "cameras", scene.cameras.values().map(|camera| object::camera(camera)).collect());
    put_list(&mut root, "scenes", vec![object::scene(scene, scene_object, &indices, roots)]);
    root.insert("scene".into(), json!(0));
    let mut asset = Map::new();
    asset.insert("version".into(), json!("2.0"));
    asset.insert("generator".into(), json!("maquette"));
    overlay(&mut root, Map::from_iter([("asset".to_owned(), Value::Object(asset))]));
    put_extensions(&mut root, scene);
    let blob = buffer.finish(&mut root);
    Ok((Value::Object(root), blob))
}

/// The list of lights, and every extension that the file needs in `extensionsUsed`.
fn put_extensions(root: &mut Map<String, Value>, scene: &Scene) {
    let mut used: BTreeSet<String> =
        take_list(root, "extensionsUsed").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if !scene.lights.is_empty() {
        used.insert("KHR_lights_punctual".into());
        let lights: Vec<Value> = scene.lights.values().map(|light| object::light(light)).collect();
        let extension = Map::from_iter([("KHR_lights_punctual".to_owned(), json!({"lights": lights}))]);
        overlay(root, Map::from_iter([("extensions".to_owned(), Value::Object(extension))]));
    }
    if scene.environment().is_some() {
        used.insert(IMAGE_BASED.into());
    }
    for material in scene.materials.values() {
        used.extend(object::extensions_of(material));
    }
    if scene.nodes.values().any(|node| !node.visible) {
        used.insert("KHR_node_visibility".into());
    }
    put_list(root, "extensionsUsed", used.into_iter().map(Value::from).collect());
}

/// Puts `over` on top of `base`, member by member and level by level.
fn overlay(base: &mut Map<String, Value>, over: Map<String, Value>) {
    for (key, value) in over {
        match value {
            Value::Object(members) if base.get(&key).is_some_and(Value::is_object) => {
                if let Some(Value::Object(below)) = base.get_mut(&key) {
                    overlay(below, members);
                }
            }
            value => {
                base.insert(key, value);
            }
        }
    }
}
