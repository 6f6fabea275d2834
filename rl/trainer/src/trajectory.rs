//! What a policy is trained on: an episode as the tokens that were read and written.

use crate::{token_set::TokenSet, tokens::Token};

/// One episode, token by token in the order in which they were read and written. What was sampled is never tokenised
/// again; prompts, results, markers and what the grammar forced are read, not sampled.
#[derive(Clone, PartialEq)]
pub struct Trajectory {
    pub domain: String,
    pub task_id: String,
    /// `(group, member)` is unique in a rollout; members of a group play one task from one prepared state.
    pub group: u64,
    pub member: u32,
    pub tokens: Vec<Token>,
    /// Ascending by place. Empty where the grammar left no choice at all.
    pub sampled: Vec<Step>,
    pub temperature: f64,
    /// Of the weights that sampled it.
    pub policy_version: u64,
    pub outcome: Outcome,
    /// Calls that were played.
    pub turns: u32,
    /// From its first token to its outcome; told, never trained on.
    pub wall_secs: f64,
}

/// A token that the policy chose.
#[derive(Clone, PartialEq)]
pub struct Step {
    /// Of the token in `Trajectory.tokens`; the logits of the token before it are what it was drawn from.
    pub place: u32,
    /// Of exactly the distribution that was drawn from: temperature and mask included. 0 where the likeliest was taken.
    pub log_mu: f64,
    /// The mask.
    pub allowed: TokenSet,
    /// From 0.
    pub turn: u32,
}

/// A failure of the environment makes no trajectory: there is nothing to learn from it.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// `reward` in [0, 1], with the components that made it.
    Scored { reward: f64, components: Vec<(String, f64)> },
    /// The policy's own fault, such as a call that never ends: a real zero.
    PolicyFailure { what: String },
}

impl Trajectory {
    #[must_use]
    pub fn reward(&self) -> f64 {
        match self.outcome {
            Outcome::Scored { reward, .. } => reward,
            Outcome::PolicyFailure { .. } => 0.0,
        }
    }
}
