//! Animations: channels that drive a node of the scene are typed; what else an animation holds is kept.

use super::super::check::{Accessor, Document, index, issue};
use super::{kept, look, within};
use crate::gltf::lists::put_list;
use crate::gltf::{Issue, Limits, ReadError, Severity};
use crate::{Animation, Channel, ChannelPath, Interpolation, Kept, NodeId, Scene};
use ::gltf::json::accessor::{ComponentType, Type};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// In the file's order, those that drive something; channels of nodes outside the scene are left out, and so are those
/// without a sampler. The issues name what is kept without being understood.
pub(super) fn animations(
    document: &Document,
    node_ids: &[Option<NodeId>],
    scene: &Scene,
    limits: &Limits,
) -> Result<(Vec<Animation>, Vec<Issue>), ReadError> {
    let mut reader = Reader { document, node_ids, scene, limits, numbers: 0, issues: Vec::new() };
    let mut read = Vec::new();
    for (place, animation) in document.list("animations").iter().enumerate() {
        read.extend(reader.animation(animation, &format!("/animations/{place}"))?);
    }
    Ok((read, reader.issues))
}

struct Reader<'a> {
    document: &'a Document,
    node_ids: &'a [Option<NodeId>],
    scene: &'a Scene,
    limits: &'a Limits,
    /// Times and values so far.
    numbers: u64,
    issues: Vec<Issue>,
}

impl Reader<'_> {
    fn animation(&mut self, json: &Value, pointer: &str) -> Result<Option<Animation>, ReadError> {
        let samplers = list(json, "samplers");
        let mut channels: BTreeMap<(NodeId, ChannelPath), Channel> = BTreeMap::new();
        let mut rest = Rest::default();
        let mut unread: Vec<(usize, String)> = Vec::new();
        for (place, channel) in list(json, "channels").iter().enumerate() {
            let node = channel.pointer("/target/node");
            let id = node.and_then(|node| *self.node_ids.get(index(Some(node))?)?);
            if node.is_some() && id.is_none() {
                continue;
            }
            let of_list = index(channel.get("sampler")).and_then(|of_list| Some((of_list, samplers.get(of_list)?)));
            let Some((of_list, sampler)) = of_list else {
                unread.push((place, "it has no sampler".into()));
                continue;
            };
            let typed = match id {
                Some(id) => self.channel(id, channel, sampler)?,
                None => Err("it drives no node".into()),
            };
            match typed {
                Ok(typed) if channels.contains_key(&typed.target()) => {
                    unread.push((place, "another channel drives the same".into()));
                }
                Ok(typed) => {
                    channels.insert(typed.target(), typed);
                }
                Err(why) => {
                    rest.keep(channel, of_list, sampler);
                    unread.push((place, why));
                }
            }
        }
        if let Some((place, why)) = unread.first() {
            let message = format!("{} channels are not understood; the first is channel {place}: {why}.", unread.len());
            self.issues.push(issue("ANIMATION_CHANNEL_NOT_READ", Severity::Information, pointer, message));
        }
        if channels.is_empty() && rest.channels.is_empty() {
            return Ok(None);
        }
        let kept = kept(json, &[&["name"], &["channels"], &["samplers"]]);
        let mut members = kept.0.as_deref().cloned().unwrap_or_default();
        put_list(&mut members, "channels", rest.channels);
        put_list(&mut members, "samplers", rest.samplers);
        let kept = Kept((!members.is_empty()).then(|| Arc::new(members)));
        Ok(Some(Animation { name: look::name(json), channels: channels.into_values().collect(), kept }))
    }

    /// Typed, or why it cannot be.
    fn channel(&mut self, node: NodeId, json: &Value, sampler: &Value) -> Result<Result<Channel, String>, ReadError> {
        let document = self.document;
        let accessor = |member: &str| document.accessor(index(sampler.get(member))?);
        let (Some(input), Some(output)) = (accessor("input"), accessor("output")) else {
            return Ok(Err("its sampler lacks an accessor".into()));
        };
        for accessor in [input, output] {
            let numbers = accessor.count.saturating_mul(accessor.format.components() as u64);
            self.numbers = self.numbers.saturating_add(numbers);
        }
        within("animation numbers", self.numbers, self.limits.animation_numbers)?;
        Ok(self.typed(node, json, sampler, [input, output]))
    }

    fn typed(
        &self,
        node: NodeId,
        json: &Value,
        sampler: &Value,
        [input, output]: [&Accessor; 2],
    ) -> Result<Channel, String> {
        let path = json.pointer("/target/path").and_then(Value::as_str).and_then(ChannelPath::named);
        let path = path.ok_or("its path is unknown")?;
        let interpolation = match sampler.get("interpolation") {
            None => Some(Interpolation::Linear),
            Some(word) => word.as_str().and_then(Interpolation::named),
        };
        let interpolation = interpolation.ok_or("its interpolation is unknown")?;
        let kind = match path {
            ChannelPath::Translation | ChannelPath::Scale => Type::Vec3,
            ChannelPath::Rotation => Type::Vec4,
            ChannelPath::Weights => Type::Scalar,
        };
        let is_float = |accessor: &Accessor| accessor.format.component == ComponentType::F32;
        let is_share = matches!(path, ChannelPath::Rotation | ChannelPath::Weights)
            && output.format.normalized
            && output.format.component != ComponentType::U32;
        let input_fits = input.format.kind == Type::Scalar && is_float(input);
        if !input_fits || output.format.kind != kind || !(is_float(output) || is_share) {
            return Err("its accessors have the wrong format".into());
        }
        let channel = Channel {
            node,
            path,
            interpolation,
            times_s: self.floats(input)?,
            values: self.floats(output)?,
            sampler: Some(Arc::new(sampler.clone())),
            kept: kept(json, &[&["sampler"], &["target", "node"], &["target", "path"]]),
        };
        crate::check::channel(self.scene, &channel).map_err(|error| error.to_string())?;
        Ok(channel)
    }

    fn floats(&self, accessor: &Accessor) -> Result<Vec<f32>, String> {
        let stored = self.document.fits(accessor).then(|| self.document.elements(accessor)).flatten();
        let stored = stored.ok_or("the bytes of an accessor are missing or do not fit")?;
        Ok(stored.into_iter().map(|number| accessor.format.decode(number) as f32).collect())
    }
}

/// Channels that are kept, with their samplers numbered anew.
#[derive(Default)]
struct Rest {
    channels: Vec<Value>,
    samplers: Vec<Value>,
    places: BTreeMap<usize, usize>,
}

impl Rest {
    fn keep(&mut self, channel: &Value, place: usize, sampler: &Value) {
        let Self { channels, samplers, places } = self;
        let place = *places.entry(place).or_insert_with(|| {
            samplers.push(sampler.clone());
            samplers.len() - 1
        });
        let mut channel = channel.clone();
        channel["sampler"] = Value::from(place);
        channels.push(channel);
    }
}

fn list<'a>(json: &'a Value, name: &str) -> &'a [Value] {
    json.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
