//! Animations as edits make them, and what they come to at one moment.

use crate::scenes::{cuboid, edited, named, with_mesh, with_node};
use scene_document::{
    Animation, AnimationId, Changed, Channel, ChannelPath, Edit, EditError, Interpolation, Node, NodeId, Pose, Scene,
    Trs, apply, sample,
};
use std::f32::consts::FRAC_1_SQRT_2;

/// `a` and below it `b`, a cube; one animation without channels.
fn stage() -> (Scene, NodeId, NodeId, AnimationId) {
    let (scene, a) = with_node(&Scene::default(), named("a"));
    let b = Node { parent: Some(a), transform: Trs::from_translation([0.0, 1.0, 0.0]), ..named("b") };
    let (scene, b) = with_mesh(&scene, b, cuboid([1.0; 3]));
    let made = edited(&scene, Edit::CreateAnimation(Animation { name: "walk".into(), ..Animation::default() }));
    assert_eq!(made.changed, Changed { animations: vec![AnimationId(1)], ..Changed::default() });
    (made.scene, a, b, AnimationId(1))
}

fn slide(node: NodeId, times_s: &[f32], x_m: &[f32]) -> Channel {
    let values = x_m.iter().flat_map(|x| [*x, 0.0, 0.0]).collect();
    Channel::new(node, ChannelPath::Translation, Interpolation::Linear, times_s.to_vec(), values)
}

fn turn(node: NodeId, interpolation: Interpolation, values: &[[f32; 4]]) -> Channel {
    Channel::new(node, ChannelPath::Rotation, interpolation, vec![0.0, 3.0], values.concat())
}

fn with_channel(scene: &Scene, animation: AnimationId, channel: Channel) -> Scene {
    edited(scene, Edit::SetChannel { animation, channel }).scene
}

fn near(given: &[f64], wanted: &[f64]) {
    assert_eq!(given.len(), wanted.len());
    assert!(given.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-7), "{given:?} is not {wanted:?}");
}

#[test]
fn channels_are_added_and_replaced() {
    let (scene, a, b, id) = stage();
    let scene = with_channel(&scene, id, slide(b, &[0.0, 1.0], &[0.0, 1.0]));
    let scene = with_channel(&scene, id, slide(a, &[0.0, 2.0], &[0.0, 1.0]));
    let done = edited(&scene, Edit::SetChannel { animation: id, channel: slide(b, &[0.5], &[7.0]) });
    assert_eq!(done.changed, Changed { animations: vec![id], ..Changed::default() });
    let animation = done.scene.animations().get(&id).unwrap();
    let targets: Vec<(NodeId, usize)> = animation.channels.iter().map(|c| (c.node, c.times_s.len())).collect();
    assert_eq!(targets, [(a, 2), (b, 1)]);
    assert_eq!(animation.duration_s(), 2.0);

    let gone = edited(&done.scene, Edit::DeleteAnimation { animation: id }).scene;
    assert!(gone.animations().is_empty());
    let again = edited(&gone, Edit::CreateAnimation(Animation::default()));
    assert_eq!(again.changed.animations, [AnimationId(2)], "ids are not used again");
    let unknown = apply(&gone, Edit::DeleteAnimation { animation: id }).unwrap_err();
    assert_eq!(unknown, EditError::NoAnimation(id));
    let cleared = edited(&scene, Edit::Clear);
    assert_eq!((cleared.changed.animations, cleared.scene.animations().size()), (vec![id], 0));
}

#[test]
fn what_is_no_channel_is_refused() {
    let (scene, a, _, id) = stage();
    let refused = |channel: Channel| apply(&scene, Edit::SetChannel { animation: id, channel }).unwrap_err();
    assert_eq!(refused(slide(NodeId(9), &[0.0], &[0.0])), EditError::NoNode(NodeId(9)));
    let still = EditError::TimesNotIncreasing { key: 2, given: 1.0, previous: 1.0 };
    assert_eq!(refused(slide(a, &[0.0, 1.0, 1.0], &[0.0; 3])), still);
    assert!(matches!(refused(slide(a, &[-0.5], &[0.0])), EditError::OutOfRange { what: "times_s/0", .. }));
    assert!(matches!(refused(slide(a, &[], &[])), EditError::OutOfRange { what: "times_s", .. }));
    assert_eq!(refused(slide(a, &[f32::NAN], &[0.0])), EditError::NotFinite { what: "times_s" });
    assert_eq!(refused(slide(a, &[0.0], &[f32::INFINITY])), EditError::NotFinite { what: "values" });
    assert_eq!(refused(slide(a, &[0.0, 1.0], &[0.0])), EditError::ValueCount { given: 3, wanted: 6 });
    let bare = Channel { interpolation: Interpolation::CubicSpline, ..slide(a, &[0.0, 1.0], &[0.0, 1.0]) };
    assert_eq!(refused(bare), EditError::ValueCount { given: 6, wanted: 18 });
    let one_key = Channel { interpolation: Interpolation::CubicSpline, ..slide(a, &[0.0], &[0.0; 3]) };
    assert!(matches!(refused(one_key), EditError::OutOfRange { what: "times_s", .. }));
    let long = turn(a, Interpolation::Linear, &[[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 2.0]]);
    assert_eq!(refused(long), EditError::RotationLength { row: 1, length: 2.0 });
    let weights = Channel { path: ChannelPath::Weights, ..slide(a, &[0.0], &[0.0]) };
    assert_eq!(refused(weights), EditError::NoMorphTargets(a));

    let twice = Animation { channels: vec![slide(a, &[0.0], &[0.0]); 2], ..Animation::default() };
    let twice = apply(&scene, Edit::CreateAnimation(twice)).unwrap_err();
    assert_eq!(twice, EditError::TargetTwice { node: a, path: "translation" });
}

#[test]
fn a_deleted_node_takes_its_channels() {
    let (scene, a, b, walk) = stage();
    let (scene, c) = with_node(&scene, named("c"));
    let jump = Animation { channels: vec![slide(b, &[0.0], &[0.0])], ..Animation::default() };
    let scene = edited(&scene, Edit::CreateAnimation(jump)).scene;
    let empty = edited(&scene, Edit::CreateAnimation(Animation::default()));
    let (scene, empty) = (empty.scene, empty.changed.animations[0]);
    let scene = with_channel(&scene, walk, slide(b, &[0.0], &[0.0]));
    let scene = with_channel(&scene, walk, slide(c, &[0.0], &[0.0]));

    let done = edited(&scene, Edit::DeleteNode { node: a });
    assert_eq!(done.changed.animations, [walk, AnimationId(2)]);
    let left: Vec<AnimationId> = done.scene.animations().keys().copied().collect();
    assert_eq!(left, [walk, empty], "the jump moved nothing else; the empty one lost nothing");
    let nodes: Vec<NodeId> = done.scene.animations().get(&walk).unwrap().channels.iter().map(|c| c.node).collect();
    assert_eq!(nodes, [c]);
}

#[test]
fn only_scenes_with_animations_have_them_in_their_hash() {
    let (scene, a, _, id) = stage();
    let bare = edited(&scene, Edit::DeleteAnimation { animation: id }).scene;
    assert!(!bare.to_canonical_json().contains("animation"));
    let json: serde_json::Value = serde_json::from_str(&scene.to_canonical_json()).unwrap();
    assert_eq!(json["animations"][0]["id"], "anm_1");
    let one = with_channel(&scene, id, slide(a, &[0.0, 1.0], &[0.0, 1.0]));
    let other = with_channel(&scene, id, slide(a, &[0.0, 1.0], &[0.0, 2.0]));
    let later = with_channel(&scene, id, slide(a, &[0.0, 1.5], &[0.0, 1.0]));
    let mut hashes = [&bare, &scene, &one, &other, &later].map(Scene::state_hash).to_vec();
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), 5);
}

fn at(scene: &Scene, id: AnimationId, t_s: f64) -> Pose {
    sample(scene, id, t_s).unwrap()
}

#[test]
fn steps_and_lines_are_sampled() {
    let (scene, a, b, id) = stage();
    let step = Channel { interpolation: Interpolation::Step, ..slide(b, &[1.0, 2.0], &[0.0, 4.0]) };
    let scene = with_channel(&scene, id, slide(a, &[1.0, 2.0], &[0.0, 4.0]));
    let scene = with_channel(&scene, id, step);
    for (t_s, line_m, step_m) in
        [(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.25, 1.0, 0.0), (1.999, 3.996, 0.0), (2.0, 4.0, 4.0), (9.0, 4.0, 4.0)]
    {
        let pose = at(&scene, id, t_s);
        near(&pose.transforms[&a].translation, &[line_m, 0.0, 0.0]);
        near(&pose.transforms[&b].translation, &[step_m, 0.0, 0.0]);
    }
    assert_eq!(sample(&scene, AnimationId(7), 0.0), None);
}

#[test]
fn rotations_turn_evenly_along_the_shorter_arc() {
    let (scene, a, _, id) = stage();
    let quarter = [0.0, FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2];
    // A third of a quarter turn about y: 30°, whichever sign the quaternion has.
    let third = [0.0, 0.258_819_045_102_520_74, 0.0, 0.965_925_826_289_068_3];
    for end in [quarter, quarter.map(|part| -part)] {
        let scene = with_channel(&scene, id, turn(a, Interpolation::Linear, &[[0.0, 0.0, 0.0, 1.0], end]));
        let transform = at(&scene, id, 1.0).transforms[&a];
        near(&transform.rotation, &third);
        assert_eq!((transform.translation, transform.scale), ([0.0; 3], [1.0; 3]));
    }
    let still = with_channel(&scene, id, turn(a, Interpolation::Linear, &[quarter, quarter]));
    let half = 0.5_f64.sqrt();
    near(&at(&still, id, 1.0).transforms[&a].rotation, &[0.0, half, 0.0, half]);
}

#[test]
fn splines_are_sampled() {
    let (scene, a, b, id) = stage();
    // x leaves at 1 m/s, y arrives at 2 m/s, z stays.
    let keys: [[f32; 3]; 6] = [[0.0; 3], [0.0, 0.0, 3.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [4.0, 4.0, 3.0], [0.0; 3]];
    let path = ChannelPath::Translation;
    let spline = Channel::new(a, path, Interpolation::CubicSpline, vec![0.0, 2.0], keys.concat());
    let scene = with_channel(&scene, id, spline);
    // Halfway: ½ of both values, an eighth of two seconds of the first tangent, minus that of the second.
    near(&at(&scene, id, 1.0).transforms[&a].translation, &[2.25, 1.5, 3.0]);
    near(&at(&scene, id, 0.0).transforms[&a].translation, &[0.0, 0.0, 3.0]);
    near(&at(&scene, id, 5.0).transforms[&a].translation, &[4.0, 4.0, 3.0]);

    let (none, start, end) = ([0.0; 4], [0.0, 0.0, 0.0, 1.0], [0.0, FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2]);
    let turn = turn(b, Interpolation::CubicSpline, &[none, start, none, none, end, none]);
    let scene = with_channel(&scene, id, turn);
    let eighth = [0.0, 0.382_683_432_365_089_8, 0.0, 0.923_879_532_511_286_7];
    near(&at(&scene, id, 1.5).transforms[&b].rotation, &eighth);
}

#[test]
fn a_pose_moves_what_is_below() {
    let (scene, a, b, id) = stage();
    let half_turn = [0.0, 0.0, 1.0, 0.0];
    let scene = with_channel(&scene, id, turn(a, Interpolation::Step, &[[0.0, 0.0, 0.0, 1.0], half_turn]));
    let posed = scene.posed(&at(&scene, id, 3.0));
    let origin = posed.world_from_node(b).column(3).into_owned();
    near(&[origin[0], origin[1], origin[2]], &[0.0, -1.0, 0.0]);
    assert_eq!(scene.world_from_node(b)[(1, 3)], 1.0, "the scene itself stays");
}
