//! The weights that learn, and how they do.

use super::{Graded, PipelineError, Rolled, Source, SourceLine, Spread, StepLine, Told, failures, graded};
use crate::model::CausalLm;
use crate::optimizer::AdamW;
use crate::run::config::RunConfig;
use crate::schedule::Schedule;
use crate::train::{Reference, Sample, StepConfig, policy_step};
use crate::trajectory::{Outcome, Trajectory};
use std::collections::BTreeMap;
use std::time::Instant;

pub struct Learner {
    model: CausalLm,
    optimizer: AdamW,
    /// What the policy is held near, where the run asks for it.
    reference: Option<CausalLm>,
}

impl Learner {
    #[must_use]
    pub fn new(model: CausalLm, optimizer: AdamW, reference: Option<CausalLm>) -> Self {
        Self { model, optimizer, reference }
    }

    #[must_use]
    pub fn model(&self) -> &CausalLm {
        &self.model
    }

    #[must_use]
    pub fn optimizer(&self) -> &AdamW {
        &self.optimizer
    }

    #[must_use]
    pub fn reference(&self) -> Option<&CausalLm> {
        self.reference.as_ref()
    }

    /// Updates the weights by what a step's groups were worth. Groups of equal rewards have nothing to say but by entropy
    /// and KL: without a price of these they are left out of the batch.
    pub(super) fn learn(
        &mut self,
        config: &RunConfig,
        sources: &[Source],
        step: u64,
        rolled: &Rolled,
    ) -> Result<StepLine, PipelineError> {
        let begun = Instant::now();
        let algorithm = &config.algorithm;
        let trajectories = &rolled.report.trajectories;
        let shuffled = algorithm.shuffle_rewards.then_some((config.run.seed, step));
        let graded = graded(trajectories, algorithm.advantage, shuffled);
        let takes_all = algorithm.entropy_coefficient != 0.0 || algorithm.kl_coefficient > 0.0;
        let samples: Vec<Sample> = trajectories
            .iter()
            .zip(&graded.advantages)
            .filter(|(trajectory, _)| takes_all || !graded.equal_groups.contains(&trajectory.group))
            .map(|(trajectory, &advantage)| Sample { trajectory, advantage })
            .collect();
        let learning_rate = schedule(config).at(step);
        let reference = self.reference.as_ref().map(|model| Reference {
            model,
            coefficient: algorithm.kl_coefficient,
            estimator: algorithm.kl_estimator,
        });
        let update = policy_step(
            &self.model,
            &mut self.optimizer,
            &samples,
            reference,
            learning_rate,
            &step_config(config, step),
        )?;
        let report = &rolled.report;
        let by_policy = |trajectory: &&Trajectory| matches!(trajectory.outcome, Outcome::PolicyFailure { .. });
        let rewards: Vec<f64> = trajectories.iter().map(Trajectory::reward).collect();
        Ok(StepLine {
            step,
            episodes: trajectories.len() as u64,
            reward: Spread::of(&rewards),
            sources: source_lines(sources, rolled, &graded),
            stage: None,
            update,
            learning_rate,
            staleness: step - rolled.version,
            policy_failures: trajectories.iter().filter(by_policy).count() as u64,
            equal_groups: graded.equal_groups.len() as u64,
            dropped_groups: report.dropped_groups.len() as u64,
            dropped_members: report.dropped_members.len() as u64,
            refills: report.refills,
            failures: failures(report),
            sampled_tokens: report.sampled_tokens,
            told: Told {
                rollout_secs: report.wall_secs,
                decode_secs: report.decode_secs,
                wait_secs: report.wait_secs,
                train_secs: begun.elapsed().as_secs_f64(),
                step_secs: 0.0,
            },
        })
    }
}

fn schedule(config: &RunConfig) -> Schedule {
    let optimizer = &config.optimizer;
    Schedule {
        peak: optimizer.learning_rate,
        warmup_steps: optimizer.warmup_steps,
        decay: optimizer.decay,
        total_steps: config.run.steps,
        floor_share: optimizer.floor_share,
    }
}

fn step_config(config: &RunConfig, step: u64) -> StepConfig {
    let algorithm = &config.algorithm;
    let entropy = Schedule {
        peak: algorithm.entropy_coefficient,
        warmup_steps: 0,
        decay: algorithm.entropy_decay,
        total_steps: config.run.steps,
        floor_share: 0.0,
    };
    StepConfig {
        clip: algorithm.clip,
        aggregation: algorithm.aggregation,
        entropy_coefficient: entropy.at(step),
        max_grad_norm: config.optimizer.max_grad_norm,
        epochs: algorithm.epochs,
        minibatches: algorithm.minibatches,
        micro_batch_tokens: algorithm.micro_batch_tokens,
    }
}

fn source_lines(sources: &[Source], rolled: &Rolled, graded: &Graded) -> BTreeMap<String, SourceLine> {
    let trajectories = &rolled.report.trajectories;
    let planned = |source: usize| rolled.plan.iter().filter(move |(_, planned)| *planned == source);
    let line = |source: usize| {
        let of_source: Vec<usize> =
            (0..trajectories.len()).filter(|&index| rolled.source_of(trajectories[index].group) == source).collect();
        let pick = |values: &[f64]| of_source.iter().map(|&index| values[index]).collect::<Vec<_>>();
        let rewards: Vec<f64> = of_source.iter().map(|&index| trajectories[index].reward()).collect();
        let equal = planned(source).filter(|(group, _)| graded.equal_groups.contains(group)).count();
        let groups = planned(source).count();
        SourceLine {
            groups: groups as u64,
            episodes: of_source.len() as u64,
            reward: Spread::of(&rewards),
            components: component_means(of_source.iter().map(|&index| &trajectories[index])),
            advantage: Spread::of(&pick(&graded.advantages)),
            equal_share: equal as f64 / groups.max(1) as f64,
        }
    };
    let present = (0..sources.len()).filter(|&source| planned(source).next().is_some());
    present.map(|source| (sources[source].name.clone(), line(source))).collect()
}

/// Of the episodes that have the component.
pub(crate) fn component_means<'a>(trajectories: impl Iterator<Item = &'a Trajectory>) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for trajectory in trajectories {
        if let Outcome::Scored { components, .. } = &trajectory.outcome {
            for (name, value) in components {
                let (sum, count) = sums.entry(name.clone()).or_default();
                *sum += value;
                *count += 1.0;
            }
        }
    }
    sums.into_iter().map(|(name, (sum, count))| (name, sum / count)).collect()
}
