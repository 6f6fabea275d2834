//! What a viewer evaluates and baking does not, so that whoever judges a scene can refuse it by name.

use super::super::check::{Document, index};
use super::hierarchy::Instance;
use crate::MaterialExtensions;
use crate::environment::Surroundings;
use crate::gltf::NotEvaluated;
use serde_json::Value;
use std::collections::BTreeSet;

/// A member, as a JSON pointer from its object, and whether its value changes anything.
type Feature = (&'static str, fn(&Value) -> bool);

/// Where it is not the environment that is read.
const OF_SCENES: &[Feature] = &[("/extensions/EXT_lights_image_based", is_there)];
const OF_NODES: &[Feature] = &[("/extensions/EXT_mesh_gpu_instancing", is_there)];
const OF_PRIMITIVES: &[Feature] = &[
    ("/attributes/COLOR_0", is_there),
    ("/attributes/JOINTS_1", is_there),
    ("/extensions/KHR_draco_mesh_compression", is_there),
];
const OF_MATERIALS: &[Feature] = &[
    ("/pbrMetallicRoughness/baseColorTexture", is_there),
    ("/pbrMetallicRoughness/metallicRoughnessTexture", is_there),
    ("/normalTexture", has_scale),
    ("/occlusionTexture", has_strength),
];

/// A texture is multiplied with the factor, which is 0 where it is absent.
const OF_GLOWING_MATERIALS: &[Feature] = &[("/emissiveTexture", is_there)];

fn is_there(_: &Value) -> bool {
    true
}

fn has_scale(texture: &Value) -> bool {
    texture.get("scale").is_none_or(is_not_zero)
}

fn has_strength(texture: &Value) -> bool {
    texture.get("strength").is_none_or(is_not_zero)
}

fn is_not_zero(value: &Value) -> bool {
    value.as_f64() != Some(0.0)
}

fn any_not_zero(value: &Value) -> bool {
    value.as_array().into_iter().flatten().any(is_not_zero)
}

/// Of the nodes in the scene, of the meshes and the materials that they use, then of the scene; each once.
pub(super) fn not_evaluated(
    document: &Document,
    instances: &[Instance],
    surroundings: Surroundings,
) -> Vec<NotEvaluated> {
    let mut found = Vec::new();
    let mut meshes = BTreeSet::new();
    for Instance { source, .. } in instances {
        let Some(node) = document.list("nodes").get(*source) else { continue };
        let pointer = format!("/nodes/{source}");
        add(OF_NODES, node, &pointer, &mut found);
        meshes.extend(index(node.get("mesh")));
    }
    let mut materials = BTreeSet::new();
    for place in meshes {
        let Some(mesh) = document.list("meshes").get(place) else { continue };
        let pointer = format!("/meshes/{place}");
        let primitives = mesh.get("primitives").and_then(Value::as_array);
        for (position, primitive) in primitives.into_iter().flatten().enumerate() {
            add(OF_PRIMITIVES, primitive, &format!("{pointer}/primitives/{position}"), &mut found);
            materials.extend(index(primitive.get("material")));
        }
    }
    for place in materials {
        let Some(material) = document.list("materials").get(place) else { continue };
        let pointer = format!("/materials/{place}");
        add(OF_MATERIALS, material, &pointer, &mut found);
        let extensions = material.get("extensions").map(MaterialExtensions::from_gltf).unwrap_or_default();
        for what in extensions.in_effect() {
            found.push(NotEvaluated { what, pointer: format!("{pointer}/extensions/{what}") });
        }
        if material.get("emissiveFactor").is_some_and(any_not_zero) {
            add(OF_GLOWING_MATERIALS, material, &pointer, &mut found);
        }
    }
    let default = index(document.json.get("scene")).unwrap_or(0);
    if surroundings == Surroundings::Kept
        && let Some(scene) = document.list("scenes").get(default)
    {
        add(OF_SCENES, scene, &format!("/scenes/{default}"), &mut found);
    }
    found
}

fn add(features: &[Feature], object: &Value, pointer: &str, found: &mut Vec<NotEvaluated>) {
    for &(place, counts) in features {
        if object.pointer(place).is_some_and(counts) {
            let what = place.rsplit('/').next().unwrap_or(place);
            found.push(NotEvaluated { what, pointer: format!("{pointer}{place}") });
        }
    }
}
