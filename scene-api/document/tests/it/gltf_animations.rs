//! Animations from files and into files, with the skins and morph targets beside them.

use crate::glb::{chunks, glb_of};
use crate::gltf_data::{cases, error_codes, with_file};
use crate::gltf_read::triangle;
use crate::scenes::{cuboid, edited, id_of, named, table, with_node};
use scene_document::gltf::{Import, Limits, ReadError, Severity, check, read, write_glb, write_gltf};
use scene_document::{
    Animation, AnimationId, Channel, ChannelPath, Edit, EditError, Interpolation, NodeId, Scene, Trs, apply, sample,
};
use serde_json::{Value, json};
use std::sync::Arc;

fn nothing(_: &str) -> Option<Vec<u8>> {
    None
}

fn read_back(glb: &[u8]) -> Import {
    let import = read(glb, &nothing, &Limits::default()).unwrap();
    let faults: Vec<_> = import.issues.iter().filter(|issue| issue.severity != Severity::Information).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    import
}

fn only(scene: &Scene) -> &Animation {
    assert_eq!(scene.animations().size(), 1);
    scene.animations().get(&AnimationId(1)).unwrap()
}

/// Appends bytes and an accessor of them; its index.
pub(crate) fn push(json: &mut Value, bin: &mut Vec<u8>, bytes: &[u8], mut accessor: Value) -> usize {
    bin.resize(bin.len().next_multiple_of(4), 0);
    let views = json["bufferViews"].as_array_mut().unwrap();
    views.push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()}));
    accessor["bufferView"] = json!(views.len() - 1);
    bin.extend_from_slice(bytes);
    json["buffers"][0]["byteLength"] = json!(bin.len());
    let accessors = json["accessors"].as_array_mut().unwrap();
    accessors.push(accessor);
    accessors.len() - 1
}

pub(crate) fn push_floats(json: &mut Value, bin: &mut Vec<u8>, numbers: &[f32], accessor: Value) -> usize {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    push(json, bin, &bytes, accessor)
}

/// Key times 0 s and 2 s.
fn push_times(json: &mut Value, bin: &mut Vec<u8>) -> usize {
    let accessor = json!({"componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [2]});
    push_floats(json, bin, &[0.0, 2.0], accessor)
}

#[test]
fn what_is_animated_here_is_read_back() {
    let scene = table();
    let (top, ball) = (id_of(&scene, "top"), id_of(&scene, "ball"));
    let channel = |node, path, interpolation, values: &[f32]| {
        Channel::new(node, path, interpolation, vec![0.25, 1.5], values.to_vec())
    };
    let quarter = [0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8];
    let channels = vec![
        channel(top, ChannelPath::Scale, Interpolation::Step, &[1.0, 1.0, 1.0, 2.0, 1.0, 1.0]),
        channel(top, ChannelPath::Rotation, Interpolation::Linear, &quarter),
        channel(ball, ChannelPath::Translation, Interpolation::CubicSpline, &[0.5; 18]),
    ];
    let open = Animation { name: "open".into(), channels, ..Animation::default() };
    let scene = edited(&scene, Edit::CreateAnimation(open)).scene;
    let scene = edited(&scene, Edit::CreateAnimation(Animation::default())).scene;

    let glb = write_glb(&scene).unwrap();
    let (json, _) = chunks(&glb);
    assert_eq!(json["animations"].as_array().unwrap().len(), 1, "one has no channel yet");
    let samplers = json["animations"][0]["samplers"].as_array().unwrap();
    let input = |place: usize| &samplers[place]["input"];
    assert_eq!((samplers.len(), input(0) == input(1), input(1) == input(2)), (3, true, true));
    let times = &json["accessors"][input(0).as_u64().unwrap() as usize];
    assert_eq!((&times["min"], &times["max"]), (&json!([0.25]), &json!([1.5])));

    let back = read_back(&glb).scene;
    let (read, wanted) = (only(&back), scene.animations().get(&AnimationId(1)).unwrap());
    assert_eq!((&read.name, read.channels.len()), (&wanted.name, wanted.channels.len()));
    for (read, wanted) in read.channels.iter().zip(&wanted.channels) {
        assert!(read.sampler.is_some());
        assert_eq!(&Channel { sampler: None, ..read.clone() }, wanted);
    }
    let second = write_glb(&back).unwrap();
    let again = read_back(&second).scene;
    assert_eq!(only(&again), only(&back));
    assert_eq!(chunks(&second).1, chunks(&glb).1, "keys are not written a second time");
    assert_eq!(write_glb(&again).unwrap(), second);
}

#[test]
fn integers_and_sparse_keys_are_read() {
    let (mut json, mut bin) = triangle();
    let input = push_times(&mut json, &mut bin);
    let turned: Vec<u8> = [0_i16, 0, 0, 32767, 0, 19660, 0, 26214].iter().flat_map(|part| part.to_le_bytes()).collect();
    let accessor = json!({"componentType": 5122, "normalized": true, "count": 2, "type": "VEC4"});
    let rotation = push(&mut json, &mut bin, &turned, accessor);
    // The second of two elements is given, the first is zero.
    let translation = push_floats(&mut json, &mut bin, &[1.0, 2.0, 3.0], json!({}));
    let values = json["accessors"][translation]["bufferView"].clone();
    let places = push(&mut json, &mut bin, &[1], json!({}));
    let indices = json["accessors"][places]["bufferView"].clone();
    json["accessors"].as_array_mut().unwrap().truncate(places);
    let sparse = json!({
        "count": 1, "indices": {"bufferView": indices, "componentType": 5121}, "values": {"bufferView": values},
    });
    json["accessors"][translation] = json!({"componentType": 5126, "count": 2, "type": "VEC3", "sparse": sparse});
    json["animations"] = json!([{
        "samplers": [
            {"input": input, "output": rotation, "interpolation": "STEP"}, {"input": input, "output": translation},
        ],
        "channels": [
            {"sampler": 0, "target": {"node": 0, "path": "rotation"}},
            {"sampler": 1, "target": {"node": 0, "path": "translation"}, "extras": 7},
        ],
    }]);
    let scene = read_back(&glb_of(&json, &bin)).scene;
    let [moved, turned] = only(&scene).channels.as_slice() else { panic!("two channels") };
    assert_eq!((moved.path, moved.interpolation), (ChannelPath::Translation, Interpolation::Linear));
    assert_eq!(moved.times_s, [0.0, 2.0]);
    assert_eq!(moved.values, [0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
    assert_eq!(turned.interpolation, Interpolation::Step);
    let last = &turned.values[4..];
    assert!((last[1] - 0.6).abs() < 1e-4 && (last[3] - 0.8).abs() < 1e-4, "{last:?}");
    assert_eq!(sample(&scene, AnimationId(1), 1.0).unwrap().transforms[&NodeId(1)].translation, [0.5, 1.0, 1.5]);
    let (written, _) = chunks(&write_glb(&scene).unwrap());
    assert_eq!(written["animations"][0]["channels"][0]["extras"], 7);
}

/// A node `part` with a morphed triangle, its weights driven from 0 to 1 in 2 s.
fn morphed() -> (Value, Vec<u8>) {
    let (mut json, mut bin) = triangle();
    json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": 0}]);
    let input = push_times(&mut json, &mut bin);
    let accessor = json!({"componentType": 5126, "count": 2, "type": "SCALAR"});
    let output = push_floats(&mut json, &mut bin, &[0.0, 1.0], accessor);
    json["animations"] = json!([{
        "name": "bulge", "samplers": [{"input": input, "output": output}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
    }]);
    (json, bin)
}

#[test]
fn weights_are_sampled_and_go_with_their_targets() {
    let (json, bin) = morphed();
    let scene = read_back(&glb_of(&json, &bin)).scene;
    let node = id_of(&scene, "part");
    assert_eq!(sample(&scene, AnimationId(1), 0.5).unwrap().weights[&node], [0.25]);
    let more = Channel::new(node, ChannelPath::Weights, Interpolation::Step, vec![0.0], vec![0.5]);
    let set = edited(&scene, Edit::SetChannel { animation: AnimationId(1), channel: more.clone() }).scene;
    assert_eq!(only(&read_back(&write_glb(&set).unwrap()).scene).channels[0].values, [0.5]);
    let two = Channel { values: vec![0.5, 0.5], ..more };
    let refused = apply(&scene, Edit::SetChannel { animation: AnimationId(1), channel: two }).unwrap_err();
    assert_eq!(refused, EditError::ValueCount { given: 2, wanted: 1 });

    let boxed = edited(&scene, Edit::SetMesh { node, mesh: cuboid([1.0; 3]) });
    assert_eq!(boxed.changed.animations, [AnimationId(1)]);
    assert!(boxed.scene.animations().is_empty());
    assert_eq!(chunks(&write_glb(&boxed.scene).unwrap()).0.get("animations"), None);
}

#[test]
fn channels_that_are_not_understood_are_kept_once() {
    let (mut json, bin) = morphed();
    let pointer = json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/0/weights"}}});
    json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
    json["animations"][0]["samplers"].as_array_mut().unwrap().insert(0, json!({"input": 2, "output": 3, "extras": 1}));
    json["animations"][0]["channels"][0]["sampler"] = json!(1);
    json["animations"][0]["channels"].as_array_mut().unwrap().push(json!({"sampler": 0, "target": pointer}));
    json["animations"][0]["extras"] = json!({"by": "hand"});
    let import = read(&glb_of(&json, &bin), &nothing, &Limits::default()).unwrap();
    let said = import.issues.iter().find(|issue| issue.code == "ANIMATION_CHANNEL_NOT_READ").unwrap();
    assert_eq!((said.severity, said.pointer.as_str()), (Severity::Information, "/animations/0"));
    let channels = |scene: &Scene| {
        let (written, _) = write_gltf(scene).unwrap();
        let [animation] = written["animations"].as_array().unwrap().as_slice() else { panic!("one animation") };
        assert_eq!((&animation["name"], &animation["extras"]), (&json!("bulge"), &json!({"by": "hand"})));
        let sampler = &animation["samplers"][animation["channels"][0]["sampler"].as_u64().unwrap() as usize];
        assert_eq!(sampler["extras"], 1, "the kept channel comes first, with its own sampler");
        animation["channels"].as_array().unwrap().iter().map(|channel| channel["target"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(channels(&import.scene), [pointer.clone(), json!({"node": 0, "path": "weights"})]);
    let node = id_of(&import.scene, "part");
    let boxed = edited(&import.scene, Edit::SetMesh { node, mesh: cuboid([1.0; 3]) }).scene;
    assert_eq!(channels(&boxed), [pointer]);
    let again = read(&write_glb(&import.scene).unwrap(), &nothing, &Limits::default()).unwrap().scene;
    assert_eq!(only(&again), only(&import.scene));
}

#[test]
fn faulty_channels_are_kept_and_give_way_to_an_edit() {
    let (mut json, mut bin) = triangle();
    let accessor = json!({"componentType": 5126, "count": 2, "type": "SCALAR", "min": [1], "max": [1]});
    let input = push_floats(&mut json, &mut bin, &[1.0, 1.0], accessor);
    let accessor = json!({"componentType": 5126, "count": 2, "type": "VEC3"});
    let output = push_floats(&mut json, &mut bin, &[0.0; 6], accessor);
    let channel = |path: &str| json!({"sampler": 0, "target": {"node": 0, "path": path}});
    json["animations"] = json!([{
        "samplers": [{"input": input, "output": output}], "channels": [channel("translation"), channel("scale")],
    }]);
    let scene = read(&glb_of(&json, &bin), &nothing, &Limits::default()).unwrap().scene;
    assert!(only(&scene).channels.is_empty(), "no time may come twice");
    let written = write_gltf(&scene).unwrap().0;
    assert_eq!(written["animations"][0]["channels"], json!([channel("translation"), channel("scale")]));

    let path = ChannelPath::Scale;
    let channel = Channel::new(NodeId(1), path, Interpolation::Linear, vec![0.0, 1.0], vec![1.0; 6]);
    let scene = edited(&scene, Edit::SetChannel { animation: AnimationId(1), channel }).scene;
    let written = write_gltf(&scene).unwrap().0;
    let channels = written["animations"][0]["channels"].as_array().unwrap();
    let paths: Vec<&Value> = channels.iter().map(|channel| &channel["target"]["path"]).collect();
    assert_eq!(paths, ["translation", "scale"], "nothing is driven twice");
}

#[test]
fn keys_that_mean_nothing_are_errors_of_the_file() {
    let turn = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    /// Times, values, path, interpolation, code.
    type Case<'a> = ([f32; 2], &'a [f32], &'a str, &'a str, Option<&'a str>);
    let cases: [Case; 6] = [
        ([0.0, 1.0], &turn, "rotation", "LINEAR", None),
        ([1.0, 1.0], &turn, "rotation", "LINEAR", Some("ACCESSOR_ANIMATION_INPUT_NON_INCREASING")),
        ([-1.0, 1.0], &turn, "rotation", "STEP", Some("ACCESSOR_ANIMATION_INPUT_NEGATIVE")),
        (
            [0.0, 1.0],
            &[0.0; 8],
            "rotation",
            "LINEAR",
            Some("ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION"),
        ),
        ([0.0, 1.0], &[0.0; 6], "scale", "CUBICSPLINE", Some("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT")),
        ([0.0, 1.0], &[0.0; 3], "scale", "STEP", Some("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT")),
    ];
    for (times_s, values, path, interpolation, code) in cases {
        let (mut json, mut bin) = triangle();
        let least = times_s[0].min(times_s[1]);
        let bounds = json!({
            "componentType": 5126, "count": 2, "type": "SCALAR", "min": [least], "max": [times_s[1]],
        });
        let input = push_floats(&mut json, &mut bin, &times_s, bounds);
        let (kind, width) = if path == "rotation" { ("VEC4", 4) } else { ("VEC3", 3) };
        let accessor = json!({"componentType": 5126, "count": values.len() / width, "type": kind});
        let output = push_floats(&mut json, &mut bin, values, accessor);
        json["animations"] = json!([{
            "samplers": [{"input": input, "output": output, "interpolation": interpolation}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": path}}],
        }]);
        let issues = read(&glb_of(&json, &bin), &nothing, &Limits::default()).unwrap().issues;
        let errors: Vec<&str> =
            issues.iter().filter(|issue| issue.severity == Severity::Error).map(|issue| issue.code).collect();
        assert_eq!(errors, code.into_iter().collect::<Vec<_>>(), "{path} {interpolation} {times_s:?}");
    }
}

#[test]
fn keys_are_counted_before_they_are_made() {
    let (json, bin) = morphed();
    let file = glb_of(&json, &bin);
    assert!(read(&file, &nothing, &Limits { animation_numbers: 4, ..Limits::default() }).is_ok());
    let refused = read(&file, &nothing, &Limits { animation_numbers: 3, ..Limits::default() }).err();
    assert_eq!(refused, Some(ReadError::LimitExceeded { what: "animation numbers", given: 4, allowed: 3 }));
}

#[test]
fn samplers_of_another_file_are_written_anew() {
    let (json, bin) = morphed();
    let morphed = read_back(&glb_of(&json, &bin)).scene;
    let foreign = only(&morphed).channels[0].clone();
    let (scene, node) = with_node(&table(), named("new"));
    let channel = Channel { node, path: ChannelPath::Translation, values: vec![0.0; 6], ..foreign };
    let animation = Animation { channels: vec![channel], ..Animation::default() };
    let scene = edited(&scene, Edit::CreateAnimation(animation)).scene;
    assert_eq!(only(&scene).channels[0].sampler, None::<Arc<Value>>);
    assert_eq!(only(&read_back(&write_glb(&scene).unwrap()).scene).channels[0].values, [0.0; 6]);
}

/// Without a joint a skin cannot be said: it goes, and the mesh stays as it was modelled.
#[test]
fn a_skin_goes_with_its_first_joint() {
    let (mut json, mut bin) = triangle();
    let joints = push(&mut json, &mut bin, &[0; 12], json!({"componentType": 5121, "count": 3, "type": "VEC4"}));
    let weights: Vec<f32> = [[1.0, 0.0, 0.0, 0.0]; 3].concat();
    let accessor = json!({"componentType": 5126, "count": 3, "type": "VEC4"});
    let weights = push_floats(&mut json, &mut bin, &weights, accessor);
    json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = json!(joints);
    json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(weights);
    json["skins"] = json!([{"joints": [1, 2]}]);
    json["nodes"] = json!([
        {"mesh": 0, "skin": 0, "name": "part"}, {"name": "hip", "children": [2]}, {"name": "knee"}, {"name": "free"},
    ]);
    json["scenes"] = json!([{"nodes": [0, 1, 3]}]);
    let scene = read_back(&glb_of(&json, &bin)).scene;
    let without = |name: &str| {
        let glb = write_glb(&edited(&scene, Edit::DeleteNode { node: id_of(&scene, name) }).scene).unwrap();
        assert_eq!(error_codes(&check(&glb, &nothing)).len(), 0);
        chunks(&glb).0
    };
    assert_eq!(without("free")["skins"], json!([{"joints": [1, 2]}]));
    let bare = without("knee");
    assert_eq!((bare.get("skins"), bare["nodes"][0].get("skin")), (None, None));
    assert_eq!(bare["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"], json!(joints));
}

/// Files of the data folder that can be read and hold animations.
fn animated_files(mut use_it: impl FnMut(&str, Scene)) {
    for case in cases("3d/gltf", ".validator.json") {
        let result = with_file(&case.path, |bytes, resolve| read(bytes, resolve, &Limits::default()));
        if let Ok(import) = result
            && !import.scene.animations().is_empty()
        {
            use_it(&case.path.display().to_string(), import.scene);
        }
    }
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn animations_of_real_files_come_back_equal() {
    let (mut files, mut channels) = (0, 0);
    animated_files(|name, scene| {
        files += 1;
        channels += scene.animations().values().map(|animation| animation.channels.len()).sum::<usize>();
        let glb = write_glb(&scene).unwrap();
        let again = read(&glb, &nothing, &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}")).scene;
        let of = |scene: &Scene| scene.animations().iter().map(|(id, found)| (*id, found.clone())).collect::<Vec<_>>();
        assert_eq!(of(&again), of(&scene), "{name}");
        assert!(scene.animations().values().all(|animation| !animation.channels.is_empty()), "{name}");
    });
    println!("{files} files with {channels} channels");
    assert!(files >= 14 && channels >= 70, "{files} files with {channels} channels");
}

#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn animated_files_stay_valid_whatever_is_deleted() {
    animated_files(|name, scene| {
        let whole = write_glb(&scene).unwrap();
        let known = check(&whole, &nothing);
        for (node, _) in scene.nodes() {
            let glb = write_glb(&edited(&scene, Edit::DeleteNode { node: *node }).scene).unwrap();
            let found = check(&glb, &nothing);
            let new: Vec<_> = error_codes(&found).difference(&error_codes(&known)).copied().collect();
            assert!(new.is_empty(), "{name} without {node}: {new:?}");
        }
    });
}

/// The numbers were worked out by hand from the keys in the files.
#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn samples_of_real_files_are_right() {
    let near = |given: &[f64], wanted: &[f64], name: &str| {
        let off = given.iter().zip(wanted).map(|(given, wanted)| (given - wanted).abs()).fold(0.0, f64::max);
        assert!(given.len() == wanted.len() && off < 1e-6, "{name}: {given:?} is not {wanted:?}");
    };
    let mut seen = 0;
    animated_files(|name, scene| {
        let pose = |t_s: f64| sample(&scene, AnimationId(1), t_s).unwrap();
        let moved = |t_s: f64| pose(t_s).transforms.into_values().next().unwrap_or(Trs::IDENTITY);
        if name.ends_with("01_cs_translate.gltf") {
            near(&moved(0.5).translation, &[1.0, 0.5, 0.0], name);
            near(&moved(0.25).translation, &[0.3125, 0.15625, 0.0], name);
        } else if name.ends_with("01_cs_rotate.gltf") {
            near(&moved(0.5).rotation, &[0.382_683_432, 0.0, 0.0, 0.923_879_532], name);
        } else if name.ends_with("assimp/SimpleMorph/SimpleMorph.gltf") {
            let weights: Vec<f64> = pose(1.25).weights.into_values().flatten().collect();
            near(&weights, &[0.25, 1.0], name);
        } else if name.ends_with("bevy/SimpleSkin/SimpleSkin.gltf") {
            near(&moved(0.75).rotation, &[0.0, 0.0, 0.555_672_620, 0.831_401_190], name);
        } else {
            return;
        }
        seen += 1;
    });
    assert_eq!(seen, 4);
}
