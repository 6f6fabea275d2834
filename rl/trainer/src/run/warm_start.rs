//! Supervised steps on calls that solve tasks, before reinforcement.

use super::config::{RunConfig, WarmStart};
use super::line::{Line, LineError, Lines, read_lines};
use super::setup::{Setup, view};
use crate::grammar::ToolGrammar;
use crate::model::CausalLm;
use crate::optimizer::AdamW;
use crate::pipeline::draws;
use crate::rollout::EngineError;
use crate::train::{DemonstrationError, Origin, SftConfig, Solution, StepError, demonstration, sft_step};
use crate::trajectory::Trajectory;
use rl_protocol::{DomainError, OpenSpec, ToolCall};
use std::collections::BTreeMap;
use std::io;

#[derive(Debug, thiserror::Error)]
pub enum WarmStartError {
    #[error(transparent)]
    Solutions(#[from] LineError),
    #[error("{0}")]
    Domain(Box<DomainError>),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("none of the {given} solutions can be learnt from; the last one that fell out: {why}")]
    NoneLeft { given: usize, why: String },
    #[error("update: {0}")]
    Step(#[from] StepError),
    #[error("metrics: {0}")]
    Metrics(#[from] io::Error),
}

impl From<DomainError> for WarmStartError {
    fn from(error: DomainError) -> Self {
        Self::Domain(Box::new(error))
    }
}

/// Plays the solutions of tasks that are trained on, and trains the model on those that are good enough and that its
/// grammar can spell.
pub(super) fn warm_start(
    config: &RunConfig,
    warm: &WarmStart,
    setup: &Setup,
    model: &CausalLm,
    metrics: &mut Lines,
) -> Result<(), WarmStartError> {
    let demonstrations = demonstrations(config, warm, setup)?;
    let mut optimizer = AdamW::new(config.optimizer.adamw);
    let sft = SftConfig {
        max_grad_norm: config.optimizer.max_grad_norm,
        micro_batch_tokens: config.algorithm.micro_batch_tokens,
    };
    for warm_step in 0..warm.steps {
        let batch: Vec<&Trajectory> = (0..u64::from(warm.batch))
            .map(|index| &demonstrations[draws::demonstration(config.run.seed, warm_step, index, demonstrations.len())])
            .collect();
        let done = sft_step(model, &mut optimizer, &batch, warm.learning_rate, sft)?;
        metrics.push(&Line::WarmStart { warm_step, metrics: done })?;
    }
    Ok(())
}

/// Not empty.
fn demonstrations(config: &RunConfig, warm: &WarmStart, setup: &Setup) -> Result<Vec<Trajectory>, WarmStartError> {
    let solutions: Vec<Solution> = read_lines(&warm.solutions)?;
    let mut grammars: BTreeMap<(String, Vec<String>), ToolGrammar> = BTreeMap::new();
    let mut kept = Vec::new();
    let mut why = "there are none".to_owned();
    for solution in &solutions {
        match played(config, warm, setup, solution, &mut grammars)? {
            Ok(trajectory) => kept.push(trajectory),
            Err(reason) => why = format!("{}: {reason}", solution.id),
        }
    }
    if kept.is_empty() {
        return Err(WarmStartError::NoneLeft { given: solutions.len(), why });
    }
    Ok(kept)
}

/// The demonstration, or why there is none.
fn played(
    config: &RunConfig,
    warm: &WarmStart,
    setup: &Setup,
    solution: &Solution,
    grammars: &mut BTreeMap<(String, Vec<String>), ToolGrammar>,
) -> Result<Result<Trajectory, String>, WarmStartError> {
    let Some(source) = setup.sources.iter().find(|source| source.trains_on(&solution.id)) else {
        return Ok(Err("no [[tasks]] of this run trains on it".into()));
    };
    let domain = source.domain.as_str();
    let spec = OpenSpec {
        task_id: solution.id.clone(),
        count: 1,
        seed: config.run.seed,
        profile: None,
        tool_groups: source.tool_groups.clone(),
    };
    let calls: Vec<ToolCall> = solution.solution.iter().map(ToolCall::from).collect();
    let played = setup.environments.play(domain, spec, &calls)?;
    let Some(reward) = played.reward.as_ref().and_then(rl_protocol::Reward::value) else {
        return Ok(Err("its calls do not end in a reward".into()));
    };
    if reward < warm.reward_min {
        return Ok(Err(format!("it is worth {reward}")));
    }
    let tokenizer = setup.vocabulary.tokenizer();
    let key = (source.domain.clone(), played.tool_groups);
    let grammar = match grammars.get(&key) {
        Some(grammar) => grammar.clone(),
        None => setup.environments.grammar(domain, &key.1, setup.vocabulary.tokenizer())?,
    };
    grammars.insert(key, grammar.clone());
    let origin = Origin { domain, task_id: &solution.id, prompt: &played.prompt, reward };
    match demonstration(&*tokenizer, &grammar, view(config), origin, &solution.solution, &played.results) {
        Ok(trajectory) if trajectory.tokens.len() > config.rollout.context => {
            Ok(Err(format!("it has {} tokens", trajectory.tokens.len())))
        }
        Ok(trajectory) => Ok(Ok(trajectory)),
        Err(DemonstrationError::Grammar(error)) => Err(EngineError::Grammar(error).into()),
        Err(error) => Ok(Err(error.to_string())),
    }
}
