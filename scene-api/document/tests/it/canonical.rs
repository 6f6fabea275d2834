use crate::scenes::{cuboid, edited, lamp, named, of_geometry, table, with_mesh, with_node};
use scene_document::{Edit, Geometry, Material, MaterialId, Node, NodeId, Scene, StateHash, Triangles, Trs};
use std::collections::BTreeSet;
use std::sync::Arc;

fn moved(scene: &Scene, node: NodeId, translation: [f64; 3]) -> Scene {
    edited(scene, Edit::SetTransform { node, transform: Trs::from_translation(translation) }).scene
}

#[test]
fn moving_there_and_back_is_the_same_state() {
    let scene = table();
    let node = NodeId(2);
    let there = moved(&scene, node, [5.0; 3]);
    assert_ne!(there.state_hash(), scene.state_hash());
    assert_eq!(moved(&there, node, [0.0, 0.75, 0.0]).state_hash(), scene.state_hash());
}

#[test]
fn only_ids_remember_the_history() {
    let scene = table();
    let (more, extra) = with_node(&scene, named("extra"));
    let back = edited(&more, Edit::DeleteNode { node: extra }).scene;
    assert_eq!(back.state_hash(), scene.state_hash());
    let (again, _) = with_node(&back, named("extra"));
    assert_ne!(again.state_hash(), more.state_hash(), "the second `extra` has another id");
}

#[test]
fn the_order_of_independent_edits_does_not_matter() {
    let scene = table();
    let one = moved(&moved(&scene, NodeId(2), [1.0; 3]), NodeId(3), [2.0; 3]);
    let other = moved(&moved(&scene, NodeId(3), [2.0; 3]), NodeId(2), [1.0; 3]);
    assert_eq!(one.to_canonical_json(), other.to_canonical_json());
}

#[test]
fn every_change_changes_the_hash() {
    let scene = table();
    let node = NodeId(2);
    let raw = |height: f32| {
        of_geometry(Geometry::Raw(Arc::new(Triangles {
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, height, 0.0]],
            triangles: vec![[0, 1, 2]],
            ..Triangles::default()
        })))
    };
    let edits = [
        Edit::CreateNode(named("new")),
        Edit::CreateNode(Node { parent: Some(node), ..named("new") }),
        Edit::SetTransform { node, transform: Trs { scale: [1.0, 1.0, 1.5], ..Trs::IDENTITY } },
        Edit::DeleteNode { node },
        Edit::SetMesh { node, mesh: cuboid([1.0; 3]) },
        Edit::SetMesh { node, mesh: raw(1.0) },
        Edit::SetMesh { node, mesh: raw(f32::from_bits(1.0_f32.to_bits() + 1)) },
        Edit::CreateMaterial(Material::default()),
        Edit::CreateMaterial(Material { double_sided: true, ..Material::default() }),
        Edit::CreateMaterial(Material { alpha_cutoff: 0.25, ..Material::default() }),
        Edit::AssignMaterial { node: NodeId(3), material: MaterialId(1) },
        Edit::SetLight { node, light: lamp() },
    ];
    let count = edits.len();
    let hashes: BTreeSet<StateHash> =
        edits.into_iter().map(|edit| edited(&scene, edit).scene.state_hash()).chain([scene.state_hash()]).collect();
    assert_eq!(hashes.len(), count + 1);
}

#[test]
fn the_text_is_json_with_sorted_keys() {
    let text = table().to_canonical_json();
    assert!(
        text.starts_with(r#"{"active_camera":"n_7","cameras":[{"id":"cam_1","kept":null,"name":"lens","projection":{"#)
    );
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["nodes"][1]["transform"]["translation"], serde_json::json!([0.0, 0.75, 0.0]));
    assert_eq!(json["nodes"].as_array().unwrap().len(), 7);
}

#[test]
fn the_hash_is_that_of_the_text() {
    let (scene, _) = with_mesh(&Scene::default(), named("a"), cuboid([1.0, 2.0, 3.0]));
    assert_eq!(
        scene.to_canonical_json(),
        concat!(
            r#"{"active_camera":null,"cameras":[],"lights":[],"materials":[],"meshes":[{"id":"m_1","mesh":{"kept":null,"#,
            r#""name":"","primitives":[{"geometry":{"shape":{"kind":"box","size_m":[1.0,2.0,3.0]}},"material":null}]}}],"#,
            r#""nodes":[{"camera":null,"id":"n_1","kept":null,"light":null,"mesh":"m_1","name":"a","parent":null,"#,
            r#""transform":{"rotation":[0.0,0.0,0.0,1.0],"scale":[1.0,1.0,1.0],"translation":[0.0,0.0,0.0]}}],"#,
            r#""source":null}"#,
        )
    );
    let shown = scene.state_hash().to_string();
    assert_eq!(shown, blake3::hash(scene.to_canonical_json().as_bytes()).to_hex().to_string());
}
