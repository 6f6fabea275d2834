//! An animation at one moment, by the formulas of glTF 2.0, appendix C.

use crate::{AnimationId, Channel, ChannelPath, Interpolation, Node, NodeId, Scene, Trs};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The nodes that an animation drives, as they stand at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pose {
    /// `parent_from_node`; parts that no channel drives are the node's own.
    pub transforms: BTreeMap<NodeId, Trs>,
    /// Of morph targets.
    pub weights: BTreeMap<NodeId, Vec<f64>>,
}

/// The pose at `time_s`; before the first and after the last key of a channel its value stays. `None` for an unknown
/// animation. O(channels · log keys).
#[must_use]
pub fn sample(scene: &Scene, animation: AnimationId, time_s: f64) -> Option<Pose> {
    let mut pose = Pose::default();
    for channel in &scene.animations().get(&animation)?.channels {
        let Some(node) = scene.node(channel.node) else { continue };
        let value = value_at(channel, time_s);
        if channel.path == ChannelPath::Weights {
            pose.weights.insert(channel.node, value);
            continue;
        }
        let transform = pose.transforms.entry(channel.node).or_insert(node.transform);
        match (channel.path, value.as_slice()) {
            (ChannelPath::Translation, &[x, y, z]) => transform.translation = [x, y, z],
            (ChannelPath::Rotation, &[x, y, z, w]) => transform.rotation = [x, y, z, w],
            (ChannelPath::Scale, &[x, y, z]) => transform.scale = [x, y, z],
            _ => {}
        }
    }
    Some(pose)
}

impl Scene {
    /// This scene with its nodes standing as in the pose, morph weights included.
    #[must_use]
    pub fn posed(&self, pose: &Pose) -> Self {
        let mut posed = self.clone();
        for (id, transform) in &pose.transforms {
            if let Some(node) = self.node(*id) {
                posed.nodes.insert_mut(*id, Arc::new(Node { transform: *transform, ..node.clone() }));
            }
        }
        for (id, weights) in &pose.weights {
            if let Some(node) = posed.node(*id).cloned() {
                posed.nodes.insert_mut(*id, Arc::new(Node { weights: weights.clone(), ..node }));
            }
        }
        posed
    }
}

/// As many numbers as a key's value has.
fn value_at(channel: &Channel, time_s: f64) -> Vec<f64> {
    let times_s = &channel.times_s;
    let next = times_s.partition_point(|key_s| f64::from(*key_s) <= time_s);
    let (from, to) = (next.saturating_sub(1), next.min(times_s.len().saturating_sub(1)));
    let value = match channel.interpolation {
        Interpolation::Step => key(channel, from, Part::Value),
        _ if from == to => key(channel, from, Part::Value),
        Interpolation::Linear => linear(channel, from, to, share(times_s, from, to, time_s).0),
        Interpolation::CubicSpline => cubic(channel, from, to, share(times_s, from, to, time_s)),
    };
    if channel.path == ChannelPath::Rotation {
        return normalised(&value).unwrap_or_else(|| key(channel, from, Part::Value));
    }
    value
}

/// Where `time_s` lies between two keys, 0 to 1, and how many seconds they are apart.
fn share(times_s: &[f32], from: usize, to: usize, time_s: f64) -> (f64, f64) {
    let second = |key: usize| times_s.get(key).copied().map_or(0.0, f64::from);
    let span_s = second(to) - second(from);
    ((time_s - second(from)) / span_s, span_s)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    InTangent,
    Value,
    OutTangent,
}

/// Values of keys that are rotations are unit.
fn key(channel: &Channel, key: usize, part: Part) -> Vec<f64> {
    let per_key = channel.interpolation.values_per_key();
    let width = channel.values.len() / (channel.times_s.len() * per_key).max(1);
    let place = match (part, per_key) {
        (_, 1) | (Part::InTangent, _) => key * per_key,
        (Part::Value, _) => key * per_key + 1,
        (Part::OutTangent, _) => key * per_key + 2,
    };
    let stored = channel.values.get(place * width..(place + 1) * width).unwrap_or_default();
    let stored: Vec<f64> = stored.iter().map(|part| f64::from(*part)).collect();
    if part == Part::Value && channel.path == ChannelPath::Rotation {
        return normalised(&stored).unwrap_or(stored);
    }
    stored
}

fn linear(channel: &Channel, from: usize, to: usize, share: f64) -> Vec<f64> {
    let (from, to) = (key(channel, from, Part::Value), key(channel, to, Part::Value));
    let (of_from, of_to) =
        if channel.path == ChannelPath::Rotation { slerp(&from, &to, share) } else { (1.0 - share, share) };
    from.iter().zip(&to).map(|(from, to)| of_from * from + of_to * to).collect()
}

/// Factors of two unit quaternions, along the shorter arc.
fn slerp(from: &[f64], to: &[f64], share: f64) -> (f64, f64) {
    let dot: f64 = from.iter().zip(to).map(|(from, to)| from * to).sum();
    let sign = if dot < 0.0 { -1.0 } else { 1.0 };
    let angle_rad = libm::acos(dot.abs().min(1.0));
    let sine = libm::sin(angle_rad);
    if sine == 0.0 {
        return (1.0 - share, sign * share);
    }
    (libm::sin(angle_rad * (1.0 - share)) / sine, sign * libm::sin(angle_rad * share) / sine)
}

/// A Hermite spline; tangents are per second.
fn cubic(channel: &Channel, from: usize, to: usize, (share, span_s): (f64, f64)) -> Vec<f64> {
    let square = share * share;
    let cube = square * share;
    let factors = [
        2.0 * cube - 3.0 * square + 1.0,
        span_s * (cube - 2.0 * square + share),
        3.0 * square - 2.0 * cube,
        span_s * (cube - square),
    ];
    let [value_from, tangent_from] = [Part::Value, Part::OutTangent].map(|part| key(channel, from, part));
    let [value_to, tangent_to] = [Part::Value, Part::InTangent].map(|part| key(channel, to, part));
    let from = value_from.iter().zip(&tangent_from);
    from.zip(value_to.iter().zip(&tangent_to))
        .map(|((value_from, tangent_from), (value_to, tangent_to))| {
            factors[0] * value_from + factors[1] * tangent_from + factors[2] * value_to + factors[3] * tangent_to
        })
        .collect()
}

/// `None` where there is no length to divide by.
fn normalised(quaternion: &[f64]) -> Option<Vec<f64>> {
    let length = quaternion.iter().map(|part| part * part).sum::<f64>().sqrt();
    (length > 0.0 && length.is_finite()).then(|| quaternion.iter().map(|part| part / length).collect())
}
