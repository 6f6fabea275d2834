//! Another parent, another name, hidden, copied, and an earlier scene again.

use crate::scenes::{edited, id_of, named, table, with_node};
use scene_document::gltf::{Limits, Severity, check, read, write_glb, write_gltf};
use scene_document::{CameraId, Changed, Edit, EditError, LightId, MeshId, Node, NodeId, Scene, Trs, apply};
use serde_json::json;

fn refused(scene: &Scene, edit: Edit) -> EditError {
    apply(scene, edit).unwrap_err()
}

fn hidden(scene: &Scene, name: &str) -> Scene {
    edited(scene, Edit::SetVisible { node: id_of(scene, name), visible: false }).scene
}

#[test]
fn set_parent() {
    let (scene, a) = with_node(&Scene::default(), named("a"));
    let (scene, b) = with_node(&scene, Node { transform: Trs::from_translation([1.0; 3]), ..named("b") });
    let (scene, c) = with_node(&scene, Node { parent: Some(a), ..named("c") });
    let (scene, other_c) = with_node(&scene, named("c"));
    let done = edited(&scene, Edit::SetParent { node: b, parent: Some(c) });
    assert_eq!(done.changed, Changed { nodes: vec![b], ..Changed::default() });
    let moved = done.scene.node(b).unwrap();
    assert_eq!((moved.parent, moved.transform.translation), (Some(c), [1.0; 3]));
    let again = edited(&done.scene, Edit::SetParent { node: b, parent: None }).scene;
    assert_eq!(again.state_hash(), scene.state_hash());

    let under = |node, parent| refused(&scene, Edit::SetParent { node, parent });
    assert_eq!(under(a, Some(c)), EditError::Cycle { node: a, parent: c });
    assert_eq!(under(a, Some(a)), EditError::Cycle { node: a, parent: a });
    assert_eq!(under(c, None), EditError::NameTaken { name: "c".into(), taken_by: other_c });
    assert_eq!(under(a, Some(NodeId(9))), EditError::NoNode(NodeId(9)));
    assert_eq!(under(NodeId(8), None), EditError::NoNode(NodeId(8)));
    edited(&scene, Edit::SetParent { node: c, parent: Some(a) });
}

#[test]
fn a_subtree_must_fit_below_its_new_parent() {
    let (mut scene, mut below) = with_node(&Scene::default(), named("level 1"));
    let mut levels = vec![below];
    for level in 2..=31 {
        (scene, below) = with_node(&scene, Node { parent: Some(below), ..named(&format!("level {level}")) });
        levels.push(below);
    }
    let (scene, top) = with_node(&scene, named("top"));
    let (scene, _) = with_node(&scene, Node { parent: Some(top), ..named("bottom") });
    let deep = refused(&scene, Edit::SetParent { node: top, parent: Some(levels[30]) });
    assert_eq!(deep, EditError::TooDeep { depth: 33, limit: 32 });
    edited(&scene, Edit::SetParent { node: top, parent: Some(levels[29]) });
}

#[test]
fn rename() {
    let scene = table();
    let left = id_of(&scene, "left leg");
    let rename = |name: &str| Edit::Rename { node: left, name: name.into() };
    assert_eq!(edited(&scene, rename("leg")).scene.node(left).unwrap().name, "leg");
    assert_eq!(edited(&scene, rename("left leg")).scene.state_hash(), scene.state_hash());
    edited(&scene, rename("ball"));
    let taken_by = id_of(&scene, "right leg");
    assert_eq!(refused(&scene, rename("right leg")), EditError::NameTaken { name: "right leg".into(), taken_by });
}

#[test]
fn a_copy_has_its_own_nodes_lights_and_cameras() {
    let scene = table();
    let copy = |name: &str, share_meshes| {
        let node = id_of(&scene, name);
        edited(&scene, Edit::CopyNode { node, name: "copy".into(), share_meshes })
    };
    let ids = |numbers: std::ops::RangeInclusive<u32>| numbers.map(NodeId).collect::<Vec<_>>();
    let linked = copy("table", true);
    assert_eq!(linked.changed, Changed { nodes: ids(8..=11), ..Changed::default() });
    let copied = |id: u32| linked.scene.node(NodeId(id)).unwrap();
    assert_eq!((copied(8).name.as_str(), copied(8).parent), ("copy", None));
    for (old, new) in (2..=4).zip(9..=11) {
        let original = scene.node(NodeId(old)).unwrap();
        assert_eq!(copied(new), &Node { parent: Some(NodeId(8)), ..original.clone() });
    }

    let apart = copy("table", false);
    assert_eq!(apart.changed.meshes, [MeshId(4), MeshId(5)], "the legs still share one");
    let mesh_of = |id: u32| apart.scene.node(NodeId(id)).unwrap().mesh;
    assert_eq!([9, 10, 11].map(mesh_of), [MeshId(4), MeshId(5), MeshId(5)].map(Some));
    assert_eq!(apart.scene.meshes().get(&MeshId(5)), scene.meshes().get(&MeshId(2)));

    assert_eq!(copy("lamp", true).changed.lights, [LightId(2)]);
    let eyes = copy("eye", true);
    assert_eq!((eyes.changed.cameras, eyes.scene.active_camera()), (vec![CameraId(2)], scene.active_camera()));

    let node = id_of(&scene, "top");
    let taken_by = id_of(&scene, "left leg");
    let taken = refused(&scene, Edit::CopyNode { node, name: "left leg".into(), share_meshes: true });
    assert_eq!(taken, EditError::NameTaken { name: "left leg".into(), taken_by });
}

#[test]
fn copies_are_numbered_as_their_originals_are() {
    let (scene, child) = with_node(&Scene::default(), named("child"));
    let (scene, parent) = with_node(&scene, named("parent"));
    let scene = edited(&scene, Edit::SetParent { node: child, parent: Some(parent) }).scene;
    let done = edited(&scene, Edit::CopyNode { node: parent, name: "copy".into(), share_meshes: true });
    assert_eq!(done.changed.nodes, [NodeId(3), NodeId(4)]);
    let of = |id: u32| done.scene.node(NodeId(id)).unwrap();
    assert_eq!((of(3).name.as_str(), of(3).parent), ("child", Some(NodeId(4))));
    assert_eq!((of(4).name.as_str(), of(4).parent), ("copy", None));
}

#[test]
fn what_is_hidden_neither_shows_nor_shines() {
    let scene = table();
    let baked = hidden(&scene, "table").bake();
    assert_eq!(baked.meshes.iter().map(|mesh| mesh.name.as_str()).collect::<Vec<_>>(), ["ball"]);
    assert_eq!((baked.lights.len(), baked.cameras.len()), (1, 1));
    assert!(!hidden(&scene, "table").is_shown(id_of(&scene, "top")));
    assert!(hidden(&scene, "lamp").bake().lights.is_empty());
    assert_eq!(hidden(&scene, "eye").bake().cameras.len(), 1, "cameras are not hidden");
}

#[test]
fn hidden_is_said_only_where_it_is() {
    let scene = table();
    assert!(!scene.to_canonical_json().contains("visible"));
    let dark = hidden(&scene, "lamp");
    assert_eq!(dark.to_canonical_json().matches(r#""visible":false"#).count(), 1);
    assert_ne!(dark.state_hash(), scene.state_hash());
    let lit = edited(&dark, Edit::SetVisible { node: id_of(&scene, "lamp"), visible: true }).scene;
    assert_eq!(lit.state_hash(), scene.state_hash());
}

#[test]
fn a_file_says_what_is_hidden() {
    let scene = hidden(&hidden(&table(), "left leg"), "lamp");
    let (json, _) = write_gltf(&scene).unwrap();
    let extensions = |node: usize| json["nodes"][node]["extensions"].clone();
    assert_eq!(extensions(2), json!({"KHR_node_visibility": {"visible": false}}));
    let both = json!({"KHR_lights_punctual": {"light": 0}, "KHR_node_visibility": {"visible": false}});
    assert_eq!(extensions(5), both);
    let used = ["KHR_lights_punctual", "KHR_materials_emissive_strength", "KHR_node_visibility"];
    assert_eq!(json["extensionsUsed"], json!(used));

    let glb = write_glb(&scene).unwrap();
    assert!(check(&glb, &|_| None).iter().all(|issue| issue.severity == Severity::Information));
    let again = read(&glb, &|_| None, &Limits::default()).unwrap().scene;
    let names = |scene: &Scene| -> Vec<String> {
        scene.nodes().values().filter(|node| !node.visible).map(|node| node.name.clone()).collect()
    };
    assert_eq!(names(&again), ["left leg", "lamp"]);
    assert!(again.nodes().values().all(|node| node.kept.0.is_none()));
    let shown = edited(&again, Edit::SetVisible { node: id_of(&again, "left leg"), visible: true }).scene;
    assert_eq!(write_gltf(&shown).unwrap().0["nodes"][2].get("extensions"), None);
}

#[test]
fn an_earlier_scene_comes_back_without_its_ids() {
    let scene = table();
    let (grown, extra) = with_node(&scene, named("extra"));
    let mesh = crate::scenes::cuboid([1.0; 3]);
    let grown = edited(&grown, Edit::SetMesh { node: extra, mesh: mesh.clone() }).scene;
    let done = edited(&grown, Edit::Restore(scene.clone()));
    assert_eq!(done.scene.state_hash(), scene.state_hash());
    let gone = Changed { nodes: vec![extra], meshes: vec![MeshId(4)], ..Changed::default() };
    assert_eq!(done.changed, gone);
    let (again, other) = with_node(&done.scene, named("extra"));
    assert_eq!(other, NodeId(extra.0 + 1), "the id was given before");
    assert_eq!(edited(&again, Edit::SetMesh { node: other, mesh }).changed.meshes, [MeshId(5)]);
    let later = edited(&scene, Edit::Restore(grown.clone())).scene;
    assert_eq!(later.state_hash(), grown.state_hash());
    assert_eq!(with_node(&later, named("another")).1, NodeId(extra.0 + 1));
}

#[test]
fn what_differs_between_two_scenes() {
    let scene = table();
    assert_eq!(Changed::between(&scene, &scene), Changed::default());
    let (more, node) = with_node(&scene, named("other eye"));
    let more = edited(&more, Edit::SetCamera { node, camera: crate::scenes::lens() }).scene;
    let seen = edited(&more, Edit::SetActiveCamera { node }).scene;
    let cameras = Changed { nodes: vec![id_of(&scene, "eye"), node], ..Changed::default() };
    assert_eq!(Changed::between(&more, &seen), cameras);
    let made = Changed { nodes: vec![node], cameras: vec![CameraId(2)], ..Changed::default() };
    assert_eq!(Changed::between(&scene, &more), made);
    assert_eq!(Changed::between(&more, &scene), made);
}

#[test]
fn the_scene_given_stays_as_it_was() {
    let scene = table();
    let before = scene.to_canonical_json();
    let node = NodeId(1);
    let edits = [
        Edit::SetParent { node: NodeId(2), parent: None },
        Edit::SetParent { node, parent: Some(NodeId(2)) },
        Edit::Rename { node, name: "desk".into() },
        Edit::SetVisible { node, visible: false },
        Edit::CopyNode { node, name: "desk".into(), share_meshes: false },
        Edit::Restore(Scene::default()),
    ];
    let changes = |edit| apply(&scene, edit).is_ok_and(|done| done.scene.to_canonical_json() != before);
    assert_eq!(edits.map(changes), [true, false, true, true, true, true]);
    assert_eq!(scene.to_canonical_json(), before);
}
