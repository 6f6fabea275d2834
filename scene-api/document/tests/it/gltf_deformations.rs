//! Skins and morph targets from files and into files.

use crate::deformations::{deformable, shift};
use crate::glb::{chunks, glb_of};
use crate::gltf_animations::{push, push_floats};
use crate::gltf_data::{cases, error_codes, with_file};
use crate::gltf_read::triangle;
use crate::scenes::{edited, named, with_mesh, with_node};
use nalgebra::Point3;
use scene_document::gltf::{Import, Limits, ReadError, Severity, check, read, write_glb};
use scene_document::{
    Animation, AnimationId, Channel, ChannelPath, Deformation, Edit, Influence, Interpolation, Mesh, MorphTarget, Node,
    NodeId, Scene, Skin, SkinId, Triangles, Trs, sample,
};
use serde_json::{Value, json};
use std::sync::Arc;

fn nothing(_: &str) -> Option<Vec<u8>> {
    None
}

/// A file without errors.
fn read_back(glb: &[u8]) -> Import {
    let import = read(glb, &nothing, &Limits::default()).unwrap();
    let faults: Vec<_> = import.issues.iter().filter(|issue| issue.severity == Severity::Error).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    import
}

/// The same numbers on every machine.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// In −2 to 2.
    fn number(&mut self) -> f32 {
        self.below(4001) as f32 / 1000.0 - 2.0
    }

    fn vectors(&mut self, count: usize) -> Vec<[f32; 3]> {
        (0..count).map(|_| [self.number(), self.number(), self.number()]).collect()
    }

    /// As many different joints as there can be; weights in 256ths, so that they sum to one exactly.
    fn influence(&mut self, joints: u64) -> Influence {
        let (first, used, mut left) = (self.below(joints), joints.min(4), 256);
        let mut influence = Influence::default();
        for place in 0..used {
            let share = if place + 1 == used { left } else { self.below(left + 1) };
            influence.joints[place as usize] = ((first + place) % joints) as u16;
            influence.weights[place as usize] = share as f32 / 256.0;
            left -= share;
        }
        influence
    }
}

/// A chain of joints and as many as four meshes with random influences and targets, and an animation of weights.
fn drawn(seed: u64) -> Scene {
    let draws = &mut Draws(seed);
    let (mut scene, mut joints) = (Scene::default(), Vec::<NodeId>::new());
    for place in 0..1 + draws.below(5) {
        let transform = Trs::from_translation([f64::from(draws.number()), f64::from(draws.number()), 0.5]);
        let node = Node { parent: joints.last().copied(), transform, ..named(&format!("joint {place}")) };
        let (after, joint) = with_node(&scene, node);
        scene = after;
        joints.push(joint);
    }
    for place in 0..1 + draws.below(4) {
        let vertices = 3 + draws.below(20) as usize;
        let has_normals = draws.below(2) == 0;
        let triangles = Triangles {
            positions: draws.vectors(vertices),
            normals: has_normals.then(|| vec![[0.0, 0.0, 1.0]; vertices]),
            uvs: None,
            triangles: vec![[0, 1, 2]; 1 + draws.below(3) as usize],
        };
        let is_skinned = draws.below(3) > 0;
        let influences: Vec<Influence> =
            if is_skinned { (0..vertices).map(|_| draws.influence(joints.len() as u64)).collect() } else { Vec::new() };
        let targets: Vec<Arc<MorphTarget>> = (0..draws.below(4))
            .map(|_| {
                let positions = draws.vectors(vertices);
                let normals = (has_normals && draws.below(2) == 0).then(|| draws.vectors(vertices));
                Arc::new(MorphTarget { positions, normals })
            })
            .collect();
        let count = targets.len();
        let mut mesh = deformable(triangles, Deformation { influences, targets });
        if draws.below(2) == 0 {
            mesh.target_names = (0..count).map(|target| format!("target {target}")).collect();
            mesh.weights = (0..count).map(|_| f64::from(draws.number())).collect();
        }
        let (after, node) = with_mesh(&scene, named(&format!("mesh {place}")), mesh);
        scene = after;
        if is_skinned {
            let matrices = joints.iter().map(|_| shift([draws.number(), draws.number(), 0.0])).collect();
            let skin = Skin {
                name: format!("skin {place}"),
                joints: joints.clone(),
                inverse_bind_matrices: if draws.below(3) == 0 { Vec::new() } else { matrices },
                skeleton: (draws.below(2) == 0).then(|| joints[0]),
                ..Skin::default()
            };
            scene = edited(&scene, Edit::SetSkin { node, skin }).scene;
        }
        if count > 0 {
            let weights = (0..count).map(|_| f64::from(draws.number())).collect();
            scene = edited(&scene, Edit::SetWeights { node, weights }).scene;
            let interpolation = Interpolation::ALL[draws.below(3) as usize];
            let numbers = 2 * interpolation.values_per_key() * count;
            let values = (0..numbers).map(|_| draws.number()).collect();
            let channel = Channel::new(node, ChannelPath::Weights, interpolation, vec![0.0, 1.5], values);
            let animation = Animation { channels: vec![channel], ..Animation::default() };
            scene = edited(&scene, Edit::CreateAnimation(animation)).scene;
        }
    }
    scene
}

fn assert_same(back: &Scene, scene: &Scene, seed: u64) {
    assert_eq!(back.nodes().iter().collect::<Vec<_>>(), scene.nodes().iter().collect::<Vec<_>>(), "seed {seed}");
    for ((id, back), (_, mesh)) in back.meshes().iter().zip(scene.meshes()) {
        assert_eq!((&back.weights, &back.target_names), (&mesh.weights, &mesh.target_names), "seed {seed}: {id}");
        let parts = |mesh: &Mesh| {
            let geometries = mesh.primitives.iter().map(|primitive| &primitive.geometry);
            geometries
                .map(|part| (part.triangles(), part.deformation().cloned().unwrap_or_default()))
                .collect::<Vec<_>>()
        };
        assert_eq!(parts(back), parts(mesh), "seed {seed}: {id}");
    }
    let skins = |scene: &Scene| {
        let bare = |skin: &Arc<Skin>| Skin { accessor: None, ..Skin::clone(skin) };
        scene.skins().iter().map(|(id, skin)| (*id, bare(skin))).collect::<Vec<(SkinId, Skin)>>()
    };
    assert_eq!(skins(back), skins(scene), "seed {seed}");
    for id in scene.animations().keys() {
        for t_s in [0.0, 0.4, 1.5] {
            assert_eq!(sample(back, *id, t_s), sample(scene, *id, t_s), "seed {seed}: {id}");
        }
    }
    let places = |scene: &Scene| scene.bake().meshes.into_iter().map(|mesh| mesh.positions).collect::<Vec<_>>();
    assert_eq!(places(back), places(scene), "seed {seed}");
}

#[test]
fn what_deforms_a_scene_is_read_back_equal() {
    for seed in 0..200 {
        let scene = drawn(seed);
        let glb = write_glb(&scene).unwrap();
        assert_eq!(glb, write_glb(&drawn(seed)).unwrap(), "seed {seed}");
        let back = read_back(&glb);
        assert!(back.not_evaluated.is_empty(), "seed {seed}: {:?}", back.not_evaluated);
        assert_same(&back.scene, &scene, seed);
        let second = write_glb(&back.scene).unwrap();
        assert_eq!(chunks(&second).1, chunks(&glb).1, "seed {seed}: nothing is written twice");
        let again = read_back(&second).scene;
        assert_eq!(again.skins(), back.scene.skins(), "seed {seed}");
        assert_same(&again, &scene, seed);
        assert_eq!(write_glb(&again).unwrap(), second, "seed {seed}");
    }
}

#[test]
fn accessors_are_as_gltf_has_them() {
    let scene = (0..).map(drawn).find(|scene| !scene.skins().is_empty()).unwrap();
    let (json, _) = chunks(&write_glb(&scene).unwrap());
    let skinned = |mesh: &&Value| mesh["primitives"][0]["attributes"].get("JOINTS_0").is_some();
    let mesh = json["meshes"].as_array().unwrap().iter().find(skinned).unwrap();
    let accessor = |place: &Value| &json["accessors"][place.as_u64().unwrap() as usize];
    let attributes = &mesh["primitives"][0]["attributes"];
    let (joints, weights) = (accessor(&attributes["JOINTS_0"]), accessor(&attributes["WEIGHTS_0"]));
    assert_eq!((&joints["componentType"], &joints["type"]), (&json!(5123), &json!("VEC4")));
    assert_eq!((&weights["componentType"], &weights["type"]), (&json!(5126), &json!("VEC4")));
}

/// One triangle bound to the joints `hip` and `knee` (1 m above it); joints are bytes, weights normalised shorts.
fn bound() -> (Value, Vec<u8>) {
    let (mut json, mut bin) = triangle();
    let joints = [[0_u8, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]].concat();
    let joints = push(&mut json, &mut bin, &joints, json!({"componentType": 5121, "count": 3, "type": "VEC4"}));
    let weights: Vec<u8> = [[16384_u16, 49151, 0, 0], [65535, 0, 0, 0], [65535, 0, 0, 0]]
        .as_flattened()
        .iter()
        .flat_map(|weight| weight.to_le_bytes())
        .collect();
    let accessor = json!({"componentType": 5123, "normalized": true, "count": 3, "type": "VEC4"});
    let weights = push(&mut json, &mut bin, &weights, accessor);
    let matrices = [shift([0.0; 3]), shift([0.0, -1.0, 0.0])].concat();
    let accessor = json!({"componentType": 5126, "count": 2, "type": "MAT4"});
    let matrices = push_floats(&mut json, &mut bin, &matrices, accessor);
    json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = json!(joints);
    json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(weights);
    json["skins"] = json!([
        {"joints": [0]},
        {"joints": [1, 2], "inverseBindMatrices": matrices, "skeleton": 1, "name": "leg", "extras": {"by": "hand"}},
    ]);
    json["nodes"] = json!([
        {"mesh": 0, "skin": 1, "name": "part"}, {"name": "hip", "children": [2]},
        {"name": "knee", "translation": [0, 1, 0]},
    ]);
    json["scenes"] = json!([{"nodes": [0, 1]}]);
    (json, bin)
}

#[test]
fn integers_are_read_as_joints_and_weights() {
    let (json, bin) = bound();
    let import = read_back(&glb_of(&json, &bin));
    assert!(import.not_evaluated.is_empty());
    let scene = import.scene;
    assert_eq!(scene.skins().size(), 1, "the other skin moves nothing");
    let skin = scene.skins().get(&SkinId(1)).unwrap();
    assert_eq!((skin.name.as_str(), skin.joints.as_slice()), ("leg", [NodeId(2), NodeId(3)].as_slice()));
    assert_eq!((skin.skeleton, skin.inverse_bind_matrices[1]), (Some(NodeId(2)), shift([0.0, -1.0, 0.0])));
    let knee = Trs::from_translation([0.0, 3.0, 0.0]);
    let raised = edited(&scene, Edit::SetTransform { node: NodeId(3), transform: knee }).scene;
    let heights: Vec<f64> = raised.bake().meshes[0].positions.iter().map(|position| position.y).collect();
    // The knee went up by 2 m: the first corner follows for 49151 of 65535 parts, the second wholly.
    for (given, wanted) in heights.iter().zip([2.0 * 49151.0 / 65535.0, 2.0, 1.0]) {
        assert!((given - wanted).abs() < 1e-6, "{heights:?}");
    }
    let (written, _) = chunks(&write_glb(&raised).unwrap());
    let accessor = &json["skins"][1]["inverseBindMatrices"];
    let wanted = json!([{
        "name": "leg", "joints": [1, 2], "skeleton": 1, "inverseBindMatrices": accessor, "extras": {"by": "hand"},
    }]);
    assert_eq!((&written["skins"], &written["nodes"][0]["skin"]), (&wanted, &json!(0)));
}

#[test]
fn further_joints_are_said_not_to_count() {
    let (mut json, bin) = bound();
    let attributes = &mut json["meshes"][0]["primitives"][0]["attributes"];
    let (joints, weights) = (attributes["JOINTS_0"].clone(), attributes["WEIGHTS_0"].clone());
    attributes["JOINTS_1"] = joints;
    attributes["WEIGHTS_1"] = weights;
    let import = read(&glb_of(&json, &bin), &nothing, &Limits::default()).unwrap();
    let what: Vec<&str> = import.not_evaluated.iter().map(|feature| feature.what).collect();
    assert_eq!(what, ["JOINTS_1"]);
}

#[test]
fn damaged_skins_and_targets_are_refused_with_a_place() {
    let damaged = |damage: &dyn Fn(&mut Value, &mut Vec<u8>)| {
        let (mut json, mut bin) = bound();
        json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": 0}]);
        damage(&mut json, &mut bin);
        glb_of(&json, &bin)
    };
    let whole = damaged(&|_, _| ());
    assert_eq!(error_codes(&check(&whole, &nothing)).len(), 0);
    read_back(&whole);
    let refused = |file: &[u8], code: &str| match read(file, &nothing, &Limits::default()) {
        Err(ReadError::Invalid { issues }) => {
            let place = issues.iter().find(|issue| issue.code == code).map(|issue| issue.pointer.clone());
            assert!(place.is_some_and(|place| place.len() > 1), "{code}: {issues:#?}");
        }
        other => panic!("{code}: {other:?}"),
    };
    let attribute = |json: &Value, name: &str| json["meshes"][0]["primitives"][0]["attributes"][name].as_u64().unwrap();
    let outside = damaged(&|json, bin| {
        let view = json["accessors"][attribute(json, "JOINTS_0") as usize]["bufferView"].as_u64().unwrap();
        let start = json["bufferViews"][view as usize]["byteOffset"].as_u64().unwrap();
        bin[start as usize] = 9;
    });
    refused(&outside, "ACCESSOR_JOINTS_INDEX_OOB");
    let format = damaged(&|json, _| {
        let place = attribute(json, "WEIGHTS_0") as usize;
        json["accessors"][place]["normalized"] = json!(false);
    });
    refused(&format, "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT");
    let fewer = damaged(&|json, _| {
        let place = attribute(json, "WEIGHTS_0") as usize;
        json["accessors"][place]["count"] = json!(2);
    });
    refused(&fewer, "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT");
    let target = damaged(&|json, bin| {
        let accessor = json!({"componentType": 5126, "count": 2, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0]});
        let place = push_floats(json, bin, &[0.0; 6], accessor);
        json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": place}]);
    });
    refused(&target, "MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT");
    let nan = damaged(&|json, bin| {
        let accessor = json!({"componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0]});
        let place = push_floats(json, bin, &[f32::NAN; 9], accessor);
        json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": place}]);
    });
    refused(&nan, "ACCESSOR_INVALID_FLOAT");
    let none = damaged(&|json, _| json["skins"][1]["joints"] = json!([1, 7]));
    refused(&none, "UNRESOLVED_REFERENCE");
    let twice = damaged(&|json, _| json["skins"][1]["joints"] = json!([1, 1]));
    refused(&twice, "DUPLICATE_ELEMENTS");
    let elsewhere = damaged(&|json, _| json["scenes"][0]["nodes"] = json!([0]));
    refused(&elsewhere, "NODE_SKIN_NO_SCENE");
    let matrices = damaged(&|json, _| {
        let place = json["skins"][1]["inverseBindMatrices"].as_u64().unwrap() as usize;
        json["accessors"][place]["count"] = json!(1);
    });
    refused(&matrices, "INVALID_IBM_ACCESSOR_COUNT");

    let sum = damaged(&|json, bin| {
        let view = json["accessors"][attribute(json, "WEIGHTS_0") as usize]["bufferView"].as_u64().unwrap();
        let start = json["bufferViews"][view as usize]["byteOffset"].as_u64().unwrap() as usize;
        bin[start..start + 2].copy_from_slice(&[0, 0]);
    });
    let row = damaged(&|json, bin| {
        let accessor = json["skins"][1]["inverseBindMatrices"].as_u64().unwrap() as usize;
        let view = json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
        let start = json["bufferViews"][view]["byteOffset"].as_u64().unwrap() as usize;
        bin[start + 60..start + 64].copy_from_slice(&2.0_f32.to_le_bytes());
    });
    for (file, code) in [(sum, "ACCESSOR_WEIGHTS_NON_NORMALIZED"), (row, "ACCESSOR_INVALID_IBM")] {
        let import = read(&file, &nothing, &Limits::default()).unwrap();
        assert!(error_codes(&import.issues).contains(code), "{code}: {:#?}", import.issues);
    }
}

/// Accessors of zeros take no bytes of the file.
#[test]
fn targets_are_counted_before_they_are_made() {
    let (mut json, bin) = triangle();
    let zeros = json!({"componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0]});
    json["accessors"].as_array_mut().unwrap().push(zeros);
    json["meshes"][0]["primitives"][0]["targets"] = Value::Array(vec![json!({"POSITION": 2}); 10]);
    let file = glb_of(&json, &bin);
    let scene = read_back(&file).scene;
    assert_eq!(scene.meshes().values().next().unwrap().morph_target_count(), 10);
    assert!(read(&file, &nothing, &Limits { deformation_numbers: 90, ..Limits::default() }).is_ok());
    let refused = read(&file, &nothing, &Limits { deformation_numbers: 89, ..Limits::default() }).err();
    let what = "numbers of joints and morph targets";
    assert_eq!(refused, Some(ReadError::LimitExceeded { what, given: 90, allowed: 89 }));
}

#[test]
fn names_and_weights_stay_with_their_mesh() {
    let (mut json, bin) = triangle();
    json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": 0}]);
    json["meshes"][0]["weights"] = json!([0.25]);
    json["meshes"][0]["extras"] = json!({"targetNames": ["smile"], "by": "hand"});
    let scene = read_back(&glb_of(&json, &bin)).scene;
    let mesh = scene.meshes().values().next().unwrap();
    assert_eq!(
        (mesh.weights.as_slice(), mesh.target_names.as_slice()),
        ([0.25].as_slice(), ["smile".to_owned()].as_slice())
    );
    assert_eq!(scene.bake().meshes[0].positions[1], Point3::new(1.25, 0.0, 0.0));
    let (written, _) = chunks(&write_glb(&scene).unwrap());
    assert_eq!(written["meshes"][0]["extras"], json["meshes"][0]["extras"]);
    assert_eq!(written["meshes"][0]["weights"], json!([0.25]));
    json["meshes"][0]["extras"] = json!({"targetNames": ["smile", "frown"]});
    let import = read(&glb_of(&json, &bin), &nothing, &Limits::default()).unwrap();
    assert!(import.scene.meshes().values().next().unwrap().target_names.is_empty());
    let (written, _) = chunks(&write_glb(&import.scene).unwrap());
    assert_eq!(written["meshes"][0]["extras"], json["meshes"][0]["extras"], "kept as it was");
}

/// Files of the data folder that can be read and hold a skin or morph targets.
fn deformable_files(mut use_it: impl FnMut(&str, Scene)) {
    for case in cases("3d/gltf", ".validator.json") {
        let result = with_file(&case.path, |bytes, resolve| read(bytes, resolve, &Limits::default()));
        let Ok(Import { scene, .. }) = result else { continue };
        if !scene.skins().is_empty() || scene.meshes().values().any(|mesh| mesh.morph_target_count() > 0) {
            use_it(&case.path.display().to_string(), scene);
        }
    }
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn skins_and_targets_of_real_files_come_back_equal() {
    let (mut skinned, mut morphed) = (0, 0);
    deformable_files(|name, scene| {
        skinned += usize::from(!scene.skins().is_empty());
        morphed += usize::from(scene.meshes().values().any(|mesh| mesh.morph_target_count() > 0));
        let glb = write_glb(&scene).unwrap();
        let again = read(&glb, &nothing, &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}")).scene;
        assert_eq!(again.skins(), scene.skins(), "{name}");
        assert_eq!(again.meshes(), scene.meshes(), "{name}");
        let weights = |scene: &Scene| scene.nodes().values().map(|node| node.weights.clone()).collect::<Vec<_>>();
        assert_eq!(weights(&again), weights(&scene), "{name}");
        for (mesh, wanted) in again.bake().meshes.iter().zip(&scene.bake().meshes) {
            assert_eq!(mesh.positions, wanted.positions, "{name}");
        }
    });
    println!("{skinned} files with skins, {morphed} with morph targets");
    assert!(skinned >= 4 && morphed >= 8, "{skinned} files with skins, {morphed} with morph targets");
}

/// The bounds were computed by another program, in another language, from the formulas of glTF 2.0.
#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn real_files_stand_where_the_formulas_put_them() {
    let bounds = |scene: &Scene| {
        let positions: Vec<_> = scene.bake().meshes.into_iter().flat_map(|mesh| mesh.positions).collect();
        let along = |axis: usize| positions.iter().map(move |position| position[axis]).collect::<Vec<f64>>();
        let least = [0, 1, 2].map(|axis| along(axis).into_iter().fold(f64::MAX, f64::min));
        [least, [0, 1, 2].map(|axis| along(axis).into_iter().fold(f64::MIN, f64::max))].concat()
    };
    let posed = |scene: &Scene, t_s: f64| scene.posed(&sample(scene, AnimationId(1), t_s).unwrap());
    let weighted = |scene: &Scene, weights: &[f64]| {
        let morphs = |id: &NodeId| {
            let mesh = scene.node(*id).and_then(|node| node.mesh);
            mesh.and_then(|mesh| scene.meshes().get(&mesh)).is_some_and(|mesh| mesh.morph_target_count() > 0)
        };
        let node = *scene.nodes().keys().find(|id| morphs(id)).unwrap();
        edited(scene, Edit::SetWeights { node, weights: weights.to_vec() }).scene
    };
    let mut seen = 0;
    deformable_files(|name, scene| {
        let (stands, wanted) = if name.ends_with("CesiumMan.glb") {
            let wanted = [-0.130_999_9, 0.0, -0.569_136_8, 0.180_954_0, 1.506_549_7, 0.569_136_9];
            (scene, wanted)
        } else if name.ends_with("bevy/SimpleSkin/SimpleSkin.gltf") {
            (posed(&scene, 0.75), [-1.115_201_7, 0.0, 0.0, 0.538_303_7, 1.844_442_8, 0.0])
        } else if name.ends_with("khronos-samples/AnimatedMorphCube/AnimatedMorphCube.gltf") {
            (weighted(&scene, &[0.5, 0.25]), [-1.0, -1.0, -1.0, 1.0, 1.0, 0.053_373_6])
        } else if name.ends_with("singleBlendshapeCube_sparse.glb") {
            (weighted(&scene, &[0.5]), [-0.005, -0.005, -0.005, 0.0125, 0.005, 0.005])
        } else if name.ends_with("assimp/SimpleMorph/SimpleMorph.gltf") {
            (posed(&scene, 1.25), [0.0, 0.0, 0.0, 1.25, 1.75, 0.0])
        } else {
            return;
        };
        let given = bounds(&stands);
        let off = given.iter().zip(&wanted).map(|(given, wanted)| (given - wanted).abs()).fold(0.0, f64::max);
        assert!(off < 1e-5, "{name}: {given:?} is not {wanted:?}");
        seen += 1;
    });
    assert_eq!(seen, 5);
}
