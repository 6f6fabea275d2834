//! Animations: typed channels, and those that were kept as they were read.

use super::buffer::Buffer;
use super::object::kept_members;
use super::overlay;
use crate::canonical::canonical_text;
use crate::gltf::lists::{put_list, take_list};
use crate::{Animation, Channel, ChannelPath, NodeId, Scene};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The file's list. glTF has no animation without channels: such are left out.
pub(super) fn animations(scene: &Scene, nodes: &BTreeMap<NodeId, usize>, buffer: &mut Buffer) -> Vec<Value> {
    let mut inputs = Inputs::new();
    let written = scene.animations.values();
    written.filter_map(|animation| written_animation(scene, animation, nodes, &mut inputs, buffer)).collect()
}

/// The accessor of each list of key times, by their bits: channels with the same times share it.
type Inputs = BTreeMap<Vec<u32>, usize>;

/// One entry for samplers that are the same.
#[derive(Default)]
struct Samplers {
    list: Vec<Value>,
    places: BTreeMap<String, usize>,
}

impl Samplers {
    fn place(&mut self, sampler: Value) -> usize {
        let Self { list, places } = self;
        *places.entry(canonical_text(&sampler)).or_insert_with(|| {
            list.push(sampler);
            list.len() - 1
        })
    }
}

fn written_animation(
    scene: &Scene,
    animation: &Animation,
    nodes: &BTreeMap<NodeId, usize>,
    inputs: &mut Inputs,
    buffer: &mut Buffer,
) -> Option<Value> {
    let mut members = kept_members(&animation.kept);
    let mut samplers = Samplers::default();
    let mut channels = Vec::new();
    let kept_samplers = take_list(&mut members, "samplers");
    let driven: BTreeSet<(NodeId, &str)> =
        animation.channels.iter().map(|channel| (channel.node, channel.path.name())).collect();
    for channel in take_list(&mut members, "channels") {
        let sampler = channel.get("sampler").and_then(Value::as_u64).and_then(|place| usize::try_from(place).ok());
        let Some(sampler) = sampler.and_then(|place| kept_samplers.get(place)) else { continue };
        if let Some(mut channel) = moved(scene, channel, nodes, &driven) {
            channel.insert("sampler".into(), json!(samplers.place(sampler.clone())));
            channels.push(Value::Object(channel));
        }
    }
    for channel in &animation.channels {
        let Some(node) = nodes.get(&channel.node) else { continue };
        let sampler = match &channel.sampler {
            Some(sampler) if scene.source.is_some() => Value::clone(sampler),
            _ => sampler(channel, inputs, buffer),
        };
        let target = json!({"node": node, "path": channel.path.name()});
        let ours = [("sampler".to_owned(), json!(samplers.place(sampler))), ("target".to_owned(), target)];
        let mut members = kept_members(&channel.kept);
        overlay(&mut members, Map::from_iter(ours));
        channels.push(Value::Object(members));
    }
    if channels.is_empty() {
        return None;
    }
    put_list(&mut members, "channels", channels);
    put_list(&mut members, "samplers", samplers.list);
    if !animation.name.is_empty() {
        members.insert("name".into(), Value::from(animation.name.as_str()));
    }
    Some(Value::Object(members))
}

/// A kept channel with its node's new place; `None` where the node or its morph targets are gone, or a typed channel
/// drives the same.
fn moved(
    scene: &Scene,
    channel: Value,
    nodes: &BTreeMap<NodeId, usize>,
    driven: &BTreeSet<(NodeId, &str)>,
) -> Option<Map<String, Value>> {
    let Value::Object(mut channel) = channel else { return None };
    let Some(Value::Object(target)) = channel.get_mut("target") else { return Some(channel) };
    let Some(node) = target.get("node").cloned() else { return Some(channel) };
    let node = usize::try_from(node.as_u64()?).ok()?;
    let id = scene.source.as_ref().and_then(|source| *source.node_ids.get(node)?)?;
    let path = target.get("path").and_then(Value::as_str).unwrap_or_default();
    let mesh = scene.node(id)?.mesh.and_then(|mesh| scene.meshes.get(&mesh));
    let has_path = path != ChannelPath::Weights.name() || mesh.is_some_and(|mesh| mesh.morph_target_count() > 0);
    if !has_path || driven.contains(&(id, path)) {
        return None;
    }
    target.insert("node".into(), json!(nodes.get(&id)?));
    Some(channel)
}

fn sampler(channel: &Channel, inputs: &mut Inputs, buffer: &mut Buffer) -> Value {
    let bits: Vec<u32> = channel.times_s.iter().map(|time_s| time_s.to_bits()).collect();
    let input = *inputs.entry(bits).or_insert_with(|| buffer.times(&channel.times_s));
    let (kind, components) = match channel.path {
        ChannelPath::Translation | ChannelPath::Scale => ("VEC3", 3),
        ChannelPath::Rotation => ("VEC4", 4),
        ChannelPath::Weights => ("SCALAR", 1),
    };
    let output = buffer.values(&channel.values, kind, components);
    json!({"input": input, "output": output, "interpolation": channel.interpolation.name()})
}
