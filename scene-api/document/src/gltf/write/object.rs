//! One glTF JSON object per object of the scene: the members kept from an imported file, our own on top.

use super::buffer::Buffer;
use super::{Indices, Members, is_empty, overlay, textures};
use crate::gltf::environment::IMAGE_BASED;
use crate::gltf::lists::put_list;
use crate::texture::tex_coords_needed;
use crate::{
    AlphaMode, Camera, Deformation, Geometry, Kept, Light, LightKind, Material, Mesh, Node, Primitive, Projection,
    Scene, TextureId, Trs,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Our members on top of the kept ones.
pub(super) fn merged(mut kept: Members, name: &str, mut ours: Members) -> Value {
    if !name.is_empty() {
        ours.insert("name".into(), Value::from(name));
    }
    overlay(&mut kept, ours);
    Value::Object(kept)
}

pub(super) fn kept_members(kept: &Kept) -> Members {
    kept.0.as_deref().cloned().unwrap_or_default()
}

fn set(members: &mut Members, key: &str, value: Value) {
    members.insert(key.into(), value);
}

fn has_emissive_strength(material: &Material) -> bool {
    material.emissive_strength != 1.0
}

/// The names of those that a material is written with, but for those that it keeps.
pub(super) fn extensions_of(material: &Material) -> Vec<String> {
    let mut names: Vec<String> = material.extensions.to_gltf().into_iter().map(|(name, _)| name).collect();
    if has_emissive_strength(material) {
        names.push("KHR_materials_emissive_strength".into());
    }
    if material.textures.values().any(|used| used.transform.is_some()) {
        names.push("KHR_texture_transform".into());
    }
    names
}

/// `places` are those of the textures.
pub(super) fn material(material: &Material, places: &BTreeMap<TextureId, usize>) -> Value {
    let mut ours = Members::new();
    let factors = json!({
        "baseColorFactor": material.base_color,
        "metallicFactor": material.metallic,
        "roughnessFactor": material.roughness,
    });
    set(&mut ours, "pbrMetallicRoughness", factors);
    if material.emissive != [0.0; 3] {
        set(&mut ours, "emissiveFactor", json!(material.emissive));
    }
    let mut extensions = material.extensions.to_gltf();
    if has_emissive_strength(material) {
        let strength = json!({"emissiveStrength": material.emissive_strength});
        set(&mut extensions, "KHR_materials_emissive_strength", strength);
    }
    if !extensions.is_empty() {
        set(&mut ours, "extensions", Value::Object(extensions));
    }
    for (slot, used) in &material.textures {
        if let Some(place) = places.get(&used.texture) {
            overlay(&mut ours, textures::in_slot(*slot, used, *place));
        }
    }
    match material.alpha_mode {
        AlphaMode::Opaque => {}
        AlphaMode::Mask => {
            set(&mut ours, "alphaMode", json!("MASK"));
            set(&mut ours, "alphaCutoff", json!(material.alpha_cutoff));
        }
        AlphaMode::Blend => set(&mut ours, "alphaMode", json!("BLEND")),
    }
    if material.double_sided {
        set(&mut ours, "doubleSided", json!(true));
    }
    merged(kept_members(&material.kept), &material.name, ours)
}

pub(super) fn light(light: &Light) -> Value {
    let mut ours = Members::new();
    let kind = match light.kind {
        LightKind::Directional => "directional",
        LightKind::Point => "point",
        LightKind::Spot { inner_cone_rad, outer_cone_rad } => {
            set(&mut ours, "spot", json!({"innerConeAngle": inner_cone_rad, "outerConeAngle": outer_cone_rad}));
            "spot"
        }
    };
    set(&mut ours, "type", json!(kind));
    set(&mut ours, "color", json!(light.color));
    set(&mut ours, "intensity", json!(light.intensity));
    if let Some(range_m) = light.range_m {
        set(&mut ours, "range", json!(range_m));
    }
    merged(kept_members(&light.kept), &light.name, ours)
}

pub(super) fn camera(camera: &Camera) -> Value {
    let mut ours = Members::new();
    match camera.projection {
        Projection::Perspective { yfov_rad, aspect, znear_m, zfar_m } => {
            let mut lens = Members::new();
            set(&mut lens, "yfov", json!(yfov_rad));
            set(&mut lens, "znear", json!(znear_m));
            if let Some(aspect) = aspect {
                set(&mut lens, "aspectRatio", json!(aspect));
            }
            if let Some(zfar_m) = zfar_m {
                set(&mut lens, "zfar", json!(zfar_m));
            }
            set(&mut ours, "type", json!("perspective"));
            set(&mut ours, "perspective", Value::Object(lens));
        }
        Projection::Orthographic { xmag_m, ymag_m, znear_m, zfar_m } => {
            set(&mut ours, "type", json!("orthographic"));
            let lens = json!({"xmag": xmag_m, "ymag": ymag_m, "znear": znear_m, "zfar": zfar_m});
            set(&mut ours, "orthographic", lens);
        }
    }
    merged(kept_members(&camera.kept), &camera.name, ours)
}

pub(super) fn mesh(scene: &Scene, mesh: &Mesh, indices: &Indices, buffer: &mut Buffer) -> Value {
    let written = mesh.primitives.iter().filter(|primitive| !is_empty(scene, &primitive.geometry));
    let primitives = written.map(|part| primitive(scene, part, indices, buffer)).collect();
    let mut ours = Members::new();
    put_list(&mut ours, "primitives", primitives);
    if !mesh.weights.is_empty() {
        set(&mut ours, "weights", json!(mesh.weights));
    }
    if !mesh.target_names.is_empty() {
        set(&mut ours, "extras", json!({"targetNames": mesh.target_names}));
    }
    merged(kept_members(&mesh.kept), &mesh.name, ours)
}

/// An imported primitive is written as it was read, so its accessors are those of the scene's source file.
fn primitive(scene: &Scene, primitive: &Primitive, indices: &Indices, buffer: &mut Buffer) -> Value {
    let mut members = match &primitive.geometry {
        Geometry::Imported { primitive, .. } if scene.source.is_some() => {
            primitive.as_object().cloned().unwrap_or_default()
        }
        geometry => {
            let part = geometry.triangles();
            let mut attributes = Members::new();
            set(&mut attributes, "POSITION", Value::from(buffer.vectors(&part.positions)));
            if let Some(normals) = &part.normals {
                set(&mut attributes, "NORMAL", Value::from(buffer.vectors(normals)));
            }
            if let Some(uvs) = &part.uvs {
                set(&mut attributes, "TEXCOORD_0", Value::from(buffer.uvs(uvs)));
            }
            let mut members = Members::new();
            if let Some(deformation) = geometry.deformation() {
                deformed(deformation, &mut attributes, &mut members, buffer);
            }
            set(&mut members, "attributes", Value::Object(attributes));
            set(&mut members, "indices", Value::from(buffer.corners(&part.triangles, part.positions.len())));
            members
        }
    };
    add_missing_uvs(scene, primitive, &mut members, buffer);
    members.remove("material");
    if let Some(place) = primitive.material.and_then(|material| indices.materials.get(&material)) {
        set(&mut members, "material", Value::from(*place));
    }
    Value::Object(members)
}

/// glTF has no textured primitive without texture coordinates: where there are none, all are 0, and the whole primitive
/// shows the texel in the image's corner, as viewers have it that forgive their absence.
fn add_missing_uvs(scene: &Scene, primitive: &Primitive, members: &mut Members, buffer: &mut Buffer) {
    let material = primitive.material.and_then(|material| scene.materials.get(&material));
    let needed = material.map_or(0, |material| tex_coords_needed(&material.textures));
    if needed == 0 {
        return;
    }
    let vertices = primitive.geometry.triangles().positions.len();
    let Some(Value::Object(attributes)) = members.get_mut("attributes") else { return };
    for set in (0..needed).map(|set| format!("TEXCOORD_{set}")) {
        if vertices > 0 && !attributes.contains_key(&set) {
            attributes.insert(set, Value::from(buffer.zero_uvs(vertices)));
        }
    }
}

fn deformed(deformation: &Deformation, attributes: &mut Members, members: &mut Members, buffer: &mut Buffer) {
    let Deformation { influences, targets } = deformation;
    if !influences.is_empty() {
        let [joints, weights] = buffer.influences(influences);
        set(attributes, "JOINTS_0", Value::from(joints));
        set(attributes, "WEIGHTS_0", Value::from(weights));
    }
    let targets = targets.iter().map(|target| {
        let mut deltas = Members::new();
        set(&mut deltas, "POSITION", Value::from(buffer.vectors(&target.positions)));
        if let Some(normals) = &target.normals {
            set(&mut deltas, "NORMAL", Value::from(buffer.vectors(normals)));
        }
        Value::Object(deltas)
    });
    put_list(members, "targets", targets.collect());
}

/// `below` are the places of the children.
pub(super) fn node(scene: &Scene, node: &Node, indices: &Indices, below: &[usize]) -> Value {
    let mut ours = Members::new();
    let Trs { translation, rotation, scale } = node.transform;
    if translation != Trs::IDENTITY.translation {
        set(&mut ours, "translation", json!(translation));
    }
    if rotation != Trs::IDENTITY.rotation {
        set(&mut ours, "rotation", json!(rotation));
    }
    if scale != Trs::IDENTITY.scale {
        set(&mut ours, "scale", json!(scale));
    }
    if let Some(place) = node.mesh.and_then(|mesh| indices.meshes.get(&mesh)) {
        set(&mut ours, "mesh", Value::from(*place));
        let mesh = node.mesh.and_then(|mesh| scene.meshes.get(&mesh));
        let skin = node.skin.filter(|_| mesh.is_some_and(|mesh| mesh.is_skinned()));
        if let Some(place) = skin.and_then(|skin| indices.skins.get(&skin)) {
            set(&mut ours, "skin", Value::from(*place));
        }
        if !node.weights.is_empty() {
            set(&mut ours, "weights", json!(node.weights));
        }
    }
    if let Some(place) = node.camera.and_then(|camera| indices.cameras.get(&camera)) {
        set(&mut ours, "camera", Value::from(*place));
    }
    let mut extensions = Members::new();
    if let Some(place) = node.light.and_then(|light| indices.lights.get(&light)) {
        set(&mut extensions, "KHR_lights_punctual", json!({"light": place}));
    }
    if !node.visible {
        set(&mut extensions, "KHR_node_visibility", json!({"visible": false}));
    }
    if !extensions.is_empty() {
        set(&mut ours, "extensions", Value::Object(extensions));
    }
    put_list(&mut ours, "children", below.iter().map(|place| Value::from(*place)).collect());
    merged(kept_members(&node.kept), &node.name, ours)
}

/// The active camera has no place in glTF, so it goes into the scene's `extras`, where the reader looks for it.
pub(super) fn scene(scene: &Scene, mut kept: Members, indices: &Indices, roots: &[usize]) -> Value {
    if let Some(Value::Object(extras)) = kept.get_mut("extras") {
        extras.remove("active_camera");
        if extras.is_empty() {
            kept.remove("extras");
        }
    }
    let mut ours = Members::new();
    put_list(&mut ours, "nodes", roots.iter().map(|place| Value::from(*place)).collect());
    if let Some(place) = scene.active_camera.and_then(|camera| indices.nodes.get(&camera)) {
        set(&mut ours, "extras", json!({"active_camera": place}));
    }
    if scene.environment().is_some() {
        set(&mut ours, "extensions", json!({IMAGE_BASED: {"light": 0}}));
    }
    merged(kept, "", ours)
}
