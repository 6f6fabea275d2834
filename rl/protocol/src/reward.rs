//! A reward is a number with its parts and evidence, or it is absent with a reason. There is no zero for a failure.

use serde::{Deserialize, Serialize};

/// Whose failure it was. Only `Policy` may count as a low reward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FailureClass {
    Policy,
    Task,
    Env,
    Verifier,
    Infra,
    Quota,
    Deadline,
    Cancelled,
    Stale,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// In [0, 1].
    Value(f64),
    Unscorable(Unscorable),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unscorable {
    pub class: FailureClass,
    /// Stable, upper snake case.
    pub code: String,
    pub message: String,
    pub retryable: bool,
}

/// One measured fault, with what is needed to mend it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Evidence {
    pub component: String,
    /// Measured value and the bound it was held against, both in `unit`.
    pub value: f64,
    pub threshold: f64,
    pub unit: String,
    pub ids: Vec<String>,
    pub names: Vec<String>,
    /// JSON pointer into the scored artifact; empty when the whole is meant.
    pub pointer: String,
    pub position_m: Option<[f64; 3]>,
    pub message: String,
    /// What would mend it; empty when unknown.
    pub fix: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Component {
    pub name: String,
    /// In [0, 1].
    pub value: f64,
    /// Share of the weighted mean over the components in force; they sum to 1.
    pub weight: f64,
    /// Half-width of the measurement's error, in the unit of `value`.
    pub uncertainty: f64,
    /// The ten worst at most.
    pub evidence: Vec<Evidence>,
    /// There were more.
    pub truncated: bool,
    /// The bounds it was measured against; names carry the unit, e.g. `touch_max_m`.
    pub thresholds: Vec<Factor>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    pub name: String,
    pub passed: bool,
    /// The ten worst at most.
    pub evidence: Vec<Evidence>,
    /// There were more.
    pub truncated: bool,
    /// As in [`Component`].
    pub thresholds: Vec<Factor>,
}

/// A named number: a factor of the aggregate (T, Q, c), or a threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Factor {
    pub name: String,
    pub value: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reward {
    pub outcome: Outcome,
    pub gates: Vec<Gate>,
    pub components: Vec<Component>,
    pub factors: Vec<Factor>,
    pub profile_id: String,
    pub profile_hash: Vec<u8>,
    /// Number of this try at scoring the subject, from 1: more only where a try may fail or come out differently.
    pub attempt: u32,
    /// Of the artifact that was scored.
    pub scored_state_hash: Vec<u8>,
}

impl Reward {
    /// A reward that is absent: nothing was measured.
    #[must_use]
    pub fn unscorable(profile_id: &str, unscorable: Unscorable) -> Self {
        Self {
            outcome: Outcome::Unscorable(unscorable),
            gates: Vec::new(),
            components: Vec::new(),
            factors: Vec::new(),
            profile_id: profile_id.into(),
            profile_hash: Vec::new(),
            attempt: 1,
            scored_state_hash: Vec::new(),
        }
    }

    /// The number, where there is one.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        match self.outcome {
            Outcome::Value(value) => Some(value),
            Outcome::Unscorable(_) => None,
        }
    }
}
