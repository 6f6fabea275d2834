//! Learning rates over the steps of a run.

use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decay {
    Constant,
    Linear,
    Cosine,
}

/// Rises in a line over `warmup_steps`, then falls from `peak` to `floor_share · peak` at `total_steps`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    pub peak: f64,
    pub warmup_steps: u64,
    pub decay: Decay,
    pub total_steps: u64,
    /// In [0, 1]. A constant rate has no floor.
    pub floor_share: f64,
}

impl Schedule {
    /// The rate of step `step`, counted from 0. The first step of a warm-up is not lost: it has `peak / warmup_steps`.
    #[must_use]
    #[allow(clippy::disallowed_methods, reason = "weights are not scored, and a resumed run is on the same machine")]
    pub fn at(&self, step: u64) -> f64 {
        if step < self.warmup_steps {
            return self.peak * (step + 1) as f64 / self.warmup_steps as f64;
        }
        let steps = self.total_steps.saturating_sub(self.warmup_steps);
        let progress = if steps == 0 { 1.0 } else { ((step - self.warmup_steps) as f64 / steps as f64).min(1.0) };
        let left = match self.decay {
            Decay::Constant => return self.peak,
            Decay::Linear => 1.0 - progress,
            Decay::Cosine => 0.5 * (1.0 + (PI * progress).cos()),
        };
        self.peak * (self.floor_share + (1.0 - self.floor_share) * left)
    }
}
