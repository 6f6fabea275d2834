//! What one episode's tool calls work on.

use crate::change_log::ChangeLog;
use crate::history::History;
use crate::limits::Limits;
use crate::tools::Groups;
use rl_protocol::{Budget, Limit};
use scene_document::Scene;

/// A value: a call makes a new one. Clone is O(1).
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    pub scene: Scene,
    /// What undo, redo and checkpoints go back to.
    pub history: History,
    /// What is new since when.
    pub log: ChangeLog,
    /// Successful mutations so far.
    pub revision: u64,
    /// All calls so far, refused ones included.
    pub calls_used: u32,
    pub submitted: bool,
    /// Whether `render.still` is among the tools.
    pub has_renderer: bool,
    /// Whose tools may be called.
    pub groups: Groups,
    /// Of all pictures so far.
    pub pixels_used: u64,
    pub limits: Limits,
}

impl Workspace {
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Whether every further call is refused.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.submitted || self.calls_used >= self.limits.calls
    }

    #[must_use]
    pub fn calls_left(&self) -> u32 {
        self.limits.calls.saturating_sub(self.calls_used)
    }

    #[must_use]
    pub fn pixels_left(&self) -> u64 {
        self.limits.pixels.saturating_sub(self.pixels_used)
    }

    /// How much more the scene and, where there is a renderer, the pictures may hold, each by its name. O(nodes).
    pub(crate) fn left(&self) -> Vec<(&'static str, u64)> {
        let nodes = u64::try_from(self.scene.nodes().size()).unwrap_or(u64::MAX);
        let mut left = vec![
            ("triangles", self.limits.triangles.saturating_sub(self.scene.triangle_count())),
            ("nodes", u64::from(self.limits.nodes).saturating_sub(nodes)),
        ];
        if self.has_renderer {
            left.push(("pixels", self.pixels_left()));
        }
        left
    }

    /// What is left. O(nodes).
    #[must_use]
    pub fn budget(&self) -> Budget {
        let limit = |(name, left): (&str, u64)| Limit { name: name.into(), value: left as f64, unit: name.into() };
        Budget { calls_left: self.calls_left(), left: self.left().into_iter().map(limit).collect() }
    }
}
