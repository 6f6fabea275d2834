//! Vertex attribute semantics and the formats they may have (glTF 2.0 §3.7.2, KHR_mesh_quantization).

use super::format::Format;
use super::report::Report;
use super::schema::join;
use ::gltf::json::accessor::{ComponentType, Type};
use serde_json::{Map, Value};

/// Checks the names of a primitive's attributes; `pointer` is that of `attributes`. Returns how many sets of texture
/// coordinates there are, 0 where they are not numbered from 0 without gaps.
pub(super) fn check_names(attributes: &Map<String, Value>, pointer: &str, report: &mut Report) -> usize {
    for name in attributes.keys().filter(|name| !is_attribute(name)) {
        report.error("MESH_PRIMITIVE_INVALID_ATTRIBUTE", &join(pointer, name), "Invalid attribute name.");
    }
    let mut count = |semantic: &str| {
        let numbers =
            || attributes.keys().filter_map(move |name| set_number(name).filter(|(base, _)| *base == semantic));
        let given = numbers().count();
        let expected = numbers().map(|(_, number)| number.saturating_add(1)).max().unwrap_or(0);
        if given as u64 == expected {
            return given;
        }
        let message = format!(
            "Indices for indexed attribute semantic '{semantic}' must start with 0 and be continuous. \
             Total expected indices: {expected}, total provided indices: {given}."
        );
        report.error("MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY", pointer, message);
        0
    };
    count("COLOR");
    let texcoords = count("TEXCOORD");
    let (joints, weights) = (count("JOINTS"), count("WEIGHTS"));
    if joints != weights {
        let message = format!(
            "Number of JOINTS attribute semantics ({joints}) does not match the number of WEIGHTS ({weights})."
        );
        report.error("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", pointer, message);
    }
    if !attributes.contains_key("POSITION") {
        report.warning("MESH_PRIMITIVE_NO_POSITION", pointer, "No POSITION attribute found.");
    }
    if attributes.contains_key("TANGENT") && !attributes.contains_key("NORMAL") {
        let message = "TANGENT attribute without NORMAL found.";
        report.warning("MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL", &join(pointer, "TANGENT"), message);
    }
    texcoords
}

fn is_attribute(name: &str) -> bool {
    name.starts_with('_') || matches!(name, "POSITION" | "NORMAL" | "TANGENT") || set_number(name).is_some()
}

pub(super) fn is_target_attribute(name: &str) -> bool {
    is_attribute(name) && !set_number(name).is_some_and(|(base, _)| matches!(base, "JOINTS" | "WEIGHTS"))
}

/// `TEXCOORD_1` as ("TEXCOORD", 1).
fn set_number(name: &str) -> Option<(&str, u64)> {
    let (base, digits) = name.split_once('_')?;
    let canonical = digits == "0" || !digits.starts_with('0');
    let valid = matches!(base, "COLOR" | "JOINTS" | "TEXCOORD" | "WEIGHTS")
        && canonical
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    valid.then(|| digits.parse().ok().map(|number| (base, number))).flatten()
}

/// `None`: a semantic without a fixed format.
pub(super) fn format_allowed(semantic: &str, format: Format, is_target: bool, quantized: bool) -> Option<bool> {
    use ComponentType::{F32, I8, I16, U8, U16};
    let Format { component, kind, normalized } = format;
    let float = component == F32 && !normalized;
    let signed = matches!(component, I8 | I16);
    let unsigned = matches!(component, U8 | U16);
    let quantized_direction = quantized && signed && normalized;
    let quantized_place = quantized && (signed || unsigned && !is_target);
    // A morph target displaces the direction only, not its sign.
    let tangent = if is_target { Type::Vec3 } else { Type::Vec4 };
    let base = semantic.split('_').next().unwrap_or(semantic);
    Some(match base {
        "POSITION" => kind == Type::Vec3 && (float || quantized_place),
        "NORMAL" => kind == Type::Vec3 && (float || quantized_direction),
        "TANGENT" => kind == tangent && (float || quantized_direction),
        "TEXCOORD" => {
            let integer = normalized && (unsigned || is_target && signed);
            kind == Type::Vec2 && (float || integer || quantized_place)
        }
        "COLOR" => {
            let integer = normalized && (unsigned || is_target && signed);
            matches!(kind, Type::Vec3 | Type::Vec4) && (float || integer)
        }
        "JOINTS" => kind == Type::Vec4 && unsigned && !normalized,
        "WEIGHTS" => kind == Type::Vec4 && (float || unsigned && normalized),
        _ => return None,
    })
}
