//! What a file may ask for: more is refused with the limit, before it is made.

use crate::glb::glb_of;
use crate::gltf_read::{imported, nothing, refused, triangle};
use scene_document::gltf::{Limits, ReadError, check, read};
use serde_json::{Value, json};

#[test]
fn limits_and_unknown_requirements_are_named() {
    let (mut json, bin) = triangle();
    let count =
        json!({"componentType": 5126, "count": 1_u64 << 40, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0]});
    json["accessors"][0] = count;
    let result = read(&glb_of(&json, &bin), &nothing, &Limits::default());
    assert!(matches!(result, Err(ReadError::LimitExceeded { what: "vertices", .. })), "{result:?}");

    let (mut json, bin) = triangle();
    let chain = (0..100).map(|node| if node < 99 { json!({"children": [node + 1]}) } else { json!({"mesh": 0}) });
    json["nodes"] = chain.collect();
    imported(&glb_of(&json, &bin));
    let limits = Limits { depth: 32, ..Limits::default() };
    let result = read(&glb_of(&json, &bin), &nothing, &limits);
    let expected = ReadError::LimitExceeded { what: "levels of nodes", given: 33, allowed: 32 };
    assert_eq!(result.err(), Some(expected));

    let (mut json, bin) = triangle();
    json["extensionsUsed"] = json!(["KHR_draco_mesh_compression"]);
    json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    let result = read(&glb_of(&json, &bin), &nothing, &Limits::default());
    let (what, pointer) = ("KHR_draco_mesh_compression".into(), "/extensionsRequired/0".into());
    assert_eq!(result.err(), Some(ReadError::Unsupported { what, pointer }));
}

#[test]
fn every_limit_names_what_was_given_and_allowed() {
    let (mut json, bin) = triangle();
    let node = json!({"mesh": 0, "camera": 0, "extensions": {"KHR_lights_punctual": {"light": 0}}});
    json["extensionsUsed"] = json!(["KHR_lights_punctual"]);
    json["extensions"] = json!({"KHR_lights_punctual": {"lights": [{"type": "point"}]}});
    json["cameras"] = json!([{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}]);
    json["materials"] = json!([{}, {}]);
    json["nodes"] = json!([node, node]);
    json["scenes"] = json!([{"nodes": [0, 1]}]);
    let file = glb_of(&json, &bin);
    let enough =
        Limits { nodes: 2, triangles: 2, vertices: 6, materials: 2, lights: 2, cameras: 2, ..Limits::default() };
    assert!(read(&file, &nothing, &enough).is_ok());
    for (limits, what, given) in [
        (Limits { nodes: 1, ..enough }, "nodes", 2),
        (Limits { triangles: 1, ..enough }, "triangles", 2),
        (Limits { vertices: 5, ..enough }, "vertices", 6),
        (Limits { materials: 1, ..enough }, "materials", 2),
        (Limits { lights: 1, ..enough }, "lights", 2),
        (Limits { cameras: 1, ..enough }, "cameras", 2),
    ] {
        let expected = ReadError::LimitExceeded { what, given, allowed: given - 1 };
        assert_eq!(read(&file, &nothing, &limits).err(), Some(expected));
    }
    let result = read(&file, &nothing, &Limits { json_values: 9, ..enough });
    assert!(matches!(result, Err(ReadError::LimitExceeded { what: "JSON values", allowed: 9, .. })), "{result:?}");

    json["nodes"] = Value::Array(vec![node; 65]);
    json["scenes"] = json!([{"nodes": (0..65).collect::<Vec<u32>>()}]);
    let result = read(&glb_of(&json, &bin), &nothing, &Limits::default());
    assert_eq!(result.err(), Some(ReadError::LimitExceeded { what: "lights", given: 65, allowed: 64 }));
}

/// Accessors of zeros take no bytes of the file.
#[test]
fn zeros_are_counted_before_they_are_made() {
    let zeros = |count: u64| {
        let origin = [0; 3];
        json!({"componentType": 5126, "count": count, "type": "VEC3", "min": origin, "max": origin})
    };
    let exceeded = |json: &Value, bin: &[u8]| {
        let result = read(&glb_of(json, bin), &nothing, &Limits::default());
        assert!(matches!(result, Err(ReadError::LimitExceeded { what: "vertices", .. })), "{result:?}");
    };
    let (mut json, mut bin) = triangle();
    json["meshes"][0]["primitives"] = json!([{"attributes": {"POSITION": 0}, "mode": 0}]);
    json["accessors"][0] = zeros(3_000_001);
    exceeded(&json, &bin);

    bin.resize(44, 0);
    json["buffers"][0]["byteLength"] = json!(44);
    json["bufferViews"][1] = json!({"buffer": 0, "byteOffset": 36, "byteLength": 8});
    json["bufferViews"][0] = json!({"buffer": 0, "byteLength": 36});
    let sparse = |count: u64| {
        let indices = json!({"bufferView": 1, "componentType": 5121});
        json!({"count": count, "indices": indices, "values": {"bufferView": 0}})
    };
    json["accessors"] = json!([zeros(1 << 40)]);
    json["accessors"][0]["sparse"] = sparse(1);
    exceeded(&json, &bin);
    let issues = check(&glb_of(&json, &bin), &nothing);
    assert!(issues.iter().any(|issue| issue.code == "ACCESSOR_DATA_EXCESSIVE"), "{issues:#?}");
    json["accessors"] = json!([zeros(2)]);
    json["accessors"][0]["sparse"] = sparse(3);
    refused(&glb_of(&json, &bin), "ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", "/accessors/0/sparse/count");

    let (mut json, bin) = triangle();
    json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(2);
    json["accessors"].as_array_mut().unwrap().push(zeros(1 << 40));
    let Err(ReadError::Invalid { issues }) = read(&glb_of(&json, &bin), &nothing, &Limits::default()) else {
        panic!("3 positions with 2⁴⁰ normals were read");
    };
    assert!(issues.iter().any(|issue| issue.code == "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT"), "{issues:#?}");

    let (mut json, bin) = triangle();
    json["meshes"][0]["primitives"] = json!([{"attributes": {}}, {"attributes": {}}]);
    let result = read(&glb_of(&json, &bin), &nothing, &Limits { vertices: 1, ..Limits::default() });
    assert_eq!(result.err(), Some(ReadError::LimitExceeded { what: "vertices", given: 2, allowed: 1 }));
}
