//! Goldens fail when one thing of their scene changes, and name the node where it is one node's.

use crate::golden::{copy_of, renderer, set};
use crate::golden_scenes::{self, GoldenScene};
use renderer::golden::{Compared, check};
use scene_document::{Edit, Geometry, Light, Material, Mesh, Node, NodeId, Scene, Trs, apply, gltf};
use std::sync::Arc;

/// Every golden to which the change applies, compared with its scene after the change.
fn changed(change: impl Fn(&GoldenScene) -> Option<Scene>) -> Vec<(GoldenScene, Compared)> {
    let compare = |golden: GoldenScene| {
        let compared = after(golden.name, &change(&golden)?);
        Some((golden, compared))
    };
    let results: Vec<_> = golden_scenes::all().into_iter().filter_map(compare).collect();
    assert!(results.len() >= 12);
    results
}

fn all_fail(results: &[(GoldenScene, Compared)]) {
    for (golden, compared) in results {
        assert!(!compared.passed, "{} passes with FLIP {}", golden.name, compared.flip_mean);
    }
}

/// The golden compared with another scene, as if that were the one that was blessed.
fn after(name: &str, scene: &Scene) -> Compared {
    let folder = copy_of(name);
    let bytes = gltf::write_glb(scene).unwrap();
    std::fs::write(folder.path().join(format!("{name}.glb")), &bytes).unwrap();
    set(folder.path(), name, "scene_blake3", blake3::hash(&bytes).to_hex().as_str());
    check(renderer(), folder.path(), name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn edited(scene: &Scene, edit: Edit) -> Scene {
    apply(scene, edit).unwrap().scene
}

fn find(scene: &Scene, is_wanted: impl Fn(&Node) -> bool) -> Option<NodeId> {
    scene.nodes().iter().find(|(_, node)| is_wanted(node)).map(|(id, _)| *id)
}

fn subject(golden: &GoldenScene) -> NodeId {
    find(&golden.scene, |node| node.name == golden.subject).unwrap()
}

/// To the right and upwards, in its parent's frame.
fn moved(scene: &Scene, node: NodeId) -> Scene {
    let transform = scene.node(node).unwrap().transform;
    let [x, y, z] = transform.translation;
    edited(scene, Edit::SetTransform { node, transform: Trs { translation: [x + 0.1, y + 0.1, z], ..transform } })
}

#[test]
fn another_light_fails_every_golden_that_has_one() {
    let results = changed(|GoldenScene { scene, .. }| {
        let node = find(scene, |node| node.light.is_some())?;
        let light = Light::clone(scene.lights().get(&scene.node(node)?.light?)?);
        Some(edited(scene, Edit::SetLight { node, light: Light { intensity: light.intensity / 2.0, ..light } }))
    });
    all_fail(&results);
    assert!(results.iter().all(|(_, compared)| compared.ids_differing == 0 && compared.depth_differing == 0));
}

#[test]
fn another_camera_fails_every_golden_that_has_one() {
    let results = changed(|GoldenScene { scene, .. }| Some(moved(scene, scene.active_camera()?)));
    all_fail(&results);
    assert!(results.iter().all(|(_, compared)| compared.ids_differing > 0));
}

#[test]
fn another_material_fails_every_golden_and_names_its_node() {
    let results = changed(|golden| {
        let (scene, node) = (&golden.scene, subject(golden));
        let mesh = scene.meshes().get(&scene.node(node)?.mesh?)?;
        let material = Material::clone(scene.materials().get(&mesh.primitives.first()?.material?)?);
        let green = Material { base_color: [0.05, 0.35, 0.05, 1.0], ..material };
        let made = apply(scene, Edit::CreateMaterial(green)).unwrap();
        Some(edited(&made.scene, Edit::AssignMaterial { node, material: *made.changed.materials.first()? }))
    });
    all_fail(&results);
    only_the_surface_of_the_subject_differs(&results);
}

#[test]
fn one_reversed_normal_fails_every_golden_and_names_its_node() {
    let mut results = changed(|golden| Some(with_a_normal_reversed(&golden.scene, subject(golden))));
    only_the_surface_of_the_subject_differs(&results);
    // One vertex of a ball is less than a hundredth of the picture: within what a graphics card is allowed.
    results.retain(|(_, compared)| compared.exact);
    all_fail(&results);
}

#[test]
fn another_transform_fails_every_golden_and_names_its_node() {
    let results = changed(|golden| Some(moved(&golden.scene, subject(golden))));
    all_fail(&results);
    for (golden, compared) in &results {
        let row = compared.moved.iter().find(|row| row.name == golden.subject).unwrap();
        assert!(row.pixels_moved > 0 && compared.ids_differing >= row.pixels_moved, "{}: {row:?}", golden.name);
    }
}

fn only_the_surface_of_the_subject_differs(results: &[(GoldenScene, Compared)]) {
    for (golden, compared) in results {
        let first = compared.moved.first().unwrap();
        assert_eq!((first.name.as_str(), first.pixels_moved), (golden.subject, 0), "{}", golden.name);
        assert_eq!((compared.ids_differing, compared.depth_differing), (0, 0), "{}", golden.name);
    }
}

/// The vertex of the node's first primitive that faces the camera most gets the opposite normal.
fn with_a_normal_reversed(scene: &Scene, node: NodeId) -> Scene {
    let baked = scene.bake();
    let eye = baked.view(1, 1).0.world_from_camera.fixed_view::<3, 1>(0, 3).into_owned();
    let row = baked.meshes.iter().find(|row| row.node == node).unwrap();
    let mut mesh = Mesh::clone(&scene.meshes()[&scene.node(node).unwrap().mesh.unwrap()]);
    let mut triangles = mesh.primitives[0].geometry.triangles().as_ref().clone();

    let cosine = |place: &usize| {
        let towards_eye = (eye - row.positions[*place].coords).normalize();
        row.normals.as_ref().unwrap()[*place].dot(&towards_eye)
    };
    let most = (0..triangles.positions.len()).max_by(|a, b| cosine(a).total_cmp(&cosine(b))).unwrap();
    let normal = &mut triangles.normals.as_mut().unwrap()[most];
    *normal = normal.map(|part| -part);
    mesh.primitives[0].geometry = Geometry::Raw(Arc::new(triangles));
    edited(scene, Edit::SetMesh { node, mesh })
}
