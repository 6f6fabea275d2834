//! What a file holds that pictures or scores leave out.

use scene_document::gltf::NotEvaluated;
use std::collections::BTreeMap;

/// A line per feature, in the order of their members' names.
pub(crate) fn not_evaluated(features: &[NotEvaluated]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for feature in features {
        places.entry(feature.what).or_default().push(&feature.pointer);
    }
    let line = |(what, places): (&str, Vec<&str>)| match places.as_slice() {
        [first, _, ..] => format!("{} ({first} and {} more)", told(what), places.len() - 1),
        places => format!("{} ({})", told(what), places.concat()),
    };
    places.into_iter().map(line).collect()
}

/// What is not drawn and what is seen in its place, or what is drawn and not judged, in an artist's words.
fn told(what: &str) -> String {
    let text = match what {
        "baseColorTexture" => "textures are drawn but not judged: scores take the plain base colour",
        "COLOR_0" => "vertex colours are not drawn: shown in plain base colour",
        "JOINTS_1" => "only four joints move a vertex: what more of them do is not shown",
        "EXT_mesh_gpu_instancing" => "GPU instances are not drawn: the mesh is shown once",
        "KHR_draco_mesh_compression" => "Draco geometry is not read: its uncompressed stand-in is shown",
        "KHR_materials_anisotropy" => "anisotropy is neither drawn nor judged: highlights are round",
        "KHR_materials_clearcoat" => "clear coats are drawn but not judged: scores take the surface without",
        "KHR_materials_ior" | "KHR_materials_specular" => {
            return format!("{what} is drawn but not judged: scores take the usual reflection");
        }
        "KHR_materials_iridescence" => "iridescence is neither drawn nor judged: there is no thin film",
        "KHR_materials_sheen" => "sheen is neither drawn nor judged: cloth is as any matt surface",
        "KHR_materials_transmission" => "transmission is not drawn: glass is shown without what shines through it",
        "KHR_materials_unlit" => "unlit materials are drawn but not judged as such: scores take them as lit",
        "emissiveTexture" => "emissive textures are drawn but not judged: in scores the whole surface glows alike",
        "metallicRoughnessTexture" => {
            "metallic-roughness textures are drawn but not judged: scores take one roughness and metalness"
        }
        "normalTexture" => "normal maps are drawn but not judged: in scores surfaces are smooth",
        "occlusionTexture" => "occlusion textures are drawn but not judged: in scores creases are as light as the rest",
        other => return format!("{other} is not drawn"),
    };
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_told_once_with_its_first_place() {
        let features = [
            ("normalTexture", "/materials/0/normalTexture"),
            ("COLOR_0", "/meshes/1/primitives/0/attributes/COLOR_0"),
            ("KHR_materials_ior", "/materials/0/extensions/KHR_materials_ior"),
            ("COLOR_0", "/meshes/2/primitives/0/attributes/COLOR_0"),
        ];
        let features = features.map(|(what, pointer)| NotEvaluated { what, pointer: pointer.into() });
        let expected = [
            "vertex colours are not drawn: shown in plain base colour (/meshes/1/primitives/0/attributes/COLOR_0 and 1 more)",
            "KHR_materials_ior is drawn but not judged: scores take the usual reflection (/materials/0/extensions/KHR_materials_ior)",
            "normal maps are drawn but not judged: in scores surfaces are smooth (/materials/0/normalTexture)",
        ];
        assert_eq!(not_evaluated(&features), expected);
    }
}
