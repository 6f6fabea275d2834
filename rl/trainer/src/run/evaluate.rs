//! How good a policy is on tasks that it was not trained on.

use super::checkpoint::Checkpoint;
use super::config::RunConfig;
use super::folder::RunFolder;
use super::session::RunError;
use super::setup::{Setup, SetupError, connect};
use crate::pipeline::{Source, draws};
use crate::rollout::{Engine, EngineError, GroupRequest, Policy};
use crate::tokens::Tokenizer;
use crate::trajectory::{Outcome, Trajectory};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Groups of evaluations are numbered from here, those of a source 2²⁰ apart.
const FIRST_GROUP: u64 = 1 << 40;
const GROUPS_OF_A_SOURCE: u64 = 1 << 20;
/// Of each source, kept to be read.
const SAMPLES: usize = 2;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EvaluationLine {
    /// Updates before it.
    pub step: u64,
    pub episodes: u64,
    /// Mean over all episodes.
    pub reward: f64,
    pub sources: BTreeMap<String, SourceScore>,
    /// Given up because their environments failed; not among the episodes.
    pub dropped: u64,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SourceScore {
    pub episodes: u64,
    pub reward: f64,
    pub policy_failures: u64,
    /// Means of the reward's components.
    pub components: BTreeMap<String, f64>,
}

/// One episode in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleLine {
    pub step: u64,
    pub source: String,
    pub task_id: String,
    /// The prompt, then in turns what the policy wrote and what it read.
    pub turns: Vec<String>,
    pub reward: f64,
    pub components: BTreeMap<String, f64>,
    /// Why there is no reward from the environment.
    pub failure: Option<String>,
}

/// Plays the first held-out tasks of each source, one episode each; the same ones every time.
pub fn evaluate(
    engine: &mut Engine,
    tokenizer: &dyn Tokenizer,
    sources: &[Source],
    config: &RunConfig,
    step: u64,
) -> Result<(EvaluationLine, Vec<SampleLine>), EngineError> {
    let seed = config.run.seed;
    let first = |source: usize| FIRST_GROUP + source as u64 * GROUPS_OF_A_SOURCE;
    let requests: Vec<GroupRequest> = sources
        .iter()
        .enumerate()
        .flat_map(|(index, source)| {
            let count = config.evaluation.episodes.min(source.held_out_count()).min(GROUPS_OF_A_SOURCE);
            (0..count).map(move |task| {
                let group = first(index) + task;
                source.request(source.held_out_id(task), group, draws::environment(seed, group), 1)
            })
        })
        .collect();
    let policy = Policy { version: step, seed, greedy: config.evaluation.greedy };
    let asked = !requests.is_empty();
    let report = engine.run(requests, policy)?;
    if asked {
        report.is_of_something()?;
    }
    let mut line = EvaluationLine { step, dropped: report.dropped_groups.len() as u64, ..EvaluationLine::default() };
    let mut samples = Vec::new();
    let mut sum = 0.0;
    for (index, source) in sources.iter().enumerate() {
        let range = first(index)..first(index) + GROUPS_OF_A_SOURCE;
        let played: Vec<&Trajectory> =
            report.trajectories.iter().filter(|trajectory| range.contains(&trajectory.group)).collect();
        if played.is_empty() {
            continue;
        }
        let rewards: f64 = played.iter().map(|trajectory| trajectory.reward()).sum();
        sum += rewards;
        line.episodes += played.len() as u64;
        let failures =
            played.iter().filter(|trajectory| matches!(trajectory.outcome, Outcome::PolicyFailure { .. })).count();
        let score = SourceScore {
            episodes: played.len() as u64,
            reward: rewards / played.len() as f64,
            policy_failures: failures as u64,
            components: crate::pipeline::component_means(played.iter().copied()),
        };
        line.sources.insert(source.name.clone(), score);
        let shown = played.iter().take(SAMPLES);
        samples.extend(shown.map(|trajectory| sample(trajectory, tokenizer, &source.name, step)));
    }
    line.reward = sum / line.episodes.max(1) as f64;
    Ok((line, samples))
}

/// The same by a policy that takes any allowed token: what learning has to beat.
pub fn random_baseline(setup: &Setup, config: &RunConfig) -> Result<EvaluationLine, SetupError> {
    let mut config = config.clone();
    config.evaluation.greedy = false;
    let mut engine = setup.random_engine(&config)?;
    let (line, _) = evaluate(&mut engine, &*setup.vocabulary.tokenizer(), &setup.sources, &config, 0)?;
    Ok(line)
}

/// A run's newest policy, or with `random` any allowed token, on `episodes` held-out tasks of each source.
pub fn evaluate_run(
    mut config: RunConfig,
    folder: &RunFolder,
    episodes: Option<u64>,
    random: bool,
) -> Result<EvaluationLine, RunError> {
    config.evaluation.episodes = episodes.unwrap_or(config.evaluation.episodes);
    let checkpoint = Checkpoint::newest(folder)?.ok_or_else(|| RunError::NoCheckpoint(folder.checkpoints()))?;
    let (environments, _served) = connect(&config, folder)?;
    let (setup, model) = Setup::of(&config, environments, Some(checkpoint.path.as_path()))?;
    if random {
        return Ok(random_baseline(&setup, &config)?);
    }
    let mut engine = setup.engine(&config, &model, config.rollout.temperature)?;
    let tokenizer = setup.vocabulary.tokenizer();
    Ok(evaluate(&mut engine, &*tokenizer, &setup.sources, &config, checkpoint.step)?.0)
}

fn sample(trajectory: &Trajectory, tokenizer: &dyn Tokenizer, source: &str, step: u64) -> SampleLine {
    let markers = tokenizer.markers();
    let is_marker = |token: &u32| [markers.task, markers.policy, markers.result].contains(token);
    let turns = trajectory.tokens.split(is_marker).skip(1).map(|tokens| tokenizer.decode(tokens)).collect();
    let (components, failure) = match &trajectory.outcome {
        Outcome::Scored { components, .. } => (components.iter().cloned().collect(), None),
        Outcome::PolicyFailure { what } => (BTreeMap::new(), Some(what.clone())),
    };
    SampleLine {
        step,
        source: source.into(),
        task_id: trajectory.task_id.clone(),
        turns,
        reward: trajectory.reward(),
        components,
        failure,
    }
}
