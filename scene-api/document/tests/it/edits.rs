use crate::scenes::{cuboid, edited, id_of, lamp, lens, named, of_geometry, table, with_mesh, with_node};
use scene_document::{
    Camera, CameraId, Changed, Edit, EditError, Geometry, Light, LightId, LightKind, Material, MaterialId, Mesh,
    MeshId, Node, NodeId, Projection, Scene, Shape, Triangles, Trs, apply,
};
use std::sync::Arc;

fn set_transform(node: NodeId, transform: Trs) -> Edit {
    Edit::SetTransform { node, transform }
}

fn raw(positions: Vec<[f32; 3]>, normals: Option<Vec<[f32; 3]>>, triangles: Vec<[u32; 3]>) -> Mesh {
    of_geometry(Geometry::Raw(Arc::new(Triangles { positions, normals, triangles, ..Triangles::default() })))
}

#[test]
fn ids_count_from_one_and_are_never_reused() {
    let (scene, first) = with_node(&Scene::default(), named("a"));
    assert_eq!(first, NodeId(1));
    let scene = edited(&scene, Edit::DeleteNode { node: first }).scene;
    let (scene, second) = with_node(&scene, named("a"));
    assert_eq!(second, NodeId(2));
    let cleared = edited(&scene, Edit::Clear);
    assert_eq!(cleared.changed, Changed { nodes: vec![second], ..Changed::default() });
    let (scene, third) = with_node(&cleared.scene, named("a"));
    assert_eq!((third, scene.nodes().size()), (NodeId(3), 1));
}

#[test]
fn create_node() {
    let (scene, parent) = with_node(&Scene::default(), named("a"));
    let (scene, child) = with_node(&scene, Node { parent: Some(parent), ..named("a") });
    assert_eq!(scene.children(Some(parent)).map(|(id, _)| id).collect::<Vec<_>>(), [child]);

    let again = apply(&scene, Edit::CreateNode(named("a"))).unwrap_err();
    assert_eq!(again, EditError::NameTaken { name: "a".into(), taken_by: parent });
    let orphan = apply(&scene, Edit::CreateNode(Node { parent: Some(NodeId(9)), ..named("b") })).unwrap_err();
    assert_eq!(orphan, EditError::NoNode(NodeId(9)));
    let dangling = apply(&scene, Edit::CreateNode(Node { mesh: Some(MeshId(7)), ..named("b") })).unwrap_err();
    assert_eq!(dangling, EditError::Dangling { what: "mesh", id: "m_7".into() });
}

#[test]
fn the_hierarchy_is_at_most_32_deep() {
    let (mut scene, mut below) = with_node(&Scene::default(), named("level 1"));
    for level in 2..=32 {
        (scene, below) = with_node(&scene, Node { parent: Some(below), ..named(&format!("level {level}")) });
    }
    let too_deep = apply(&scene, Edit::CreateNode(Node { parent: Some(below), ..named("level 33") })).unwrap_err();
    assert_eq!(too_deep, EditError::TooDeep { depth: 33, limit: 32 });
}

#[test]
fn set_transform_normalises_the_rotation() {
    let (scene, node) = with_node(&Scene::default(), named("a"));
    let given = Trs { rotation: [0.0, 3.0, 0.0, 4.0], ..Trs::IDENTITY };
    let done = edited(&scene, set_transform(node, given));
    assert_eq!(done.changed, Changed { nodes: vec![node], ..Changed::default() });
    assert_eq!(done.scene.node(node).unwrap().transform.rotation, [0.0, 0.6, 0.0, 0.8]);
    let huge = Trs { rotation: [0.0, 0.0, 0.0, -1e300], ..Trs::IDENTITY };
    let turned = edited(&scene, set_transform(node, huge)).scene;
    assert_eq!(turned.node(node).unwrap().transform.rotation, [0.0, 0.0, 0.0, -1.0]);
}

#[test]
fn set_transform_refuses_what_is_no_transform() {
    let (scene, node) = with_node(&Scene::default(), named("a"));
    let refused = |transform| apply(&scene, set_transform(node, transform)).unwrap_err();
    let nan = Trs { scale: [1.0, f64::NAN, 1.0], ..Trs::IDENTITY };
    assert_eq!(refused(nan), EditError::NotFinite { what: "scale" });
    let far = Trs { translation: [f64::INFINITY, 0.0, 0.0], ..Trs::IDENTITY };
    assert_eq!(refused(far), EditError::NotFinite { what: "translation" });
    let none = Trs { rotation: [0.0; 4], ..Trs::IDENTITY };
    assert_eq!(refused(none), EditError::ZeroRotation { given: [0.0; 4] });
    let unknown = apply(&scene, set_transform(NodeId(5), Trs::IDENTITY)).unwrap_err();
    assert_eq!(unknown, EditError::NoNode(NodeId(5)));
}

#[test]
fn delete_node_takes_what_only_it_used() {
    let scene = table();
    let id = |name: &str| id_of(&scene, name);
    assert_eq!((scene.nodes().size(), scene.meshes().size()), (7, 3));

    let one_leg = edited(&scene, Edit::DeleteNode { node: id("left leg") });
    assert_eq!(one_leg.changed, Changed { nodes: vec![id("left leg")], ..Changed::default() });
    assert_eq!(one_leg.scene.meshes().size(), 3, "the other leg still uses the mesh");

    let no_table = edited(&scene, Edit::DeleteNode { node: id("table") });
    assert_eq!(no_table.changed.nodes, [id("table"), id("top"), id("left leg"), id("right leg")]);
    assert_eq!(no_table.changed.meshes, [MeshId(1), MeshId(2)]);
    assert_eq!(no_table.scene.meshes().keys().copied().collect::<Vec<_>>(), [MeshId(3)]);
    assert_eq!(no_table.scene.materials().size(), 1, "materials stay for other uses");
    assert_eq!(no_table.scene.active_camera(), Some(id("eye")));

    let dark = edited(&scene, Edit::DeleteNode { node: id("lamp") });
    assert_eq!(dark.changed.lights, [LightId(1)]);
    assert!(dark.scene.lights().is_empty());

    let blind = edited(&scene, Edit::DeleteNode { node: id("eye") });
    assert_eq!(blind.changed.cameras, [CameraId(1)]);
    assert_eq!(blind.scene.active_camera(), None);

    assert_eq!(apply(&scene, Edit::DeleteNode { node: NodeId(99) }).unwrap_err(), EditError::NoNode(NodeId(99)));
}

#[test]
fn set_mesh_replaces() {
    let (scene, node) = with_mesh(&Scene::default(), named("a"), cuboid([1.0; 3]));
    let done = edited(&scene, Edit::SetMesh { node, mesh: cuboid([2.0; 3]) });
    assert_eq!(done.scene.node(node).unwrap().mesh, Some(MeshId(2)));
    assert_eq!(done.changed.meshes, [MeshId(1), MeshId(2)], "the old one went, the new one came");
    assert_eq!(done.scene.meshes().size(), 1);
}

#[test]
fn set_mesh_refuses_what_is_no_mesh() {
    let (scene, node) = with_node(&Scene::default(), named("a"));
    let refused = |mesh| apply(&scene, Edit::SetMesh { node, mesh }).unwrap_err();
    let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    assert_eq!(
        refused(raw(corners.clone(), None, vec![[0, 1, 2], [0, 1, 3]])),
        EditError::IndexOutOfRange { triangle: 1, index: 3, vertices: 3 }
    );
    assert_eq!(
        refused(raw(corners.clone(), Some(vec![[0.0, 0.0, 1.0]; 2]), vec![[0, 1, 2]])),
        EditError::NormalCount { normals: 2, positions: 3 }
    );
    assert_eq!(
        refused(raw(corners.clone(), Some(vec![[0.0, 0.0, 2.0]; 3]), vec![[0, 1, 2]])),
        EditError::NormalLength { normal: 0, length: 2.0 }
    );
    let mut broken = corners.clone();
    broken[1][2] = f32::NAN;
    assert_eq!(refused(raw(broken, None, vec![[0, 1, 2]])), EditError::NotFinite { what: "positions" });
    for empty in [raw(corners, None, vec![]), raw(vec![], None, vec![]), Mesh::default()] {
        assert!(matches!(refused(empty), EditError::OutOfRange { allowed: "at least 1", .. }));
    }
    let mut painted = cuboid([1.0; 3]);
    painted.primitives[0].material = Some(MaterialId(4));
    assert_eq!(refused(painted), EditError::NoMaterial(MaterialId(4)));
    assert_eq!(
        apply(&scene, Edit::SetMesh { node: NodeId(3), mesh: cuboid([1.0; 3]) }).unwrap_err(),
        EditError::NoNode(NodeId(3))
    );
}

#[test]
fn shapes_have_sizes() {
    let (scene, node) = with_node(&Scene::default(), named("a"));
    let what = |shape| match apply(&scene, Edit::SetMesh { node, mesh: of_geometry(Geometry::Shape(shape)) }) {
        Err(EditError::OutOfRange { what, .. } | EditError::NotFinite { what }) => what,
        other => panic!("{shape:?}: {other:?}"),
    };
    assert_eq!(what(Shape::Box { size_m: [1.0, 0.0, 1.0] }), "size_m/1");
    assert_eq!(what(Shape::Box { size_m: [1.0, f64::NAN, 1.0] }), "size_m/1");
    assert_eq!(what(Shape::Plane { size_m: [-1.0, 1.0] }), "size_m/0");
    assert_eq!(what(Shape::Wedge { size_m: [1.0, 1.0, 1e-60] }), "size_m/2");
    assert_eq!(what(Shape::UvSphere { radius_m: 0.0, segments: 8, rings: 8 }), "radius_m");
    assert_eq!(what(Shape::UvSphere { radius_m: 1.0, segments: 257, rings: 8 }), "segments");
    assert_eq!(what(Shape::UvSphere { radius_m: 1.0, segments: 8, rings: 1 }), "rings");
    assert_eq!(what(Shape::Cylinder { radius_m: 1.0, height_m: -1.0, segments: 8 }), "height_m");
    assert_eq!(what(Shape::Cone { radius_m: 1.0, height_m: 1.0, segments: 2 }), "segments");
    let torus = |tube_radius_m, sides| Shape::Torus { ring_radius_m: 1.0, tube_radius_m, segments: 8, sides };
    assert_eq!(what(torus(1.0, 8)), "tube_radius_m");
    assert_eq!(what(torus(0.5, u32::MAX)), "sides");
}

#[test]
fn materials_stay_in_range() {
    let refused = |material| apply(&Scene::default(), Edit::CreateMaterial(material)).unwrap_err();
    let bright = Material { base_color: [1.0, 1.5, 0.0, 1.0], ..Material::default() };
    assert_eq!(refused(bright.clone()), EditError::OutOfRange { what: "base_color", given: 1.5, allowed: "0 to 1" });
    assert_eq!(refused(bright).to_string(), "base_color is 1.5; allowed: 0 to 1");
    let metal = Material { metallic: -0.5, ..Material::default() };
    assert_eq!(refused(metal), EditError::OutOfRange { what: "metallic", given: -0.5, allowed: "0 to 1" });
    let rough = Material { roughness: f64::NAN, ..Material::default() };
    assert_eq!(refused(rough), EditError::NotFinite { what: "roughness" });
    let strong = Material { emissive_strength: -1.0, ..Material::default() };
    assert!(matches!(refused(strong), EditError::OutOfRange { what: "emissive_strength", .. }));
    let blinding = Material { emissive_strength: 1e39, ..Material::default() };
    assert_eq!(refused(blinding).to_string(), format!("emissive_strength is {}; allowed: 0 to 1e9", 1e39));
    let done = edited(&Scene::default(), Edit::CreateMaterial(Material::default()));
    assert_eq!(done.changed, Changed { materials: vec![MaterialId(1)], ..Changed::default() });
}

#[test]
fn another_material_takes_the_place_of_one_and_its_uses() {
    let scene = table();
    let id = *scene.materials().keys().next().unwrap();
    let blue = Material { name: "blue".into(), base_color: [0.0, 0.0, 1.0, 1.0], ..Material::default() };
    let done = edited(&scene, Edit::SetMaterial { material: id, to: blue.clone() });
    assert_eq!(done.changed, Changed { materials: vec![id], ..Changed::default() });
    assert_eq!(*done.scene.materials().get(&id).unwrap().as_ref(), blue);
    assert_eq!(done.scene.bake().meshes[0].surfaces[0].base_color, blue.base_color);

    let refused = |material, to| apply(&scene, Edit::SetMaterial { material, to }).unwrap_err();
    assert_eq!(refused(MaterialId(8), blue.clone()), EditError::NoMaterial(MaterialId(8)));
    let rough = Material { roughness: 1.5, ..blue };
    assert_eq!(refused(id, rough), EditError::OutOfRange { what: "roughness", given: 1.5, allowed: "0 to 1" });
}

#[test]
fn assigning_a_material_copies_a_shared_mesh() {
    let (scene, first) = with_mesh(&Scene::default(), named("first"), cuboid([1.0; 3]));
    let (scene, second) = with_node(&scene, Node { mesh: Some(MeshId(1)), ..named("second") });
    let done = edited(&scene, Edit::CreateMaterial(Material::default()));
    let (scene, material) = (done.scene, done.changed.materials[0]);
    let of = |scene: &Scene, node| {
        let mesh = scene.node(node).unwrap().mesh.unwrap();
        (mesh, scene.meshes().get(&mesh).unwrap().primitives[0].material)
    };

    let done = edited(&scene, Edit::AssignMaterial { node: second, material });
    assert_eq!(done.changed, Changed { nodes: vec![second], meshes: vec![MeshId(2)], ..Changed::default() });
    assert_eq!(of(&done.scene, first), (MeshId(1), None));
    assert_eq!(of(&done.scene, second), (MeshId(2), Some(material)));

    let done = edited(&done.scene, Edit::AssignMaterial { node: first, material });
    assert_eq!(done.changed, Changed { meshes: vec![MeshId(1)], ..Changed::default() }, "no longer shared");
    assert_eq!(of(&done.scene, first), (MeshId(1), Some(material)));

    let refused = |node, material| apply(&scene, Edit::AssignMaterial { node, material }).unwrap_err();
    assert_eq!(refused(first, MaterialId(8)), EditError::NoMaterial(MaterialId(8)));
    let (scene, bare) = with_node(&scene, named("bare"));
    assert_eq!(apply(&scene, Edit::AssignMaterial { node: bare, material }).unwrap_err(), EditError::NoMesh(bare));
}

#[test]
fn lights_stay_in_range() {
    let (scene, node) = with_node(&Scene::default(), named("a"));
    let what = |light| match apply(&scene, Edit::SetLight { node, light }) {
        Err(EditError::OutOfRange { what, .. } | EditError::NotFinite { what }) => what,
        other => panic!("{other:?}"),
    };
    let spot =
        |inner_cone_rad, outer_cone_rad| Light { kind: LightKind::Spot { inner_cone_rad, outer_cone_rad }, ..lamp() };
    assert_eq!(what(spot(0.5, 0.5)), "inner_cone_rad");
    assert_eq!(what(spot(0.0, 1.6)), "outer_cone_rad");
    assert_eq!(what(Light { intensity: -1.0, ..lamp() }), "intensity");
    assert_eq!(what(Light { color: [0.0, 0.0, 1.1], ..lamp() }), "color");
    assert_eq!(what(Light { range_m: Some(0.0), ..lamp() }), "range_m");

    let first = edited(&scene, Edit::SetLight { node, light: spot(0.0, std::f64::consts::FRAC_PI_2) });
    assert_eq!(first.scene.node(node).unwrap().light, Some(LightId(1)));
    let second = edited(&first.scene, Edit::SetLight { node, light: lamp() });
    assert_eq!(second.scene.lights().keys().copied().collect::<Vec<_>>(), [LightId(2)]);
}

#[test]
fn cameras_stay_in_range() {
    let (scene, node) = with_node(&Scene::default(), named("a"));
    let what = |projection| match apply(&scene, Edit::SetCamera { node, camera: Camera { projection, ..lens() } }) {
        Err(EditError::OutOfRange { what, .. } | EditError::NotFinite { what }) => what,
        other => panic!("{other:?}"),
    };
    let perspective =
        |yfov_rad, znear_m, zfar_m| Projection::Perspective { yfov_rad, aspect: None, znear_m, zfar_m: Some(zfar_m) };
    assert_eq!(what(perspective(std::f64::consts::PI, 0.1, 10.0)), "yfov_rad");
    assert_eq!(what(perspective(1.0, 0.0, 10.0)), "znear_m");
    assert_eq!(what(perspective(1.0, 0.1, 0.1)), "zfar_m");
    assert_eq!(what(Projection::Orthographic { xmag_m: 0.0, ymag_m: 1.0, znear_m: 0.0, zfar_m: 1.0 }), "xmag_m");
    assert_eq!(apply(&scene, Edit::SetActiveCamera { node }).unwrap_err(), EditError::NoCamera(node));
    let scene = edited(&scene, Edit::SetCamera { node, camera: lens() }).scene;
    assert_eq!(edited(&scene, Edit::SetActiveCamera { node }).scene.active_camera(), Some(node));
}

#[test]
fn the_scene_given_stays_as_it_was() {
    let scene = table();
    let before = scene.to_canonical_json();
    let node = NodeId(2);
    let edits = [
        Edit::CreateNode(named("new")),
        Edit::CreateNode(named("table")),
        set_transform(node, Trs::from_translation([9.0; 3])),
        set_transform(node, Trs { rotation: [0.0; 4], ..Trs::IDENTITY }),
        Edit::DeleteNode { node: NodeId(1) },
        Edit::SetMesh { node, mesh: cuboid([1.0; 3]) },
        Edit::SetMesh { node, mesh: Mesh::default() },
        Edit::CreateMaterial(Material::default()),
        Edit::SetMaterial { material: MaterialId(1), to: Material::default() },
        Edit::AssignMaterial { node: NodeId(3), material: MaterialId(1) },
        Edit::SetLight { node, light: lamp() },
        Edit::SetCamera { node, camera: lens() },
        Edit::SetActiveCamera { node },
        Edit::Clear,
    ];
    let outcomes: Vec<bool> = edits.into_iter().map(|edit| apply(&scene, edit).is_ok()).collect();
    assert_eq!(outcomes.iter().filter(|ok| **ok).count(), 10);
    assert_eq!(scene.to_canonical_json(), before);
}
