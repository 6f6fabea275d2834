//! Extensions: declared before use, in the places where they mean something, with the right members.

use super::members::{
    ANISOTROPY, CLEARCOAT, DISPERSION, EMISSIVE_STRENGTH, IMAGE_LIGHTS, IOR, IRIDESCENCE, LIGHTS, NODE_LIGHT,
    NODE_VISIBILITY, SCENE_IMAGE_LIGHT, SHEEN, SPECULAR, TEXTURE_TRANSFORM, TRANSMISSION, VOLUME,
};
use super::report::Report;
use super::schema::{Member, Schema, join};
use crate::gltf::environment::IMAGE_BASED;
use serde_json::Value;
use std::collections::BTreeSet;

/// Where an extension object may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Scene,
    Node,
    Material,
    Elsewhere,
}

/// Extensions whose members are known: name, place, members.
const KNOWN: &[(&str, Place, &[Member])] = &[
    (IMAGE_BASED, Place::Root, IMAGE_LIGHTS),
    (IMAGE_BASED, Place::Scene, SCENE_IMAGE_LIGHT),
    ("KHR_lights_punctual", Place::Root, LIGHTS),
    ("KHR_lights_punctual", Place::Node, NODE_LIGHT),
    ("KHR_node_visibility", Place::Node, NODE_VISIBILITY),
    ("KHR_materials_anisotropy", Place::Material, ANISOTROPY),
    ("KHR_materials_clearcoat", Place::Material, CLEARCOAT),
    ("KHR_materials_dispersion", Place::Material, DISPERSION),
    ("KHR_materials_emissive_strength", Place::Material, EMISSIVE_STRENGTH),
    ("KHR_materials_ior", Place::Material, IOR),
    ("KHR_materials_iridescence", Place::Material, IRIDESCENCE),
    ("KHR_materials_sheen", Place::Material, SHEEN),
    ("KHR_materials_specular", Place::Material, SPECULAR),
    ("KHR_materials_transmission", Place::Material, TRANSMISSION),
    ("KHR_materials_unlit", Place::Material, &[]),
    ("KHR_materials_volume", Place::Material, VOLUME),
    ("KHR_texture_transform", Place::Elsewhere, TEXTURE_TRANSFORM),
];

/// Extensions that only a material may have.
const OF_MATERIALS: &[&str] = &[
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_dispersion",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_materials_volume",
];

pub(super) fn check(json: &Value, report: &mut Report) {
    let names = |member: &str| super::document::list(json, member).iter().filter_map(Value::as_str);
    let used: BTreeSet<&str> = names("extensionsUsed").collect();
    if json.get("extensionsRequired").is_some() && json.get("extensionsUsed").is_none() {
        let message = "Dependency failed. 'extensionsUsed' must be defined.";
        report.error("UNSATISFIED_DEPENDENCY", "/extensionsRequired", message);
    }
    for (index, name) in names("extensionsRequired").enumerate().filter(|(_, name)| !used.contains(name)) {
        let message = format!("Unused extension '{name}' cannot be required.");
        report.error("UNUSED_EXTENSION_REQUIRED", &format!("/extensionsRequired/{index}"), message);
    }
    let is_quantization = |name: &str| name == "KHR_mesh_quantization";
    if let Some(index) = names("extensionsUsed").position(is_quantization)
        && !names("extensionsRequired").any(is_quantization)
    {
        let message = "Extension 'KHR_mesh_quantization' cannot be optional.";
        report.error("NON_REQUIRED_EXTENSION", &format!("/extensionsUsed/{index}"), message);
    }
    walk(json, "", json, &used, report);
}

/// Longer than any name of glTF's: what is below is the author's own, and pointers to it would have no bound.
const NAME_BYTES: usize = 40;

/// Visits every object that may have `extensions`; extras and unknown extensions are the author's own.
fn walk(value: &Value, pointer: &str, root: &Value, used: &BTreeSet<&str>, report: &mut Report) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate().filter(|(_, item)| item.is_object()) {
                walk(item, &format!("{pointer}/{index}"), root, used, report);
            }
        }
        Value::Object(members) => {
            for (name, member) in members.iter().filter(|(name, member)| {
                let is_nested = member.is_object() || member.is_array();
                is_nested && name.len() <= NAME_BYTES && !matches!(name.as_str(), "extras" | "extensions")
            }) {
                walk(member, &join(pointer, name), root, used, report);
            }
            if let Some(extensions) = members.get("extensions") {
                check_extensions(extensions, pointer, root, used, report);
            }
        }
        _ => {}
    }
}

fn check_extensions(extensions: &Value, parent: &str, root: &Value, used: &BTreeSet<&str>, report: &mut Report) {
    let pointer = join(parent, "extensions");
    let Some(extensions) = extensions.as_object() else {
        return report.error("TYPE_MISMATCH", &pointer, "Type mismatch. Property value is not a 'object'.");
    };
    let place = place(parent);
    for (name, extension) in extensions {
        let at = join(&pointer, name);
        let Some(members) = extension.as_object() else {
            report.error("TYPE_MISMATCH", &at, "Type mismatch. Property value is not a 'object'.");
            continue;
        };
        if !used.contains(name.as_str()) {
            report.error("UNDECLARED_EXTENSION", &at, "Extension is not declared in extensionsUsed.");
            continue;
        }
        let misplaced = OF_MATERIALS.contains(&name.as_str()) && place != Place::Material
            || name == "KHR_lights_punctual" && !matches!(place, Place::Root | Place::Node)
            || name == IMAGE_BASED && !matches!(place, Place::Root | Place::Scene);
        if misplaced {
            report.error("UNEXPECTED_EXTENSION_OBJECT", &at, "Unexpected location for this extension.");
            continue;
        }
        if let Some((_, _, table)) = KNOWN.iter().find(|(known, at, _)| *known == name.as_str() && *at == place) {
            Schema { root, report: &mut *report }.members(members, table, &at);
        }
        if OF_MATERIALS.contains(&name.as_str()) {
            walk(extension, &at, root, used, report);
        }
    }
}

fn place(parent: &str) -> Place {
    let mut parts = parent.split('/').skip(1);
    match (parts.next(), parts.next(), parts.next()) {
        (None, _, _) => Place::Root,
        (Some("scenes"), Some(_), None) => Place::Scene,
        (Some("nodes"), Some(_), None) => Place::Node,
        (Some("materials"), Some(_), None) => Place::Material,
        _ => Place::Elsewhere,
    }
}
