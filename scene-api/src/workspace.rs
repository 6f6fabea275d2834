//! What one episode's tool calls work on.

use crate::limits::{Limits, triangles};
use rl_protocol::Budget;
use scene_document::Scene;

/// A value: a call makes a new one. Clone is O(1).
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    pub scene: Scene,
    /// Successful mutations so far.
    pub revision: u64,
    /// All calls so far, refused ones included.
    pub calls_used: u32,
    pub submitted: bool,
    pub limits: Limits,
}

/// What the model sees of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    pub ok: bool,
    pub json: serde_json::Value,
}

impl Workspace {
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// What is left. O(triangles).
    #[must_use]
    pub fn budget(&self) -> Budget {
        let nodes = u32::try_from(self.scene.nodes().size()).unwrap_or(u32::MAX);
        Budget {
            calls_left: self.limits.calls.saturating_sub(self.calls_used),
            triangles_left: self.limits.triangles.saturating_sub(triangles(&self.scene)),
            nodes_left: self.limits.nodes.saturating_sub(nodes),
        }
    }
}
