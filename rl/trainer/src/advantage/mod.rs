//! Advantages: how much better a sample was than what it is held against. Plain functions on f64.

mod batch;
mod gae;
mod gdpo;
mod group;
mod overlong;

use serde::{Deserialize, Serialize};

pub use batch::{group_mean_batch_std, reinforce_pp_baseline, whiten};
pub use gae::{Gae, gae};
pub use gdpo::{Component, combined_scores, gdpo};
pub use group::{GrpoNorm, dr_grpo, grpo, maxrl, rloo};
pub use overlong::soft_overlong_penalty;

/// Which advantage a run takes from the rewards of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdvantageKind {
    Grpo,
    DrGrpo,
    Rloo,
}

impl AdvantageKind {
    /// One advantage for each reward of the group; [`AdvantageKind::Grpo`] with the norm of [`GrpoNorm::default`].
    pub fn of_group(self, rewards: &[f64]) -> Vec<f64> {
        match self {
            Self::Grpo => grpo(rewards, GrpoNorm::default()),
            Self::DrGrpo => dr_grpo(rewards),
            Self::Rloo => rloo(rewards),
        }
    }
}
