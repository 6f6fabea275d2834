//! Which material extensions a reader and a material name as not evaluated.

use crate::glb::glb_of;
use crate::gltf_read::triangle;
use scene_document::MaterialId;
use scene_document::gltf::{Limits, read};
use serde_json::{Value, json};

#[test]
fn an_extension_counts_where_it_changes_the_look() {
    let listed = |extensions: &Value| {
        let (mut json, bin) = triangle();
        let used: Vec<&String> = extensions.as_object().unwrap().keys().collect();
        json["extensionsUsed"] = json!(used);
        json["materials"] = json!([{ "extensions": extensions }]);
        json["meshes"][0]["primitives"][0]["material"] = json!(0);
        let import = read(&glb_of(&json, &bin), &|_| None, &Limits::default()).unwrap();
        let listed: Vec<&str> = import.not_evaluated.iter().map(|feature| feature.what).collect();
        assert_eq!(import.scene.materials().get(&MaterialId(1)).unwrap().not_evaluated(), listed, "{extensions}");
        listed.into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    for (name, idle, seen) in [
        ("anisotropy", json!({"anisotropyRotation": 1.0}), json!({"anisotropyStrength": 0.1})),
        ("clearcoat", json!({"clearcoatRoughnessFactor": 1.0}), json!({"clearcoatFactor": 0.1})),
        ("ior", json!({"ior": 1.5}), json!({"ior": 0})),
        ("iridescence", json!({"iridescenceIor": 2.0}), json!({"iridescenceFactor": 0.1})),
        ("sheen", json!({"sheenRoughnessFactor": 1.0}), json!({"sheenColorFactor": [0.0, 0.0, 0.1]})),
        ("specular", json!({"specularColorFactor": [1, 1, 1]}), json!({"specularFactor": 0.5})),
        ("specular", json!({}), json!({"specularColorFactor": [1, 1, 2]})),
        ("transmission", json!({"transmissionFactor": 0}), json!({"transmissionFactor": 0.1})),
    ] {
        let name = format!("KHR_materials_{name}");
        assert_eq!(listed(&json!({ name.as_str(): idle })), Vec::<String>::new());
        assert_eq!(listed(&json!({ name.as_str(): seen })), [name.as_str()]);
    }
    let thick = json!({"KHR_materials_volume": {"thicknessFactor": 1}, "KHR_materials_dispersion": {"dispersion": 1}});
    assert_eq!(listed(&thick), Vec::<String>::new(), "without transmission they show nothing");
}
