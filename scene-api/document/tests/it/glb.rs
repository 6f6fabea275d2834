use crate::scenes::{named, of_geometry, table, with_mesh};
use scene_document::gltf::{Limits, Severity, check, read, write_glb, write_gltf};
use scene_document::{Baked, Geometry, Scene, Triangles};
use serde_json::{Value, json};
use std::sync::Arc;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// The JSON and the binary chunk.
pub(crate) fn chunks(glb: &[u8]) -> (Value, Vec<u8>) {
    let json_bytes = u32_at(glb, 12) as usize;
    let json = serde_json::from_slice(&glb[20..20 + json_bytes]).expect("JSON");
    let rest = &glb[20 + json_bytes..];
    (json, if rest.is_empty() { Vec::new() } else { rest[8..].to_vec() })
}

/// The GLB of this JSON and binary chunk, valid or not.
pub(crate) fn glb_of(json: &Value, bin: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bin = bin.to_vec();
    bin.resize(bin.len().next_multiple_of(4), 0);
    let word = |number: usize| u32::try_from(number).expect("a small file").to_le_bytes();
    let mut file = b"glTF".to_vec();
    file.extend([word(2), word(28 + text.len() + bin.len())].concat());
    file.extend([word(text.len()).as_slice(), b"JSON", &text].concat());
    file.extend([word(bin.len()).as_slice(), b"BIN\0", &bin].concat());
    file
}

fn vectors_of(json: &Value, bin: &[u8], accessor: &Value) -> Vec<[f32; 3]> {
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().expect("a view") as usize];
    let start = view["byteOffset"].as_u64().expect("an offset") as usize;
    let count = accessor["count"].as_u64().expect("a count") as usize;
    let part = |at: usize| f32::from_bits(u32_at(bin, at));
    (0..count).map(|row| [0, 4, 8].map(|column| part(start + 12 * row + column))).collect()
}

fn empties(value: &Value, pointer: &str) -> Vec<String> {
    match value {
        Value::Null => vec![pointer.into()],
        Value::Array(items) if items.is_empty() => vec![pointer.into()],
        Value::Array(items) => {
            items.iter().enumerate().flat_map(|(i, item)| empties(item, &format!("{pointer}/{i}"))).collect()
        }
        Value::Object(members) => {
            members.iter().flat_map(|(key, member)| empties(member, &format!("{pointer}/{key}"))).collect()
        }
        _ => vec![],
    }
}

#[test]
fn the_container_is_as_the_specification_says() {
    let glb = write_glb(&table()).unwrap();
    assert_eq!(&glb[..4], b"glTF");
    assert_eq!(u32_at(&glb, 4), 2);
    assert_eq!(u32_at(&glb, 8) as usize, glb.len());
    let json_bytes = u32_at(&glb, 12) as usize;
    assert_eq!(&glb[16..20], b"JSON");
    assert_eq!(json_bytes % 4, 0);
    let bin = 20 + json_bytes;
    assert_eq!(&glb[bin + 4..bin + 8], b"BIN\0");
    let bin_bytes = u32_at(&glb, bin) as usize;
    assert_eq!((bin_bytes % 4, bin + 8 + bin_bytes), (0, glb.len()));
    let (json, _) = chunks(&glb);
    let declared = json["buffers"][0]["byteLength"].as_u64().unwrap() as usize;
    assert!(declared <= bin_bytes && bin_bytes < declared + 4);
    assert_eq!(json["asset"], json!({"generator": "maquette", "version": "2.0"}));
    assert_eq!(json["extensionsUsed"], json!(["KHR_lights_punctual", "KHR_materials_emissive_strength"]));
}

#[test]
fn accessors_are_aligned_and_have_exact_bounds() {
    let (json, bin) = chunks(&write_glb(&table()).unwrap());
    for view in json["bufferViews"].as_array().unwrap() {
        assert_eq!(view["byteOffset"].as_u64().unwrap() % 4, 0);
        assert!([34962, 34963].contains(&view["target"].as_u64().unwrap()));
    }
    let vectors: Vec<&Value> = json["accessors"].as_array().unwrap().iter().filter(|a| a["type"] == "VEC3").collect();
    assert_eq!(vectors.len(), 6, "positions and normals of the top, the legs and the ball");
    for accessor in vectors {
        let rows = vectors_of(&json, &bin, accessor);
        for axis in 0..3 {
            let along = || rows.iter().map(|row| row[axis]);
            let bound = |name: &str| accessor[name][axis].as_f64().unwrap() as f32;
            assert_eq!(bound("min"), along().fold(f32::INFINITY, f32::min));
            assert_eq!(bound("max"), along().fold(f32::NEG_INFINITY, f32::max));
        }
    }
}

#[test]
fn objects_are_written_once_and_nothing_is_empty() {
    let (json, _) = chunks(&write_glb(&table()).unwrap());
    assert_eq!(empties(&json, ""), Vec::<String>::new());
    assert_eq!(json["meshes"].as_array().unwrap().len(), 3, "the legs share one");
    assert_eq!(json["nodes"][2]["mesh"], json["nodes"][3]["mesh"]);
    assert_eq!(json["nodes"][0], json!({"name": "table", "children": [1, 2, 3]}));
    assert_eq!(json["scenes"], json!([{"nodes": [0, 4, 5, 6], "extras": {"active_camera": 6}}]));
    assert_eq!(json["nodes"][5]["extensions"]["KHR_lights_punctual"]["light"], 0);
    assert_eq!(
        json["materials"],
        json!([{
            "name": "red",
            "pbrMetallicRoughness": {
                "baseColorFactor": [0.8, 0.1, 0.1, 1.0], "metallicFactor": 0.0, "roughnessFactor": 1.0,
            },
            "emissiveFactor": [0.5, 0.0, 0.0],
            "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 4.0}},
        }])
    );
}

#[test]
fn an_empty_scene_is_a_file_too() {
    let glb = write_glb(&Scene::default()).unwrap();
    let (json, bin) = chunks(&glb);
    assert_eq!(json["scenes"], json!([{}]));
    assert_eq!((json.get("nodes"), json.get("buffers"), bin.len()), (None, None, 0));
    assert_eq!(empties(&json, ""), Vec::<String>::new());
}

#[test]
fn large_meshes_have_wide_indices() {
    let strip = |vertices: u32| {
        let positions = (0..vertices).map(|i| [i as f32, (i % 2) as f32, 0.0]).collect();
        let triangles = (0..vertices - 2).map(|i| [i, i + 1, i + 2]).collect();
        let mesh = of_geometry(Geometry::Raw(Arc::new(Triangles { positions, triangles, ..Triangles::default() })));
        let (json, _) = write_gltf(&with_mesh(&Scene::default(), named("strip"), mesh).0).unwrap();
        let indices = json["meshes"][0]["primitives"][0]["indices"].as_u64().unwrap() as usize;
        json["accessors"][indices]["componentType"].as_u64().unwrap()
    };
    assert_eq!((strip(65534), strip(65535), strip(70000)), (5123, 5125, 5125));
}

fn assert_same(read_back: &Baked, original: &Baked) {
    let names = |baked: &Baked| baked.meshes.iter().map(|mesh| mesh.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(read_back), names(original));
    for (mesh, expected) in read_back.meshes.iter().zip(&original.meshes) {
        assert_eq!(mesh.triangles, expected.triangles);
        assert_eq!(mesh.triangle_surface, expected.triangle_surface);
        assert_eq!(mesh.surfaces.len(), expected.surfaces.len());
        for (surface, expected) in mesh.surfaces.iter().zip(&expected.surfaces) {
            let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
            assert!(near(&surface.base_color, &expected.base_color), "{surface:?} instead of {expected:?}");
            assert!(near(&surface.emissive, &expected.emissive), "{surface:?} instead of {expected:?}");
            assert_eq!((surface.alpha_mode, surface.double_sided), (expected.alpha_mode, expected.double_sided));
        }
        assert_eq!(mesh.positions.len(), expected.positions.len());
        for (position, expected) in mesh.positions.iter().zip(&expected.positions) {
            assert!((position - expected).norm() < 1e-6, "{}: {position} instead of {expected}", mesh.name);
        }
        let (normals, expected_normals) = (mesh.normals.as_ref().unwrap(), expected.normals.as_ref().unwrap());
        for (normal, expected) in normals.iter().zip(expected_normals) {
            assert!((normal - expected).norm() < 1e-6, "{}", mesh.name);
        }
    }
    assert_eq!(read_back.lights.len(), original.lights.len());
    for (light, expected) in read_back.lights.iter().zip(&original.lights) {
        assert_eq!((light.light.kind, light.light.color), (expected.light.kind, expected.light.color));
        assert_eq!((light.light.intensity, light.light.range_m), (expected.light.intensity, expected.light.range_m));
        assert!((light.position - expected.position).norm() < 1e-6);
        assert!((light.direction - expected.direction).norm() < 1e-6);
    }
    assert_eq!(read_back.active_camera, original.active_camera);
    assert_eq!(read_back.cameras.len(), original.cameras.len());
    for (camera, expected) in read_back.cameras.iter().zip(&original.cameras) {
        assert_eq!(camera.projection, expected.projection);
        assert!((camera.world_from_camera - expected.world_from_camera).norm() < 1e-6);
    }
}

#[test]
fn what_is_written_is_read_back() {
    let scene = table();
    let glb = write_glb(&scene).unwrap();
    let errors: Vec<_> =
        check(&glb, &|_| None).into_iter().filter(|issue| issue.severity != Severity::Information).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let import = read(&glb, &|_| None, &Limits::default()).unwrap();
    assert_same(&import.scene.bake(), &scene.bake());
    assert_eq!(import.node_pointers.len(), 7);
}

#[test]
fn reading_and_writing_again_changes_no_mesh() {
    let again = |glb: &[u8]| write_glb(&read(glb, &|_| None, &Limits::default()).unwrap().scene).unwrap();
    let first = write_glb(&table()).unwrap();
    let second = again(&first);
    assert_eq!(chunks(&first).1, chunks(&second).1);
    for list in ["meshes", "bufferViews", "buffers"] {
        assert_eq!(chunks(&first).0[list], chunks(&second).0[list], "{list}");
    }
    assert_eq!(second, again(&second));
}

#[test]
fn the_same_scene_is_the_same_bytes() {
    assert_eq!(write_glb(&table()).unwrap(), write_glb(&table()).unwrap());
}
