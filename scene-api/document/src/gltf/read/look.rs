//! Materials, lights and cameras from their JSON, in f64.

use super::super::check::{Document, numbers};
use super::{invalid, kept, textures};
use crate::gltf::ReadError;
use crate::{AlphaMode, Camera, Kept, Light, LightKind, Material, MaterialExtensions, Projection, Textures};
use serde_json::{Map, Value};
use std::f64::consts::FRAC_PI_4;

const MATERIAL_MEMBERS: &[&[&str]] = &[
    &["name"],
    &["pbrMetallicRoughness", "baseColorFactor"],
    &["pbrMetallicRoughness", "metallicFactor"],
    &["pbrMetallicRoughness", "roughnessFactor"],
    &["emissiveFactor"],
    &["alphaMode"],
    &["alphaCutoff"],
    &["doubleSided"],
    &["extensions", "KHR_materials_emissive_strength", "emissiveStrength"],
];

/// A factor that is malformed counts as absent; the report has it as an error.
pub(super) fn material(document: &Document, json: &Value) -> Material {
    let textures = textures::uses(document, json);
    let extensions = json.get("extensions").map(MaterialExtensions::from_gltf).unwrap_or_default();
    let factor = |pointer: &str, default: f64| json.pointer(pointer).and_then(Value::as_f64).unwrap_or(default);
    Material {
        name: name(json),
        base_color: numbers(json.pointer("/pbrMetallicRoughness/baseColorFactor")).unwrap_or([1.0; 4]),
        metallic: factor("/pbrMetallicRoughness/metallicFactor", 1.0),
        roughness: factor("/pbrMetallicRoughness/roughnessFactor", 1.0),
        emissive: numbers(json.get("emissiveFactor")).unwrap_or([0.0; 3]),
        emissive_strength: factor("/extensions/KHR_materials_emissive_strength/emissiveStrength", 1.0),
        alpha_mode: match json.get("alphaMode").and_then(Value::as_str) {
            Some("MASK") => AlphaMode::Mask,
            Some("BLEND") => AlphaMode::Blend,
            _ => AlphaMode::Opaque,
        },
        alpha_cutoff: factor("/alphaCutoff", 0.5),
        double_sided: json.get("doubleSided").and_then(Value::as_bool).unwrap_or(false),
        kept: beside(json, &textures, &extensions),
        textures,
        extensions,
    }
}

/// What of a material is neither typed itself nor a typed texture or extension.
fn beside(json: &Value, textures: &Textures, extensions: &MaterialExtensions) -> Kept {
    let extensions = extensions.to_gltf();
    let mut covered: Vec<Vec<&str>> = MATERIAL_MEMBERS.iter().map(|path| path.to_vec()).collect();
    covered.extend(textures.keys().map(|slot| slot.pointer().split('/').skip(1).collect()));
    for (name, factors) in &extensions {
        let factors = factors.as_object().into_iter().flat_map(Map::keys).map(String::as_str);
        // The path to no member takes away an extension that is empty.
        covered.extend(factors.chain([""]).map(|factor| vec!["extensions", name.as_str(), factor]));
    }
    let covered: Vec<&[&str]> = covered.iter().map(Vec::as_slice).collect();
    kept(json, &covered)
}

const LIGHT_MEMBERS: &[&[&str]] = &[
    &["name"],
    &["type"],
    &["color"],
    &["intensity"],
    &["range"],
    &["spot", "innerConeAngle"],
    &["spot", "outerConeAngle"],
];

pub(super) fn light(document: &Document, place: usize) -> Result<Light, ReadError> {
    let json = document.lights().get(place).unwrap_or(&Value::Null);
    let number = |member: &str| json.pointer(member).and_then(Value::as_f64);
    let kind = match json.get("type").and_then(Value::as_str) {
        Some("directional") => LightKind::Directional,
        Some("point") => LightKind::Point,
        Some("spot") => LightKind::Spot {
            inner_cone_rad: number("/spot/innerConeAngle").unwrap_or(0.0),
            outer_cone_rad: number("/spot/outerConeAngle").unwrap_or(FRAC_PI_4),
        },
        _ => {
            let pointer = format!("/extensions/KHR_lights_punctual/lights/{place}/type");
            return Err(invalid("VALUE_NOT_IN_LIST", &pointer, "No light of a known type.".into()));
        }
    };
    Ok(Light {
        name: name(json),
        kind,
        color: numbers(json.get("color")).unwrap_or([1.0; 3]),
        intensity: number("/intensity").unwrap_or(1.0),
        range_m: number("/range"),
        kept: kept(json, LIGHT_MEMBERS),
    })
}

const CAMERA_MEMBERS: &[&[&str]] = &[
    &["name"],
    &["type"],
    &["perspective", "yfov"],
    &["perspective", "aspectRatio"],
    &["perspective", "znear"],
    &["perspective", "zfar"],
    &["orthographic", "xmag"],
    &["orthographic", "ymag"],
    &["orthographic", "znear"],
    &["orthographic", "zfar"],
];

pub(super) fn camera(document: &Document, place: usize) -> Result<Camera, ReadError> {
    let json = document.list("cameras").get(place).unwrap_or(&Value::Null);
    let pointer = format!("/cameras/{place}");
    let optional = |member: &str| json.pointer(member).and_then(Value::as_f64);
    let number = |member: &str| {
        let message = || format!("Property '{member}' must be defined as a number.");
        optional(member).ok_or_else(|| invalid("UNDEFINED_PROPERTY", &format!("{pointer}{member}"), message()))
    };
    let projection = match json.get("type").and_then(Value::as_str) {
        Some("perspective") => Projection::Perspective {
            yfov_rad: number("/perspective/yfov")?,
            aspect: optional("/perspective/aspectRatio"),
            znear_m: number("/perspective/znear")?,
            zfar_m: optional("/perspective/zfar"),
        },
        Some("orthographic") => Projection::Orthographic {
            xmag_m: number("/orthographic/xmag")?,
            ymag_m: number("/orthographic/ymag")?,
            znear_m: number("/orthographic/znear")?,
            zfar_m: number("/orthographic/zfar")?,
        },
        _ => {
            let message = "No camera of a known type.";
            return Err(invalid("VALUE_NOT_IN_LIST", &format!("{pointer}/type"), message.into()));
        }
    };
    Ok(Camera { name: name(json), projection, kept: kept(json, CAMERA_MEMBERS) })
}

pub(super) fn name(json: &Value) -> String {
    json.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()
}
