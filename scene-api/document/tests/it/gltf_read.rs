//! Hand-built files: what is read, what is refused and where, and that nothing panics.

use crate::glb::glb_of;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use scene_document::gltf::{Import, Issue, Limits, ReadError, Severity, check, read};
use scene_document::{LightKind, MeshId, NodeId, Projection, Triangles};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) fn nothing(_: &str) -> Option<Vec<u8>> {
    None
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

const CORNERS: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

/// One triangle in the XY plane, indexed by u16.
pub(crate) fn triangle() -> (Value, Vec<u8>) {
    let json = json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "part"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": 42}],
        "bufferViews": [
            {"buffer": 0, "byteLength": 36, "target": 34962},
            {"buffer": 0, "byteOffset": 36, "byteLength": 6, "target": 34963},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
        ],
    });
    let mut bin = floats(&CORNERS);
    bin.extend([0_u16, 1, 2].iter().flat_map(|index| index.to_le_bytes()));
    (json, bin)
}

pub(crate) fn imported(file: &[u8]) -> Import {
    let import = read(file, &nothing, &Limits::default()).unwrap();
    assert_eq!(errors(&import.issues), Vec::<&Issue>::new());
    import
}

fn errors(issues: &[Issue]) -> Vec<&Issue> {
    issues.iter().filter(|issue| issue.severity == Severity::Error).collect()
}

fn triangles_of(import: &Import) -> Arc<Triangles> {
    import.scene.meshes().get(&MeshId(1)).unwrap().primitives[0].geometry.triangles()
}

/// Asserts that reading is refused for `code` at `pointer`, and that the check says the same.
pub(crate) fn refused(file: &[u8], code: &str, pointer: &str) {
    let named = |issues: &[Issue]| {
        errors(issues)
            .iter()
            .any(|issue| issue.code == code && issue.pointer == pointer)
            .then_some(())
            .ok_or_else(|| format!("{issues:#?}"))
    };
    match read(file, &nothing, &Limits::default()) {
        Err(ReadError::Invalid { issues }) => named(&issues).unwrap(),
        other => panic!("{other:?}"),
    }
    named(&check(file, &nothing)).unwrap();
}

#[test]
fn reads_a_minimal_glb() {
    let (json, bin) = triangle();
    let import = imported(&glb_of(&json, &bin));
    let triangles = triangles_of(&import);
    assert_eq!(triangles.positions, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!(triangles.triangles, [[0, 1, 2]]);
    assert_eq!(triangles.normals, None);
    assert_eq!(import.scene.node(NodeId(1)).unwrap().name, "part");
    assert_eq!(import.node_pointers.get(&NodeId(1)).map(String::as_str), Some("/nodes/0"));
    let source = import.scene.source().unwrap();
    assert_eq!(source.node_ids, [Some(NodeId(1))]);
    assert_eq!(source.blob, bin);
}

#[test]
fn strips_and_fans_become_triangles() {
    let (mut json, mut bin) = triangle();
    bin.truncate(36);
    bin.extend(floats(&[1.0, 1.0, 0.0]));
    json["buffers"][0]["byteLength"] = json!(48);
    json["bufferViews"] = json!([{"buffer": 0, "byteLength": 48}]);
    json["accessors"] = json!([json["accessors"][0]]);
    json["accessors"][0]["count"] = json!(4);
    for (mode, expected) in [(5, [[0, 1, 2], [1, 3, 2]]), (6, [[1, 2, 0], [2, 3, 0]])] {
        json["meshes"][0]["primitives"] = json!([{"attributes": {"POSITION": 0}, "mode": mode}]);
        assert_eq!(triangles_of(&imported(&glb_of(&json, &bin))).triangles, expected);
    }
    json["meshes"][0]["primitives"] = json!([{"attributes": {"POSITION": 0}, "mode": 0}]);
    let points = triangles_of(&imported(&glb_of(&json, &bin)));
    assert_eq!((points.positions.len(), points.triangles.len()), (4, 0));
}

#[test]
fn quantised_positions_are_decoded() {
    let (mut json, _) = triangle();
    json["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    json["meshes"][0]["primitives"] = json!([{"attributes": {"POSITION": 0}}]);
    json["bufferViews"] = json!([{"buffer": 0, "byteLength": 24, "byteStride": 8, "target": 34962}]);
    json["buffers"] = json!([{"byteLength": 24}]);
    json["accessors"] = json!([{
        "bufferView": 0, "componentType": 5122, "normalized": true, "count": 3, "type": "VEC3",
        "min": [-32768, 0, 0], "max": [32767, 32767, 0],
    }]);
    let stored: [i16; 12] = [32767, 0, 0, 9, -32768, 0, 0, 9, 0, 32767, 0, 9];
    let bin: Vec<u8> = stored.iter().flat_map(|number| number.to_le_bytes()).collect();
    let triangles = triangles_of(&imported(&glb_of(&json, &bin)));
    assert_eq!(triangles.positions, [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!(triangles.triangles, [[0, 1, 2]]);
}

#[test]
fn sparse_values_replace_elements() {
    let (mut json, mut bin) = triangle();
    bin.resize(44, 0);
    bin.extend(1_u32.to_le_bytes());
    bin.extend(floats(&[5.0, 6.0, 7.0]));
    json["buffers"][0]["byteLength"] = json!(60);
    let views = json["bufferViews"].as_array_mut().unwrap();
    views.push(json!({"buffer": 0, "byteOffset": 44, "byteLength": 4}));
    views.push(json!({"buffer": 0, "byteOffset": 48, "byteLength": 12}));
    json["accessors"][0]["sparse"] = json!({
        "count": 1, "indices": {"bufferView": 2, "componentType": 5125}, "values": {"bufferView": 3},
    });
    json["accessors"][0]["max"] = json!([5, 6, 7]);
    let triangles = triangles_of(&imported(&glb_of(&json, &bin)));
    assert_eq!(triangles.positions, [[0.0, 0.0, 0.0], [5.0, 6.0, 7.0], [0.0, 1.0, 0.0]]);

    bin[44..48].copy_from_slice(&3_u32.to_le_bytes());
    let issues = check(&glb_of(&json, &bin), &nothing);
    assert!(errors(&issues).iter().any(|issue| issue.code == "ACCESSOR_SPARSE_INDEX_OOB"), "{issues:#?}");
    assert!(read(&glb_of(&json, &bin), &nothing, &Limits::default()).is_err());
}

#[test]
fn buffers_and_images_end_up_in_one_blob() {
    let (mut json, bin) = triangle();
    let uri = |bytes: &[u8]| format!("data:application/octet-stream;base64,{}", STANDARD.encode(bytes));
    json["buffers"] = json!([{"byteLength": 6, "uri": uri(&bin[36..])}, {"byteLength": 36, "uri": "a%20b.bin"}]);
    json["bufferViews"] = json!([{"buffer": 1, "byteLength": 36}, {"buffer": 0, "byteLength": 6}]);
    json["images"] = json!([{"uri": "look.png"}]);
    let png = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01rest".to_vec();
    let resolve = |path: &str| match path {
        "a b.bin" => Some(bin[..36].to_vec()),
        "look.png" => Some(png.clone()),
        _ => None,
    };
    let file = json.to_string().into_bytes();
    let import = read(&file, &resolve, &Limits::default()).unwrap();
    assert_eq!(errors(&import.issues), Vec::<&Issue>::new());
    assert_eq!(triangles_of(&import).positions[1], [1.0, 0.0, 0.0]);
    let source = import.scene.source().unwrap();
    assert_eq!(source.blob.len(), 8 + 36 + png.len());
    assert_eq!(source.json["buffers"], json!([{"byteLength": source.blob.len()}]));
    assert_eq!(source.json["bufferViews"][0], json!({"buffer": 0, "byteOffset": 8, "byteLength": 36}));
    assert_eq!(source.json["images"], json!([{"bufferView": 2, "mimeType": "image/png"}]));
    assert_eq!(source.blob[44..], png);

    let missing = check(&file, &nothing);
    let missing: Vec<&str> = errors(&missing).iter().map(|issue| issue.pointer.as_str()).collect();
    assert_eq!(missing, ["/buffers/1/uri", "/images/0/uri"]);
    assert!(matches!(read(&file, &nothing, &Limits::default()), Err(ReadError::Invalid { .. })));
}

#[test]
fn hierarchy_cameras_lights_and_what_is_kept() {
    let (mut json, bin) = triangle();
    json["extensionsUsed"] = json!(["KHR_lights_punctual", "VENDOR_thing"]);
    json["extensions"] = json!({"KHR_lights_punctual": {"lights": [{"type": "point"}, {"type": "spot", "spot": {}}]}});
    json["cameras"] = json!([{"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.1}, "name": "eye"}]);
    json["materials"] = json!([{"name": "unused"}, {"emissiveFactor": [1, 0, 0], "extras": {"a": 1}}]);
    json["meshes"][0]["primitives"][0]["material"] = json!(1);
    json["nodes"] = json!([
        {"children": [2, 1]},
        {"mesh": 0, "extras": {"tag": 5}, "translation": [1, 2, 3]},
        {"camera": 0, "extensions": {"KHR_lights_punctual": {"light": 1}, "VENDOR_thing": {}}},
        {"mesh": 0},
    ]);
    let scene = imported(&glb_of(&json, &bin)).scene;
    let names: Vec<&str> = scene.nodes().values().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["node_0", "node_2", "node_1"]);
    assert_eq!(scene.source().unwrap().node_ids, [Some(NodeId(1)), Some(NodeId(3)), Some(NodeId(2)), None]);
    assert_eq!(scene.active_camera(), Some(NodeId(2)));
    let part = scene.node(NodeId(3)).unwrap();
    assert_eq!((part.parent, part.transform.translation), (Some(NodeId(1)), [1.0, 2.0, 3.0]));
    assert_eq!(Value::Object((**part.kept.0.as_ref().unwrap()).clone()), json!({"extras": {"tag": 5}}));
    let eye = scene.node(NodeId(2)).unwrap();
    assert_eq!(Value::Object((**eye.kept.0.as_ref().unwrap()).clone()), json!({"extensions": {"VENDOR_thing": {}}}));
    let light = scene.lights().get(&eye.light.unwrap()).unwrap();
    assert!(matches!(light.kind, LightKind::Spot { inner_cone_rad: 0.0, .. }));
    assert_eq!(scene.lights().size(), 1);
    let camera = scene.cameras().get(&eye.camera.unwrap()).unwrap();
    assert_eq!(camera.projection, Projection::Perspective { yfov_rad: 0.7, aspect: None, znear_m: 0.1, zfar_m: None });
    let material = scene.meshes().get(&MeshId(1)).unwrap().primitives[0].material.unwrap();
    let material = scene.materials().get(&material).unwrap();
    assert_eq!((material.metallic, material.emissive), (1.0, [1.0, 0.0, 0.0]));
}

#[test]
fn matrices_become_translation_rotation_scale() {
    let (mut json, bin) = triangle();
    // A quarter turn about +Z, then a mirrored x scale of 2.
    json["nodes"][0]["matrix"] = json!([0, -2, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1]);
    let import = imported(&glb_of(&json, &bin));
    let transform = import.scene.node(NodeId(1)).unwrap().transform;
    assert_eq!((transform.translation, transform.scale), ([4.0, 5.0, 6.0], [-2.0, 1.0, 1.0]));
    let given = [[0.0, -1.0, 0.0, 4.0], [-2.0, 0.0, 0.0, 5.0], [0.0, 0.0, 1.0, 6.0], [0.0, 0.0, 0.0, 1.0]];
    for (row, parts) in given.iter().enumerate() {
        for (column, part) in parts.iter().enumerate() {
            assert!((transform.matrix()[(row, column)] - part).abs() < 1e-12, "{transform:?}");
        }
    }
    json["nodes"][0]["matrix"] = json!([1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    refused(&glb_of(&json, &bin), "NODE_MATRIX_NON_TRS", "/nodes/0/matrix");
}

#[test]
fn damage_is_refused_with_its_place() {
    let damaged = |damage: &dyn Fn(&mut Value, &mut Vec<u8>)| {
        let (mut json, mut bin) = triangle();
        damage(&mut json, &mut bin);
        glb_of(&json, &bin)
    };
    let cycle = damaged(&|json, _| json["nodes"] = json!([{"children": [1], "mesh": 0}, {"children": [0]}]));
    refused(&cycle, "NODE_LOOP", "/nodes/0");
    let nan = damaged(&|_, bin| bin[4..8].copy_from_slice(&f32::NAN.to_le_bytes()));
    refused(&nan, "ACCESSOR_INVALID_FLOAT", "/accessors/0");
    let index = damaged(&|_, bin| bin[40] = 3);
    refused(&index, "ACCESSOR_INDEX_OOB", "/meshes/0/primitives/0/indices");
    let count = damaged(&|json, _| json["accessors"][0]["count"] = json!(1_u64 << 50));
    refused(&count, "ACCESSOR_TOO_LONG", "/accessors/0");
    let dangling = damaged(&|json, _| json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(7));
    refused(&dangling, "UNRESOLVED_REFERENCE", "/meshes/0/primitives/0/attributes/POSITION");
    let kind = damaged(&|json, _| json["meshes"][0]["primitives"] = json!({"attributes": {"POSITION": 0}}));
    refused(&kind, "TYPE_MISMATCH", "/meshes/0/primitives");
    let mesh = damaged(&|json, _| json["nodes"][0]["mesh"] = json!(-1));
    refused(&mesh, "INVALID_INDEX", "/nodes/0/mesh");
}

#[test]
fn errors_beside_the_geometry_do_not_stop_reading() {
    let (mut json, bin) = triangle();
    json["accessors"][0]["max"] = json!([2, 1, 0]);
    json["nodes"][0]["rotation"] = json!([0, 0, 0.5, 0.5]);
    let import = read(&glb_of(&json, &bin), &nothing, &Limits::default()).unwrap();
    let places: Vec<(&str, &str)> =
        errors(&import.issues).iter().map(|issue| (issue.code, issue.pointer.as_str())).collect();
    assert_eq!(places, [("ROTATION_NON_UNIT", "/nodes/0/rotation"), ("ACCESSOR_MAX_MISMATCH", "/accessors/0/max/0")]);
    let rotation = import.scene.node(NodeId(1)).unwrap().transform.rotation;
    assert!((rotation[2] - 0.5_f64.sqrt()).abs() < 1e-15);
}

#[test]
fn a_fault_in_every_member_is_listed_a_hundred_times() {
    let (mut json, bin) = triangle();
    let mut nodes = vec![json!({"mesh": 0, "bogus": 1}); 4000];
    nodes[3999]["rotation"] = json!([0, 0, 0, 0.5]);
    json["nodes"] = Value::Array(nodes);
    let import = read(&glb_of(&json, &bin), &nothing, &Limits::default()).unwrap();
    let bogus: Vec<&Issue> = import.issues.iter().filter(|issue| issue.code == "UNEXPECTED_PROPERTY").collect();
    assert_eq!((bogus.len(), bogus[99].pointer.as_str()), (101, "/nodes/99/bogus"));
    assert_eq!((bogus[100].pointer.as_str(), bogus[100].message.as_str()), ("/", "3900 more are not listed."));
    let codes: Vec<&str> = errors(&import.issues).iter().map(|issue| issue.code).collect();
    assert_eq!(codes, ["ROTATION_NON_UNIT"], "no fault hides one of another kind");

    let loops = (0..400).map(|node| json!({"children": [node ^ 1]}));
    json["nodes"] = loops.collect();
    refused(&glb_of(&json, &bin), "NODE_LOOP", "/nodes/0");
}

#[test]
fn joints_have_one_root_however_many_there_are() {
    let (mut json, bin) = triangle();
    json["nodes"] = json!([{"mesh": 0, "children": [1, 2]}, {}, {}, {}]);
    json["skins"] = json!([{"joints": [1, 2]}, {"joints": [1, 3]}, {"joints": vec![1; 100_000]}]);
    let issues = check(&glb_of(&json, &bin), &nothing);
    let rootless: Vec<&str> =
        issues.iter().filter(|issue| issue.code == "SKIN_NO_COMMON_ROOT").map(|issue| issue.pointer.as_str()).collect();
    assert_eq!(rootless, ["/skins/1/joints"]);
    let duplicates = errors(&issues).iter().filter(|issue| issue.code == "DUPLICATE_ELEMENTS").count();
    assert_eq!(duplicates, 101);
}

#[test]
fn below_names_that_are_not_gltf_anything_may_stand() {
    let (mut json, bin) = triangle();
    json["meshes"][0]["known"] = json!({"extensions": 1});
    let long = "x".repeat(1 << 20);
    json["meshes"][0][long.as_str()] = json!({"extensions": 1});
    let issues = check(&glb_of(&json, &bin), &nothing);
    let places: Vec<&str> = errors(&issues).iter().map(|issue| issue.pointer.as_str()).collect();
    assert_eq!(places, ["/meshes/0/known/extensions"]);
}

#[test]
fn hidden_nodes_are_read_as_hidden() {
    let (mut json, bin) = triangle();
    json["extensionsUsed"] = json!(["KHR_node_visibility"]);
    json["extensionsRequired"] = json!(["KHR_node_visibility"]);
    for (extension, meshes) in [(json!({"visible": false}), 0), (json!({"visible": true}), 1), (json!({}), 1)] {
        json["nodes"][0]["extensions"] = json!({"KHR_node_visibility": extension});
        let import = imported(&glb_of(&json, &bin));
        assert_eq!(import.scene.node(NodeId(1)).unwrap().visible, meshes == 1, "{extension}");
        assert_eq!(import.scene.bake().meshes.len(), meshes, "{extension}");
    }
    json["nodes"][0]["extensions"] = json!({"KHR_node_visibility": {"visible": 0}});
    let issues = check(&glb_of(&json, &bin), &nothing);
    let faults: Vec<_> = errors(&issues).iter().map(|issue| (issue.code, issue.pointer.as_str())).collect();
    assert_eq!(faults, [("TYPE_MISMATCH", "/nodes/0/extensions/KHR_node_visibility/visible")]);
}

#[test]
fn what_baking_does_not_evaluate_is_listed_where_the_scene_uses_it() {
    let listed = |json: &Value, bin: &[u8]| -> Vec<(&'static str, String)> {
        let import = read(&glb_of(json, bin), &nothing, &Limits::default()).unwrap();
        import.not_evaluated.into_iter().map(|feature| (feature.what, feature.pointer)).collect()
    };
    let (mut json, bin) = triangle();
    json["nodes"] = json!([
        {"mesh": 0, "skin": 0, "children": [1, 2], "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {}}}},
        {"mesh": 0, "weights": [0.5], "extensions": {"KHR_node_visibility": {"visible": false}}},
        {"skin": 0, "extensions": {"KHR_node_visibility": {"visible": true}}},
        {"mesh": 1, "skin": 0},
    ]);
    json["skins"] = json!([{"joints": [0]}]);
    json["materials"] = json!([
        {"extensions": {"KHR_materials_unlit": {}}},
        {
            "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicRoughnessTexture": {"index": 0}},
            "normalTexture": {"index": 0, "scale": 0.5},
            "occlusionTexture": {"index": 0},
            "emissiveTexture": {"index": 0},
            "emissiveFactor": [0, 0.5, 0],
            "extensions": {"KHR_materials_transmission": {"transmissionFactor": 0.5}, "KHR_materials_unlit": {}},
        },
    ]);
    json["meshes"] = json!([
        {"primitives": [{"attributes": {"POSITION": 0, "COLOR_0": 0, "JOINTS_1": 0}, "indices": 1, "material": 1}]},
        {"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]},
    ]);
    let expected = [
        ("EXT_mesh_gpu_instancing", "/nodes/0/extensions/EXT_mesh_gpu_instancing"),
        ("COLOR_0", "/meshes/0/primitives/0/attributes/COLOR_0"),
        ("JOINTS_1", "/meshes/0/primitives/0/attributes/JOINTS_1"),
        ("baseColorTexture", "/materials/1/pbrMetallicRoughness/baseColorTexture"),
        ("metallicRoughnessTexture", "/materials/1/pbrMetallicRoughness/metallicRoughnessTexture"),
        ("normalTexture", "/materials/1/normalTexture"),
        ("occlusionTexture", "/materials/1/occlusionTexture"),
        ("KHR_materials_transmission", "/materials/1/extensions/KHR_materials_transmission"),
        ("KHR_materials_unlit", "/materials/1/extensions/KHR_materials_unlit"),
        ("emissiveTexture", "/materials/1/emissiveTexture"),
    ];
    assert_eq!(listed(&json, &bin), expected.map(|(what, pointer)| (what, pointer.to_owned())));

    json["nodes"] = json!([{"mesh": 0, "weights": [0, 0.0]}]);
    json["materials"] = json!([{}, {
        "normalTexture": {"index": 0, "scale": 0},
        "occlusionTexture": {"index": 0, "strength": 0.0},
        "emissiveTexture": {"index": 0},
        "extensions": {"KHR_materials_transmission": {"transmissionFactor": 0}},
    }]);
    json["meshes"][0]["primitives"][0]["attributes"] = json!({"POSITION": 0});
    assert!(listed(&json, &bin).is_empty());
}

#[test]
fn containers_are_checked_to_the_byte() {
    let (json, bin) = triangle();
    let file = glb_of(&json, &bin);
    for end in 0..file.len() {
        let result = read(&file[..end], &nothing, &Limits::default());
        assert!(matches!(result, Err(ReadError::Invalid { .. })), "cut at {end}: {result:?}");
    }
    let mut version = file.clone();
    version[4] = 1;
    refused(&version, "GLB_INVALID_VERSION", "@byte 4");
    let mut chunk = file.clone();
    chunk[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    refused(&chunk, "GLB_CHUNK_TOO_BIG", "@byte 12");
    let mut text = file;
    text[21] = b'!';
    refused(&text, "INVALID_JSON", "@byte 21");
}

#[test]
fn no_single_wrong_byte_panics() {
    let (json, bin) = triangle();
    let file = glb_of(&json, &bin);
    for place in 0..file.len() {
        for value in [0, 0x2D, 0x39, 0x5B, 0x7F, 0xFF] {
            let mut damaged = file.clone();
            damaged[place] = value;
            let result = read(&damaged, &nothing, &Limits::default());
            assert!(!matches!(result, Err(ReadError::Panicked { .. })), "byte {place} = {value}: {result:?}");
        }
    }
}
