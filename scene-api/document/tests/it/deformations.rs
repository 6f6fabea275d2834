//! Skins and morph targets as edits make them, and where they put the vertices.

use crate::scenes::{cuboid, edited, named, of_geometry, signed_volume, with_mesh, with_node};
use nalgebra::{Point3, Vector3};
use scene_document::{
    Animation, Changed, Channel, ChannelPath, Deformation, Edit, EditError, Geometry, Influence, Interpolation, Mesh,
    MorphTarget, Node, NodeId, Scene, Shape, Skin, SkinId, StateHash, Triangles, Trs, apply, sample,
};
use std::collections::BTreeSet;
use std::f64::consts::FRAC_1_SQRT_2;
use std::sync::Arc;

const QUARTER_TURN_Z: [f64; 4] = [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2];

pub(crate) fn deformable(triangles: Triangles, deformation: Deformation) -> Mesh {
    of_geometry(Geometry::Deformable { triangles: Arc::new(triangles), deformation: Arc::new(deformation) })
}

/// Column by column.
pub(crate) fn shift([x, y, z]: [f32; 3]) -> [f32; 16] {
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]
}

fn one(joint: u16) -> Influence {
    Influence { joints: [joint, 0, 0, 0], weights: [1.0, 0.0, 0.0, 0.0] }
}

/// A forearm of one triangle with corners at heights 0, 1 and 2, all at x = 0.5, and normals along +X.
fn strip() -> Triangles {
    Triangles {
        positions: vec![[0.5, 0.0, 0.0], [0.5, 1.0, 0.0], [0.5, 2.0, 0.0]],
        normals: Some(vec![[1.0, 0.0, 0.0]; 3]),
        uvs: None,
        triangles: vec![[0, 1, 2]],
    }
}

fn strip_influences() -> Vec<Influence> {
    vec![one(0), Influence { joints: [0, 1, 0, 0], weights: [0.5, 0.5, 0.0, 0.0] }, one(1)]
}

/// `body` with below it `hip`, below that `knee` (at y = 1), and the mesh `leg`, bound to both.
fn leg() -> Scene {
    let (scene, body) = with_node(&Scene::default(), named("body"));
    let (scene, hip) = with_node(&scene, Node { parent: Some(body), ..named("hip") });
    let knee = Node { parent: Some(hip), transform: Trs::from_translation([0.0, 1.0, 0.0]), ..named("knee") };
    let (scene, knee) = with_node(&scene, knee);
    let mesh = deformable(strip(), Deformation { influences: strip_influences(), targets: Vec::new() });
    let (scene, node) = with_mesh(&scene, Node { parent: Some(body), ..named("leg") }, mesh);
    let skin = Skin {
        name: "bones".into(),
        joints: vec![hip, knee],
        inverse_bind_matrices: vec![shift([0.0; 3]), shift([0.0, -1.0, 0.0])],
        skeleton: Some(hip),
        ..Skin::default()
    };
    edited(&scene, Edit::SetSkin { node, skin }).scene
}

const BODY: NodeId = NodeId(1);
const HIP: NodeId = NodeId(2);
const KNEE: NodeId = NodeId(3);
const LEG: NodeId = NodeId(4);

fn turned(scene: &Scene, node: NodeId, rotation: [f64; 4]) -> Scene {
    let transform = Trs { rotation, ..scene.node(node).unwrap().transform };
    edited(scene, Edit::SetTransform { node, transform }).scene
}

fn places(scene: &Scene, node: NodeId) -> Vec<Point3<f64>> {
    scene.bake().meshes.into_iter().find(|mesh| mesh.node == node).unwrap().positions
}

fn are_near(given: &[Point3<f64>], wanted: &[[f64; 3]]) {
    assert_eq!(given.len(), wanted.len());
    for (given, wanted) in given.iter().zip(wanted) {
        assert!((given - Point3::from(*wanted)).norm() < 1e-7, "{given} is not {wanted:?}");
    }
}

#[test]
fn a_bent_knee_moves_what_is_bound_to_it() {
    let scene = leg();
    are_near(&places(&scene, LEG), &[[0.5, 0.0, 0.0], [0.5, 1.0, 0.0], [0.5, 2.0, 0.0]]);
    // A quarter turn about +Z takes (x, y) to (−y, x). The upper corner is (0.5, 1) from the knee, which is at
    // (0, 1); the middle one is half there and half where it was.
    let bent = turned(&scene, KNEE, QUARTER_TURN_Z);
    let wanted = [[0.5, 0.0, 0.0], [0.25, 1.25, 0.0], [-1.0, 1.5, 0.0]];
    are_near(&places(&bent, LEG), &wanted);
    are_near(&bent.deformed_positions(LEG).unwrap(), &wanted);
    let baked = bent.bake();
    let normals = baked.meshes[0].normals.as_ref().unwrap();
    for (given, wanted) in normals.iter().zip([[1.0, 0.0, 0.0], [FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0], [0.0, 1.0, 0.0]]) {
        assert!((given - Vector3::from(wanted)).norm() < 1e-7, "{given}");
    }
}

#[test]
fn a_bound_mesh_stands_where_its_joints_do() {
    let scene = leg();
    let away = Trs { translation: [7.0, 8.0, 9.0], scale: [3.0; 3], ..Trs::IDENTITY };
    let moved = edited(&scene, Edit::SetTransform { node: LEG, transform: away }).scene;
    assert_eq!(places(&moved, LEG), places(&scene, LEG), "its own node does not count");
    let moved = edited(&scene, Edit::SetTransform { node: HIP, transform: away }).scene;
    are_near(&places(&moved, LEG), &[[8.5, 8.0, 9.0], [8.5, 11.0, 9.0], [8.5, 14.0, 9.0]]);

    let mirror = Trs { scale: [-1.0, 1.0, 1.0], ..Trs::IDENTITY };
    let mirrored = edited(&scene, Edit::SetTransform { node: BODY, transform: mirror }).scene.bake();
    let mesh = &mirrored.meshes[0];
    assert_eq!(mesh.triangles, [[0, 2, 1]], "what is mirrored is turned over");
    assert!((mesh.normals.as_ref().unwrap()[0] + Vector3::x()).norm() < 1e-7);
}

/// A cube whose top can be raised by 1 m and its front (+Z) be pulled out by 2 m.
fn cube() -> Scene {
    let triangles = Shape::Box { size_m: [1.0; 3] }.tessellate();
    let target = |axis: usize, by_m: f32| {
        let delta = |position: &[f32; 3]| {
            let mut delta = [0.0; 3];
            delta[axis] = if position[axis] > 0.0 { by_m } else { 0.0 };
            delta
        };
        Arc::new(MorphTarget { positions: triangles.positions.iter().map(delta).collect(), normals: None })
    };
    let targets = vec![target(1, 1.0), target(2, 2.0)];
    let mut mesh = deformable(triangles, Deformation { influences: Vec::new(), targets });
    mesh.target_names = vec!["tall".into(), "deep".into()];
    with_mesh(&Scene::default(), named("cube"), mesh).0
}

fn extents(scene: &Scene) -> [f64; 3] {
    let positions = &scene.bake().meshes[0].positions;
    [0, 1, 2].map(|axis| {
        let along = || positions.iter().map(|position| position[axis]);
        along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min)
    })
}

#[test]
fn weights_move_a_mesh_towards_its_targets() {
    let scene = cube();
    assert_eq!((extents(&scene), scene.deformed_positions(NodeId(1))), ([1.0; 3], None));
    let node = NodeId(1);
    let set = edited(&scene, Edit::SetWeights { node, weights: vec![0.25, 0.5] });
    assert_eq!(set.changed, Changed { nodes: vec![node], ..Changed::default() });
    assert_eq!(extents(&set.scene), [1.0, 1.25, 2.0]);
    let transform = Trs { scale: [2.0; 3], ..Trs::IDENTITY };
    let larger = edited(&set.scene, Edit::SetTransform { node, transform }).scene;
    assert_eq!(extents(&larger), [2.0, 2.5, 4.0], "the node's transform comes after the targets");
    let mesh = &larger.bake().meshes[0];
    assert!((signed_volume(&mesh.positions, &mesh.triangles) - 20.0).abs() < 1e-12);
    let back = edited(&set.scene, Edit::SetWeights { node, weights: Vec::new() }).scene;
    assert_eq!(back.state_hash(), scene.state_hash());

    let mut mesh = Mesh::clone(scene.meshes().values().next().unwrap());
    mesh.weights = vec![1.0, 0.0];
    let of_mesh = edited(&scene, Edit::SetMesh { node, mesh }).scene;
    assert_eq!(extents(&of_mesh), [1.0, 2.0, 1.0], "those of the mesh where the node has none");
    let of_node = edited(&of_mesh, Edit::SetWeights { node, weights: vec![0.0, 0.0] }).scene;
    assert_eq!(extents(&of_node), [1.0; 3]);
}

#[test]
fn an_animation_drives_weights_and_joints() {
    let scene = cube();
    let (line, path) = (Interpolation::Linear, ChannelPath::Weights);
    let grow = Channel::new(NodeId(1), path, line, vec![0.0, 2.0], vec![0.0, 0.0, 1.0, 0.5]);
    let spline = [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0]].concat();
    let ease = Channel::new(NodeId(1), path, Interpolation::CubicSpline, vec![0.0, 1.0], spline);
    // By 1 m/s out of 0, level into 1: (t³ − 2t² + t) + (3t² − 2t³) at a half.
    for (channel, t_s, wanted) in [(grow, 1.0, [1.0, 1.5, 1.5]), (ease, 0.5, [1.0, 1.625, 1.0])] {
        let animation = Animation { channels: vec![channel], ..Animation::default() };
        let made = edited(&scene, Edit::CreateAnimation(animation));
        let pose = sample(&made.scene, made.changed.animations[0], t_s).unwrap();
        assert_eq!(extents(&made.scene.posed(&pose)), wanted);
        assert_eq!(extents(&made.scene), [1.0; 3], "the scene itself stays");
    }

    let scene = leg();
    let keys: Vec<f32> = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0];
    let bend = Channel::new(KNEE, ChannelPath::Rotation, Interpolation::Linear, vec![0.0, 2.0], keys);
    let made = edited(&scene, Edit::CreateAnimation(Animation { channels: vec![bend], ..Animation::default() }));
    let pose = sample(&made.scene, made.changed.animations[0], 1.0).unwrap();
    are_near(&places(&made.scene.posed(&pose), LEG), &[[0.5, 0.0, 0.0], [0.25, 1.25, 0.0], [-1.0, 1.5, 0.0]]);
}

#[test]
fn targets_are_added_before_joints_move() {
    let scene = leg();
    let raised = MorphTarget { positions: vec![[0.0; 3], [0.0; 3], [0.0, 2.0, 0.0]], normals: None };
    let deformation = Deformation { influences: strip_influences(), targets: vec![Arc::new(raised)] };
    let scene = edited(&scene, Edit::SetMesh { node: LEG, mesh: deformable(strip(), deformation) }).scene;
    assert!(scene.node(LEG).unwrap().skin.is_some(), "the new mesh names no more joints");
    let scene = edited(&scene, Edit::SetWeights { node: LEG, weights: vec![0.5] }).scene;
    let bent = turned(&scene, KNEE, QUARTER_TURN_Z);
    are_near(&places(&bent, LEG), &[[0.5, 0.0, 0.0], [0.25, 1.25, 0.0], [-2.0, 1.5, 0.0]]);
}

#[test]
fn normals_are_as_long_after_targets_as_before() {
    let turned = MorphTarget { positions: vec![[0.0; 3]; 3], normals: Some(vec![[-1.0, 1.0, 0.0]; 3]) };
    let deformation = Deformation { influences: Vec::new(), targets: vec![Arc::new(turned)] };
    let (scene, node) = with_mesh(&Scene::default(), named("part"), deformable(strip(), deformation));
    let scene = edited(&scene, Edit::SetWeights { node, weights: vec![0.5] }).scene;
    let normal = scene.bake().meshes[0].normals.as_ref().unwrap()[0];
    assert!((normal - Vector3::new(FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0)).norm() < 1e-12, "{normal}");
}

#[test]
fn primitives_without_normals_are_flat_where_they_stand() {
    let mut mesh = deformable(strip(), Deformation { influences: strip_influences(), targets: Vec::new() });
    let bare = Triangles { positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], normals: None, ..strip() };
    let deformation = Deformation { influences: vec![one(1); 3], targets: Vec::new() };
    mesh.primitives.extend(deformable(bare, deformation).primitives);
    let scene = edited(&leg(), Edit::SetMesh { node: LEG, mesh }).scene;
    // About +X: +Z, where the face looked, becomes −Y.
    let bent = turned(&scene, KNEE, [FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2]);
    let normals = bent.bake().meshes[0].normals.clone().unwrap();
    assert!((normals[5] + Vector3::y()).norm() < 1e-7, "{}", normals[5]);
}

#[test]
fn what_cannot_move_a_mesh_is_refused() {
    let scene = leg();
    let bones = scene.skins().get(&SkinId(1)).unwrap().as_ref().clone();
    let refused = |skin: Skin| apply(&scene, Edit::SetSkin { node: LEG, skin }).unwrap_err();
    assert!(matches!(
        refused(Skin { joints: vec![], inverse_bind_matrices: vec![], ..bones.clone() }),
        EditError::OutOfRange { what: "joints", .. }
    ));
    assert_eq!(refused(Skin { joints: vec![HIP, NodeId(9)], ..bones.clone() }), EditError::NoNode(NodeId(9)));
    assert_eq!(refused(Skin { joints: vec![HIP, HIP], ..bones.clone() }), EditError::JointTwice { joint: HIP });
    let one_only = Skin { joints: vec![HIP], inverse_bind_matrices: vec![], ..bones.clone() };
    assert_eq!(refused(one_only), EditError::JointOutOfRange { joint: 1, joints: 1 });
    let matrices = |matrices: Vec<[f32; 16]>| refused(Skin { inverse_bind_matrices: matrices, ..bones.clone() });
    assert_eq!(matrices(vec![shift([0.0; 3])]), EditError::MatrixCount { given: 1, joints: 2 });
    assert_eq!(matrices(vec![shift([0.0; 3]), [0.0; 16]]), EditError::MatrixNotAffine { joint: 1 });
    let infinite = EditError::NotFinite { what: "inverse_bind_matrices" };
    assert_eq!(matrices(vec![shift([f32::NAN, 0.0, 0.0]); 2]), infinite);

    let (other, node) = with_mesh(&scene, named("box"), cuboid([1.0; 3]));
    let unbound = apply(&other, Edit::SetSkin { node, skin: bones.clone() }).unwrap_err();
    assert_eq!(unbound, EditError::NoJoints);
    let bare = apply(&other, Edit::SetSkin { node: BODY, skin: bones }).unwrap_err();
    assert_eq!(bare, EditError::NoMesh(BODY));
    let unbound = Node { mesh: other.node(node).unwrap().mesh, skin: Some(SkinId(1)), ..named("new") };
    assert_eq!(apply(&other, Edit::CreateNode(unbound)).unwrap_err(), EditError::NoJoints);

    let mesh = |deformation: Deformation| {
        apply(&scene, Edit::SetMesh { node: LEG, mesh: deformable(strip(), deformation) }).unwrap_err()
    };
    let influences =
        |influence: Influence| mesh(Deformation { influences: vec![one(0), influence, one(0)], targets: Vec::new() });
    for weights in [[0.5, 0.25, 0.0, 0.0], [1.5, -0.5, 0.0, 0.0], [0.0; 4], [1.0, 1e-5, 0.0, 0.0]] {
        let given = influences(Influence { joints: [0; 4], weights });
        assert_eq!(given, EditError::InfluenceSum { vertex: 1, weights });
    }
    let nan = influences(Influence { joints: [0; 4], weights: [f32::NAN; 4] });
    assert!(matches!(nan, EditError::InfluenceSum { vertex: 1, .. }));
    let short = mesh(Deformation { influences: vec![one(0)], targets: Vec::new() });
    assert!(matches!(short, EditError::VertexCount { what: "influences", given: 1, positions: 3 }));
    let target = |positions: Vec<[f32; 3]>, normals: Option<Vec<[f32; 3]>>| {
        let target = Arc::new(MorphTarget { positions, normals });
        mesh(Deformation { influences: Vec::new(), targets: vec![target] })
    };
    assert!(matches!(target(vec![[0.0; 3]; 4], None), EditError::VertexCount { given: 4, positions: 3, .. }));
    assert!(matches!(target(vec![[0.0; 3]; 3], Some(vec![])), EditError::VertexCount { given: 0, .. }));
    assert_eq!(target(vec![[f32::INFINITY; 3]; 3], None), EditError::NotFinite { what: "morph targets" });

    let scene = cube();
    let weights = |weights: Vec<f64>| apply(&scene, Edit::SetWeights { node: NodeId(1), weights }).unwrap_err();
    assert!(matches!(weights(vec![1.0]), EditError::TargetCount { what: "weights", given: 1, targets: 2 }));
    assert_eq!(weights(vec![f64::NAN, 0.0]), EditError::NotFinite { what: "weights" });
    let mut uneven = Mesh::clone(scene.meshes().values().next().unwrap());
    uneven.primitives.extend(cuboid([1.0; 3]).primitives);
    let uneven = apply(&scene, Edit::SetMesh { node: NodeId(1), mesh: uneven }).unwrap_err();
    assert!(matches!(uneven, EditError::TargetCount { given: 0, targets: 2, .. }));
}

#[test]
fn a_skin_goes_with_a_joint_and_leaves_what_it_moved() {
    let bent = turned(&leg(), KNEE, QUARTER_TURN_Z);
    let done = edited(&bent, Edit::DeleteNode { node: KNEE });
    let wanted = Changed { nodes: vec![KNEE, LEG], skins: vec![SkinId(1)], ..Changed::default() };
    assert_eq!(done.changed, wanted);
    assert!(done.scene.skins().is_empty());
    are_near(&places(&done.scene, LEG), &[[0.5, 0.0, 0.0], [0.5, 1.0, 0.0], [0.5, 2.0, 0.0]]);
    assert_eq!(Changed::between(&bent, &done.scene), wanted);
    let back = edited(&done.scene, Edit::Restore(bent.clone()));
    assert_eq!((back.changed, back.scene.state_hash()), (wanted, bent.state_hash()));

    let alone = edited(&bent, Edit::DeleteNode { node: LEG });
    assert_eq!(alone.changed.skins, [SkinId(1)], "nothing is bound to it any more");
    assert!(alone.scene.skins().is_empty());
    let whole = edited(&bent, Edit::DeleteNode { node: BODY });
    assert_eq!((whole.changed.nodes.len(), whole.changed.skins), (4, vec![SkinId(1)]));

    let boxed = edited(&bent, Edit::SetMesh { node: LEG, mesh: cuboid([1.0; 3]) });
    assert_eq!((boxed.changed.skins, boxed.scene.node(LEG).unwrap().skin), (vec![SkinId(1)], None));
    let cleared = edited(&bent, Edit::Clear);
    assert_eq!((cleared.changed.skins, cleared.scene.skins().size()), (vec![SkinId(1)], 0));
}

#[test]
fn a_copy_is_bound_to_the_copied_joints() {
    let scene = leg();
    let copy = |node, name: &str| edited(&scene, Edit::CopyNode { node, name: name.into(), share_meshes: true });
    let twin = copy(BODY, "twin");
    assert_eq!(twin.changed.skins, [SkinId(2)]);
    let skin = twin.scene.skins().get(&SkinId(2)).unwrap();
    assert_eq!((skin.joints.as_slice(), skin.skeleton), ([NodeId(6), NodeId(7)].as_slice(), Some(NodeId(6))));
    let bent = turned(&twin.scene, NodeId(7), QUARTER_TURN_Z);
    assert_eq!(places(&bent, LEG), places(&scene, LEG), "the original stays");
    are_near(&places(&bent, NodeId(8)), &[[0.5, 0.0, 0.0], [0.25, 1.25, 0.0], [-1.0, 1.5, 0.0]]);

    let shown_twice = copy(LEG, "leg 2");
    assert!(shown_twice.changed.skins.is_empty());
    assert_eq!(shown_twice.scene.node(NodeId(5)).unwrap().skin, Some(SkinId(1)));
}

#[test]
fn what_deforms_a_scene_is_in_its_hash() {
    let (leg, cube) = (leg(), cube());
    let bones = leg.skins().get(&SkinId(1)).unwrap().as_ref().clone();
    let rebound = |skin: Skin| edited(&leg, Edit::SetSkin { node: LEG, skin }).scene;
    let on_leg = |mesh: Mesh| edited(&leg, Edit::SetMesh { node: LEG, mesh }).scene;
    let on_cube = |change: &dyn Fn(&mut Mesh)| {
        let mut mesh = Mesh::clone(cube.meshes().values().next().unwrap());
        change(&mut mesh);
        edited(&cube, Edit::SetMesh { node: NodeId(1), mesh }).scene
    };
    let target = MorphTarget { positions: vec![[0.0; 3]; 3], normals: None };
    let raised = MorphTarget { positions: vec![[0.0, 0.5, 0.0]; 3], normals: None };
    let with = |influences: Vec<Influence>, targets: Vec<MorphTarget>| {
        let targets = targets.into_iter().map(Arc::new).collect();
        on_leg(deformable(strip(), Deformation { influences, targets }))
    };
    let scenes = [
        rebound(bones.clone()),
        rebound(Skin { name: "other".into(), ..bones.clone() }),
        rebound(Skin { joints: vec![KNEE, HIP], ..bones.clone() }),
        rebound(Skin { skeleton: None, ..bones.clone() }),
        rebound(Skin { inverse_bind_matrices: Vec::new(), ..bones }),
        with(strip_influences(), Vec::new()),
        with(vec![one(0), one(1), one(1)], Vec::new()),
        with(strip_influences(), vec![target.clone()]),
        with(strip_influences(), vec![raised]),
        with(strip_influences(), vec![target.clone(), target]),
        on_cube(&|_| ()),
        on_cube(&|mesh| mesh.weights = vec![0.5, 0.0]),
        on_cube(&|mesh| mesh.target_names = Vec::new()),
        edited(&cube, Edit::SetWeights { node: NodeId(1), weights: vec![0.0, 0.0] }).scene,
        leg.clone(),
        cube.clone(),
    ];
    let hashes: BTreeSet<StateHash> = scenes.iter().map(Scene::state_hash).collect();
    assert_eq!(hashes.len(), scenes.len());
}
