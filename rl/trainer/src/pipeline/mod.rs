//! The loop: tasks, rollouts, advantages, update, new weights for the rollouts.

mod curriculum;
pub mod draws;
mod graded;
mod learner;
pub mod mixture;
mod source;
mod step_line;

pub use curriculum::Curriculum;
pub use graded::{Graded, failures, graded};
pub use learner::Learner;
pub(crate) use learner::component_means;
pub use source::{Source, SourceError};
pub use step_line::{SourceLine, Spread, StepLine, Told};

use crate::rollout::{Engine, EngineError, GroupRequest, Policy, RolloutReport};
use crate::run::config::{Mode, RunConfig};
use crate::train::StepError;
use std::time::Instant;

#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    #[error("rollout: {0}")]
    Rollout(#[from] EngineError),
    #[error("update: {0}")]
    Update(#[from] StepError),
    #[error("the thread of the rollouts panicked")]
    Panicked,
}

/// Everything that changes from step to step.
pub struct Pipeline {
    pub config: RunConfig,
    pub sources: Vec<Source>,
    pub engine: Engine,
    pub learner: Learner,
    pub curriculum: Option<Curriculum>,
    /// Updates so far.
    pub step: u64,
    /// What was played ahead of the next step.
    ahead: Option<Rolled>,
}

/// Groups of a step, and what came of them.
struct Rolled {
    /// By request: its group and its source.
    plan: Vec<(u64, usize)>,
    report: RolloutReport,
    /// Of the weights that played.
    version: u64,
}

impl Rolled {
    fn source_of(&self, group: u64) -> usize {
        self.plan.iter().find(|(planned, _)| *planned == group).map_or(0, |(_, source)| *source)
    }
}

impl Pipeline {
    /// The engine has the learner's weights.
    #[must_use]
    pub fn new(
        config: RunConfig,
        sources: Vec<Source>,
        engine: Engine,
        learner: Learner,
        curriculum: Option<Curriculum>,
        step: u64,
    ) -> Self {
        Self { config, sources, engine, learner, curriculum, step, ahead: None }
    }

    /// One step: rollouts, unless they were played ahead, then gradients. With `one_step_off` those of the next step are
    /// played meanwhile, on a thread of their own, with the weights of now; both end before the weights change, so
    /// nothing is ever more than one update stale. A run that is taken up again plays them anew, with newer weights.
    ///
    /// # Errors
    /// Where the environments failed at all episodes, with the reasons.
    pub fn advance(&mut self) -> Result<StepLine, PipelineError> {
        let begun = Instant::now();
        let policy = self.policy();
        let rolled = match self.ahead.take() {
            Some(rolled) => rolled,
            None => {
                let (requests, plan) = self.plan(self.step);
                Rolled { plan, report: self.engine.run(requests, policy)?, version: policy.version }
            }
        };
        rolled.report.is_of_something()?;
        self.record(&rolled);
        let plays_ahead = self.config.run.mode == Mode::OneStepOff && self.step + 1 < self.config.run.steps;
        let next = plays_ahead.then(|| self.plan(self.step + 1));
        let Self { config, sources, learner, engine, step, .. } = self;
        let (line, ahead) = std::thread::scope(|scope| {
            let ahead = next.map(|(requests, plan)| (scope.spawn(|| engine.run(requests, policy)), plan));
            let line = learner.learn(config, sources, *step, &rolled);
            let ahead = ahead.map(|(thread, plan)| (thread.join().map_err(|_| PipelineError::Panicked), plan));
            (line, ahead)
        });
        let mut line = line?;
        self.ahead = match ahead {
            Some((report, plan)) => Some(Rolled { plan, report: report??, version: policy.version }),
            None => None,
        };
        self.engine.model().copy_from(self.learner.model());
        self.step += 1;
        line.stage = self.curriculum.as_ref().map(Curriculum::stage);
        line.told.step_secs = begun.elapsed().as_secs_f64();
        Ok(line)
    }

    /// The groups of a step: a function of seed, step and curriculum.
    fn plan(&self, step: u64) -> (Vec<GroupRequest>, Vec<(u64, usize)>) {
        let (seed, count) = (self.config.run.seed, self.config.rollout.groups);
        let planned = (step * count..(step + 1) * count).map(|group| {
            let source = self.source(draws::source(seed, group));
            let tasks = &self.sources[source];
            let task = tasks.train_id(draws::task(seed, group, tasks.train_count()));
            let environment = draws::environment(seed, group);
            (tasks.request(task, group, environment, self.config.rollout.members), (group, source))
        });
        planned.unzip()
    }

    fn source(&self, drawn: [f64; 2]) -> usize {
        match (&self.curriculum, &self.config.curriculum) {
            (Some(curriculum), Some(config)) => curriculum.source(config, drawn),
            _ => {
                let weights: Vec<f64> = self.sources.iter().map(|source| source.weight).collect();
                mixture::source(&weights, drawn[0])
            }
        }
    }

    fn policy(&self) -> Policy {
        Policy { version: self.step, seed: self.config.run.seed, greedy: false }
    }

    fn record(&mut self, rolled: &Rolled) {
        let (Some(curriculum), Some(config)) = (&mut self.curriculum, &self.config.curriculum) else { return };
        for (group, source) in &rolled.plan {
            let members = rolled.report.trajectories.iter().filter(|trajectory| trajectory.group == *group);
            let rewards: Vec<f64> = members.map(crate::trajectory::Trajectory::reward).collect();
            if !rewards.is_empty() {
                curriculum.record(config, *source, Spread::of(&rewards).mean);
            }
        }
    }
}
