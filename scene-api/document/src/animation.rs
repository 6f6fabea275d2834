//! Animations: what moves which node when, with glTF 2.0's meanings.

use crate::{Kept, NodeId};
use std::sync::Arc;

/// All channels run on one clock; an animation starts at 0 s.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Animation {
    pub name: String,
    /// In the order of their targets, which are all different.
    pub channels: Vec<Channel>,
    /// Beside the members that mean nothing to us: `channels` that drive no node or are faulty, and their `samplers`.
    pub kept: Kept,
}

/// What one property of a node is over time. Before the first key and after the last it stays as it is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    pub node: NodeId,
    pub path: ChannelPath,
    pub interpolation: Interpolation,
    /// Seconds, at least 0, each more than the one before; f32 because that is what a GLB holds.
    pub times_s: Vec<f32>,
    /// Metres, quaternions `[x, y, z, w]`, factors or weights, one after the other: of each key its value, or with
    /// `CubicSpline` its in-tangent, value and out-tangent; tangents are per second.
    pub values: Vec<f32>,
    /// Of a channel read from a file: its sampler's glTF JSON verbatim, so that export writes back what was there.
    /// Edits take it off.
    pub sampler: Option<Arc<serde_json::Value>>,
    pub kept: Kept,
}

/// The property of the node that a channel drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChannelPath {
    Translation,
    Rotation,
    Scale,
    /// Of the morph targets of the node's mesh.
    Weights,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    Step,
    /// Rotations along the shorter arc.
    Linear,
    CubicSpline,
}

impl Animation {
    /// Seconds from 0 to the last key; 0 without channels.
    #[must_use]
    pub fn duration_s(&self) -> f64 {
        let ends = self.channels.iter().filter_map(|channel| channel.times_s.last());
        ends.fold(0.0, |longest, end| longest.max(f64::from(*end)))
    }

    /// Whether it has channels of a file that are not typed.
    pub(crate) fn keeps_channels(&self) -> bool {
        self.kept.0.as_deref().is_some_and(|members| members.contains_key("channels"))
    }
}

impl Channel {
    /// Without anything kept from a file.
    #[must_use]
    pub fn new(
        node: NodeId,
        path: ChannelPath,
        interpolation: Interpolation,
        times_s: Vec<f32>,
        values: Vec<f32>,
    ) -> Self {
        Self { node, path, interpolation, times_s, values, sampler: None, kept: Kept::default() }
    }

    #[must_use]
    pub fn target(&self) -> (NodeId, ChannelPath) {
        (self.node, self.path)
    }
}

impl ChannelPath {
    pub const ALL: [Self; 4] = [Self::Translation, Self::Rotation, Self::Scale, Self::Weights];

    /// glTF's word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
            Self::Weights => "weights",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|path| path.name() == name)
    }
}

impl Interpolation {
    pub const ALL: [Self; 3] = [Self::Step, Self::Linear, Self::CubicSpline];

    /// glTF's word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Step => "STEP",
            Self::Linear => "LINEAR",
            Self::CubicSpline => "CUBICSPLINE",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|interpolation| interpolation.name() == name)
    }

    /// 3 where a key has tangents, else 1.
    #[must_use]
    pub fn values_per_key(self) -> usize {
        match self {
            Self::Step | Self::Linear => 1,
            Self::CubicSpline => 3,
        }
    }
}
