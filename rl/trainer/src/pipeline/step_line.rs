//! What is told of a step.

use crate::train::StepMetrics;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Of numbers; 0 of none.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Spread {
    pub mean: f64,
    /// With n − 1.
    pub std: f64,
    pub min: f64,
    pub max: f64,
}

impl Spread {
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        if values.is_empty() {
            return Self::default();
        }
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        Self {
            mean,
            std: (squares / (count - 1.0).max(1.0)).sqrt(),
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// One source of tasks in one step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SourceLine {
    pub groups: u64,
    pub episodes: u64,
    pub reward: Spread,
    /// Means of the reward's components.
    pub components: BTreeMap<String, f64>,
    pub advantage: Spread,
    /// Share of its groups whose members were all worth the same.
    pub equal_share: f64,
}

/// Nothing in it depends on the time or the machine but `told`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StepLine {
    /// Updates before it.
    pub step: u64,
    pub episodes: u64,
    pub reward: Spread,
    pub sources: BTreeMap<String, SourceLine>,
    /// Where the curriculum is.
    pub stage: Option<usize>,
    pub update: StepMetrics,
    pub learning_rate: f64,
    /// Updates between the weights that sampled and those that learnt.
    pub staleness: u64,
    pub policy_failures: u64,
    pub equal_groups: u64,
    pub dropped_groups: u64,
    pub dropped_members: u64,
    pub refills: u64,
    /// Failures of environments by class.
    pub failures: BTreeMap<String, u64>,
    /// Chosen by the policy.
    pub sampled_tokens: u64,
    pub told: Told,
}

/// Seconds, which differ from run to run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Told {
    pub rollout_secs: f64,
    /// Of it, model, grammar and sampling.
    pub decode_secs: f64,
    /// Of it, waiting for environments.
    pub wait_secs: f64,
    pub train_secs: f64,
    pub step_secs: f64,
}
