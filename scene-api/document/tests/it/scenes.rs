//! Scenes that several tests start from, and measures on their triangles.

use nalgebra::{Point3, Vector3};
use scene_document::{
    Applied, Camera, Edit, Geometry, Kept, Light, LightKind, Material, Mesh, Node, NodeId, Primitive, Projection,
    Scene, Shape, Trs, apply,
};

pub(crate) fn edited(scene: &Scene, edit: Edit) -> Applied {
    apply(scene, edit).expect("the edit is valid")
}

pub(crate) fn named(name: &str) -> Node {
    Node { name: name.into(), ..Node::default() }
}

pub(crate) fn with_node(scene: &Scene, node: Node) -> (Scene, NodeId) {
    let done = edited(scene, Edit::CreateNode(node));
    let id = *done.changed.nodes.first().expect("the new node");
    (done.scene, id)
}

pub(crate) fn id_of(scene: &Scene, name: &str) -> NodeId {
    scene.nodes().iter().find(|(_, node)| node.name == name).map(|(id, _)| *id).expect("a node of that name")
}

pub(crate) fn of_geometry(geometry: Geometry) -> Mesh {
    Mesh { primitives: vec![Primitive { geometry, material: None }], ..Mesh::default() }
}

pub(crate) fn cuboid(size_m: [f64; 3]) -> Mesh {
    of_geometry(Geometry::Shape(Shape::Box { size_m }))
}

/// A node of its own for `mesh`.
pub(crate) fn with_mesh(scene: &Scene, node: Node, mesh: Mesh) -> (Scene, NodeId) {
    let (scene, node) = with_node(scene, node);
    (edited(&scene, Edit::SetMesh { node, mesh }).scene, node)
}

pub(crate) fn lamp() -> Light {
    Light {
        name: "lamp".into(),
        kind: LightKind::Spot { inner_cone_rad: 0.25, outer_cone_rad: 0.5 },
        color: [1.0, 0.5, 0.25],
        intensity: 800.0,
        range_m: Some(12.0),
        kept: Kept::default(),
    }
}

pub(crate) fn lens() -> Camera {
    let projection = Projection::Perspective { yfov_rad: 0.75, aspect: None, znear_m: 0.0625, zfar_m: Some(64.0) };
    Camera { name: "lens".into(), projection, kept: Kept::default() }
}

/// A table top with a red material, two legs that share a mesh, a ball, a spot light and an active camera.
pub(crate) fn table() -> Scene {
    let (scene, table) = with_node(&Scene::default(), named("table"));
    let top = Node { parent: Some(table), transform: Trs::from_translation([0.0, 0.75, 0.0]), ..named("top") };
    let (scene, top) = with_mesh(&scene, top, cuboid([1.5, 0.0625, 0.8]));
    let red = Material {
        name: "red".into(),
        base_color: [0.8, 0.1, 0.1, 1.0],
        emissive: [0.5, 0.0, 0.0],
        emissive_strength: 4.0,
        ..Material::default()
    };
    let done = edited(&scene, Edit::CreateMaterial(red));
    let scene = edited(&done.scene, Edit::AssignMaterial { node: top, material: done.changed.materials[0] }).scene;
    let leg = |x: f64, name: &str| Node {
        parent: Some(table),
        transform: Trs::from_translation([x, 0.35, 0.1]),
        ..named(name)
    };
    let (scene, left) = with_mesh(&scene, leg(-0.7, "left leg"), cuboid([0.05, 0.7, 0.05]));
    let mesh = scene.node(left).and_then(|node| node.mesh);
    let (scene, _) = with_node(&scene, Node { mesh, ..leg(0.7, "right leg") });
    let ball = Shape::UvSphere { radius_m: 0.1, segments: 16, rings: 8 };
    let (scene, _) = with_mesh(&scene, named("ball"), of_geometry(Geometry::Shape(ball)));
    let (scene, node) = with_node(&scene, Node { transform: Trs::from_translation([0.0, 3.0, 0.0]), ..named("lamp") });
    let scene = edited(&scene, Edit::SetLight { node, light: lamp() }).scene;
    let (scene, node) = with_node(&scene, Node { transform: Trs::from_translation([0.0, 1.0, 4.0]), ..named("eye") });
    let scene = edited(&scene, Edit::SetCamera { node, camera: lens() }).scene;
    edited(&scene, Edit::SetActiveCamera { node }).scene
}

/// Signed volume of a closed mesh, positive when its faces are counter-clockwise seen from outside.
pub(crate) fn signed_volume(positions: &[Point3<f64>], triangles: &[[u32; 3]]) -> f64 {
    triangles
        .iter()
        .map(|corners| {
            let [a, b, c] = corners.map(|corner| positions[corner as usize].coords);
            a.dot(&b.cross(&c)) / 6.0
        })
        .sum()
}

/// Twice the triangle's area along its normal.
pub(crate) fn face(positions: &[Point3<f64>], corners: &[u32; 3]) -> Vector3<f64> {
    let [a, b, c] = corners.map(|corner| positions[corner as usize]);
    (b - a).cross(&(c - a))
}
