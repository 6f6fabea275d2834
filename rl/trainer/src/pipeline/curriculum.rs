//! Sources of tasks one after another: the next begins when the present one is mastered.

use crate::run::config::CurriculumConfig;
use serde::{Deserialize, Serialize};

/// How far a run is. A checkpoint keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curriculum {
    /// The present source.
    stage: usize,
    /// By source.
    progress: Vec<Progress>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Progress {
    groups: u64,
    /// Running mean of the groups' mean rewards.
    reward: Option<f64>,
}

impl Curriculum {
    #[must_use]
    pub fn new(sources: usize) -> Self {
        Self { stage: 0, progress: vec![Progress::default(); sources] }
    }

    #[must_use]
    pub fn stage(&self) -> usize {
        self.stage
    }

    /// The present source, or for `replay_share` of the first draw one of those passed, by the second. Both in [0, 1).
    #[must_use]
    pub fn source(&self, config: &CurriculumConfig, draws: [f64; 2]) -> usize {
        // A checkpoint may be of more sources than the run has now.
        let stage = self.stage.min(self.progress.len().saturating_sub(1));
        if stage == 0 || draws[0] >= config.replay_share {
            return stage;
        }
        ((draws[1] * stage as f64) as usize).min(stage - 1)
    }

    /// Takes in the mean reward of a group, and goes on to the next source when this one had its groups and is good enough.
    pub fn record(&mut self, config: &CurriculumConfig, source: usize, reward: f64) {
        let last = self.progress.len().saturating_sub(1);
        let Some(progress) = self.progress.get_mut(source) else { return };
        progress.groups += 1;
        let running = progress.reward.map_or(reward, |old| old + config.ema * (reward - old));
        progress.reward = Some(running);
        let mastered = progress.groups >= config.groups_min && running >= config.threshold;
        if source == self.stage && mastered && self.stage < last {
            self.stage += 1;
        }
    }
}
