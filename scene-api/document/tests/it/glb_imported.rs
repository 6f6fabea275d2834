//! What a file held and we do not understand comes out again after an edit.

use crate::glb::{chunks, glb_of};
use crate::scenes::{cuboid, edited, id_of, named, with_mesh, with_node};
use scene_document::gltf::{Limits, read, write_glb, write_gltf};
use scene_document::{Edit, Node, Scene};
use serde_json::{Value, json};

/// Three boxes `a`, `b`, `c` in a row, `a` and `c` animated, with extras and a vendor's extension everywhere.
fn animated() -> Scene {
    let mut scene = Scene::default();
    for name in ["a", "b", "c"] {
        scene = with_mesh(&scene, named(name), cuboid([1.0; 3])).0;
    }
    let (mut json, mut blob) = write_gltf(&scene).expect("the scene is written");
    let times = blob.len();
    for value in [0.0_f32, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0] {
        blob.extend_from_slice(&value.to_le_bytes());
    }
    let list = |json: &mut Value, key: &str, item: Value| -> usize {
        let items = json[key].as_array_mut().expect("a list");
        items.push(item);
        items.len() - 1
    };
    let view = list(&mut json, "bufferViews", json!({"buffer": 0, "byteOffset": times, "byteLength": 32}));
    let input = list(
        &mut json,
        "accessors",
        json!({
            "bufferView": view, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0.0], "max": [1.0],
        }),
    );
    let output = list(
        &mut json,
        "accessors",
        json!({"bufferView": view, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "VEC3"}),
    );
    let channel = |node: usize| json!({"sampler": 0, "target": {"node": node, "path": "translation"}});
    json["animations"] = json!([
        {"name": "both", "samplers": [{"input": input, "output": output}], "channels": [channel(0), channel(2)]},
        {"name": "only a", "samplers": [{"input": input, "output": output}], "channels": [channel(0)]},
    ]);
    json["extensionsUsed"] = json!(["VENDOR_thing"]);
    json["extensions"] = json!({"VENDOR_thing": {"root": 1}});
    json["extras"] = json!({"made by": "hand"});
    json["nodes"][1]["extras"] = json!({"node": true});
    json["nodes"][1]["extensions"] = json!({"VENDOR_thing": {"node": 2}});
    json["meshes"][1]["primitives"][0]["extras"] = json!([1, 2, 3]);
    json["asset"]["copyright"] = json!("nobody");
    json["scenes"][0]["name"] = json!("main");
    json["buffers"][0]["byteLength"] = json!(blob.len());
    read(&glb_of(&json, &blob), &|_| None, &Limits::default()).expect("the file is valid").scene
}

#[test]
fn unknown_members_survive() {
    let (json, _) = chunks(&write_glb(&animated()).unwrap());
    assert_eq!(json["extensions"], json!({"VENDOR_thing": {"root": 1}}));
    assert_eq!(json["extensionsUsed"], json!(["VENDOR_thing"]));
    assert_eq!(json["extras"], json!({"made by": "hand"}));
    assert_eq!(json["nodes"][1]["extras"], json!({"node": true}));
    assert_eq!(json["nodes"][1]["extensions"], json!({"VENDOR_thing": {"node": 2}}));
    assert_eq!(json["meshes"][1]["primitives"][0]["extras"], json!([1, 2, 3]));
    assert_eq!(json["asset"], json!({"copyright": "nobody", "generator": "maquette", "version": "2.0"}));
    assert_eq!(json["scenes"][0]["name"], "main");
    assert_eq!(json["animations"].as_array().unwrap().len(), 2);
}

#[test]
fn animations_follow_their_nodes() {
    let scene = animated();
    let scene = edited(&scene, Edit::DeleteNode { node: id_of(&scene, "a") }).scene;
    let (json, _) = chunks(&write_glb(&scene).unwrap());
    let names: Vec<&str> = json["nodes"].as_array().unwrap().iter().filter_map(|node| node["name"].as_str()).collect();
    assert_eq!(names, ["b", "c"]);
    let animations = json["animations"].as_array().unwrap();
    assert_eq!(animations.len(), 1, "`only a` moved nothing else");
    assert_eq!(
        animations[0]["channels"],
        json!([{"sampler": 0, "target": {"node": 1, "path": "translation"}}]),
        "`c` is now node 1"
    );
    read(&write_glb(&scene).unwrap(), &|_| None, &Limits::default()).unwrap();
}

#[test]
fn new_objects_come_after_the_old_ones() {
    let scene = animated();
    let before = write_gltf(&scene).unwrap().0;
    let (scene, light) = with_node(&scene, Node { parent: Some(id_of(&scene, "c")), ..named("light") });
    let scene = edited(&scene, Edit::SetLight { node: light, light: crate::scenes::lamp() }).scene;
    let (scene, _) = with_mesh(&scene, named("new"), cuboid([2.0; 3]));
    let (json, _) = write_gltf(&scene).unwrap();
    let old = before["accessors"].as_array().unwrap();
    let all = json["accessors"].as_array().unwrap();
    assert_eq!(all.len(), old.len() + 3);
    assert_eq!(&all[..old.len()], &old[..]);
    assert_eq!(json["extensionsUsed"], json!(["KHR_lights_punctual", "VENDOR_thing"]));
    assert_eq!(json["extensions"]["VENDOR_thing"], json!({"root": 1}));
    let again = read(&write_glb(&scene).unwrap(), &|_| None, &Limits::default()).unwrap().scene;
    let names = |scene: &Scene| scene.bake().meshes.iter().map(|mesh| mesh.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&again), ["a", "b", "c", "new"]);
    assert_eq!(again.bake().lights.len(), 1);
}
