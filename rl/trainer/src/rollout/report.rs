//! What a rollout gave, and what it cost.

use super::engine::EngineError;
use crate::trajectory::Trajectory;
use std::collections::BTreeMap;

#[derive(Default)]
pub struct RolloutReport {
    /// By (group, member), whatever order they ended in.
    pub trajectories: Vec<Trajectory>,
    /// Of the environments, by class (`INFRA`, `DEADLINE`, …); those of tries that were played again included.
    pub failures: BTreeMap<&'static str, Failures>,
    /// Tries after the first, over all members.
    pub refills: u64,
    /// (group, member) given up after their last try.
    pub dropped_members: Vec<(u64, u32)>,
    /// Left with fewer than two members (none, where one was asked for): what they gave is not among the trajectories.
    pub dropped_groups: Vec<u64>,
    /// Chosen by the policy, also in tries and groups that were given up.
    pub sampled_tokens: u64,
    /// Through the model, the sampled ones included.
    pub fed_tokens: u64,
    pub wall_secs: f64,
    /// Of it in the model, the grammar and the sampling.
    pub decode_secs: f64,
    /// Of it waiting for environments, with nothing to decode.
    pub wait_secs: f64,
}

impl RolloutReport {
    /// # Errors
    /// `NothingPlayed` with what the environments said, where they failed at every episode.
    pub fn is_of_something(&self) -> Result<(), EngineError> {
        if !self.trajectories.is_empty() {
            return Ok(());
        }
        let reasons = self.failures.iter().map(|(class, failures)| format!("{class}: {}", failures.last));
        Err(EngineError::NothingPlayed(reasons.collect::<Vec<_>>().join("; ")))
    }
}

/// Of one class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failures {
    pub count: u64,
    /// What the last one said.
    pub last: String,
}
