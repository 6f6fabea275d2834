//! Tools that give a mesh a second shape, move it there, and say so.

use crate::play::{done, played, refusal, refused};
use scene_api::Workspace;
use scene_document::gltf::{self, write_glb};
use serde_json::{Value, json};

/// `n_1`, a cube of 1 m on the ground that can become 3 m tall; `n_2`, the shape that it can have.
fn cube() -> Workspace {
    let box_of =
        |node: &str, height_m: f64| json!({"node": node, "shape": {"kind": "box", "size_m": [1, height_m, 1]}});
    let calls = [
        ("node.create", json!({"name": "cube", "translation": [0, 0.5, 0]})),
        ("mesh.add_primitive", box_of("n_1", 1.0)),
        ("node.create", json!({"name": "tall", "translation": [5, 1.5, 0]})),
        ("mesh.add_primitive", box_of("n_2", 3.0)),
        ("mesh.add_morph_target", json!({"node": "n_1", "shape": "n_2", "name": "tall"})),
    ];
    played(&calls)
}

fn height(result: &Value) -> f64 {
    let edge = |name: &str| result["world_aabb_m"][name][1].as_f64().unwrap();
    edge("max") - edge("min")
}

#[test]
fn weights_change_what_is_measured() {
    let cube = cube();
    let (half, reply) = done(&cube, "node.set_morph_weights", &json!({"node": "n_1", "weights": [0.5]}));
    assert_eq!((&reply["changed"], height(&reply["result"])), (&json!(["n_1"]), 2.0));
    let (_, described) = done(&half, "scene.describe", &json!({"nodes": ["n_1"]}));
    let node = &described["result"]["nodes"][0];
    assert_eq!((&node["mesh"]["morph_targets"], height(node)), (&json!([{"name": "tall", "weight": 0.5}]), 2.0));
    let (_, other) = done(&half, "scene.describe", &json!({"nodes": ["n_2"]}));
    assert!(other["result"]["nodes"][0]["mesh"].get("morph_targets").is_none());

    let (_, bounds) = done(&half, "query.bounds", &json!({"nodes": ["n_1"]}));
    assert!(bounds["result"].to_string().contains("1.5"), "{bounds}");
    let (lidded, _) = done(&cube, "node.create", &json!({"name": "lid", "translation": [0, 1.05, 0]}));
    let lid = json!({"node": "n_3", "shape": {"kind": "box", "size_m": [1, 0.1, 1]}});
    let (lidded, _) = done(&lidded, "mesh.add_primitive", &lid);
    let (_, grown) = done(&lidded, "node.set_morph_weights", &json!({"node": "n_1", "weights": [0.5]}));
    let overlap = &grown["consequences"]["new_overlaps"][0];
    assert_eq!((&overlap["a"], &overlap["b"]), (&json!("n_1"), &json!("n_3")), "{grown}");

    let back = write_glb(&half.scene).unwrap();
    let back = gltf::read(&back, &|_| None, &gltf::Limits::default()).unwrap();
    assert!(back.not_evaluated.is_empty());
    assert_eq!(back.scene.bake().meshes[0].positions, half.scene.bake().meshes[0].positions);
}

#[test]
fn an_animation_drives_the_weights() {
    let cube = cube();
    let (made, _) = done(&cube, "animation.create", &json!({"name": "grow"}));
    let keys = json!({
        "animation": "anm_1", "node": "n_1", "path": "weights", "times_s": [0, 2], "values": [[0], [1]],
    });
    let (made, reply) = done(&made, "animation.add_channel", &keys);
    assert_eq!((&reply["result"]["keys"], &reply["result"]["duration_s"]), (&json!(2), &json!(2.0)));
    let (_, at) = done(&made, "animation.evaluate", &json!({"animation": "anm_1", "time_s": 0.5}));
    let node = &at["result"]["nodes"][0];
    assert_eq!((&node["weights"], height(node)), (&json!([0.25]), 1.5));
    let wide = json!({
        "animation": "anm_1", "node": "n_1", "path": "weights", "times_s": [0], "values": [[0, 1]],
    });
    let error = refused(&made, "animation.add_channel", &wide.to_string());
    assert_eq!((&error["code"], &error["pointer"]), (&json!("TYPE_MISMATCH"), &json!("/values/0")));

    let (_, second) = done(&made, "mesh.add_morph_target", &json!({"node": "n_1", "shape": "n_2", "name": "again"}));
    assert_eq!(second["result"]["morph_targets"], 2);
    assert_eq!(second["changed"].as_array().unwrap().last(), Some(&json!("anm_1")), "its channel was for one target");
}

#[test]
fn refusals_say_what_does_not_fit() {
    let cube = cube();
    let round = json!({"node": "n_3", "shape": {"kind": "ico_sphere", "radius_m": 0.5, "subdivisions": 1}});
    let (cube, _) = done(&cube, "node.create", &json!({"name": "round", "translation": [-5, 0.5, 0]}));
    let (cube, _) = done(&cube, "mesh.add_primitive", &round);
    for (name, arguments, code, pointer) in [
        (
            "mesh.add_morph_target",
            json!({"node": "n_1", "shape": "n_3", "name": "round"}),
            "INVALID_ARGUMENT",
            "/shape",
        ),
        ("mesh.add_morph_target", json!({"node": "n_1", "shape": "n_2", "name": "tall"}), "NAME_CONFLICT", "/name"),
        ("mesh.add_morph_target", json!({"node": "n_1", "shape": "n_9", "name": "new"}), "NOT_FOUND", "/shape"),
        ("node.set_morph_weights", json!({"node": "n_1", "weights": [1, 2]}), "INVALID_ARGUMENT", "/weights"),
        ("node.set_morph_weights", json!({"node": "n_3", "weights": [1]}), "UNSUPPORTED", "/node"),
    ] {
        refusal(&cube, name, &arguments, code, pointer);
    }
    let (plain, reply) = done(&cube, "mesh.flip_normals", &json!({"node": "n_1"}));
    assert_eq!(reply["result"]["lost"], json!(["targets"]));
    assert_eq!(plain.scene.meshes().values().filter(|mesh| mesh.morph_target_count() > 0).count(), 0);
}
