//! The policy's model, and how it plays.

use super::{
    conversation::ResultView, decoder::Decoder, environment::Environments, episodes::Episodes, play::Limits,
    report::RolloutReport,
};
use crate::{
    grammar::{GrammarError, ToolGrammar},
    model::{CausalLm, ModelError},
    tokens::Tokenizer,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};
use tch::TchError;

#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// Episodes that are played at once; at least 1.
    pub slots: usize,
    /// Tokens of one episode, read and written.
    pub context: usize,
    /// Of the logits; positive.
    pub temperature: f64,
    /// Tokens of one call, forced ones and its end included; a longer one is the policy's failure.
    pub call_tokens_max: usize,
    /// Calls of one episode.
    pub turns_max: u32,
    pub results: ResultView,
    /// Waits for all environments before each token, so that which rows are decoded together, and with it the rounding
    /// of every number, is a function of requests, seed and weights, and not of how quickly anybody answers.
    pub lockstep: bool,
    /// For an answer of an environment, to be opened and to play or score.
    pub open_within: Duration,
    pub step_within: Duration,
}

/// `members` episodes of one task from one prepared state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRequest {
    /// Unique among the requests; tokens are drawn by it.
    pub group: u64,
    pub domain: String,
    pub task_id: String,
    /// What the policy is told; empty for the texts that the episode opens with.
    pub prompt: String,
    /// The environment's.
    pub seed: u64,
    /// Less than 2^20.
    pub members: u32,
    pub tool_groups: Vec<String>,
}

/// How tokens are chosen, and by which weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    pub version: u64,
    pub seed: u64,
    /// The likeliest token always: for evaluation, not to be trained on.
    pub greedy: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("an engine needs at least one slot")]
    NoSlots,
    #[error("the tokenizer has {tokenizer} tokens, the model {model}")]
    Vocabulary { tokenizer: usize, model: i64 },
    #[error("a context of {given} tokens; the model knows places of {allowed} at most")]
    Context { given: usize, allowed: i64 },
    /// Its mean would be a reward of nothing.
    #[error("no episode could be played: {0}")]
    NothingPlayed(String),
    #[error("two requests are of group {0}")]
    DuplicateGroup(u64),
    #[error("no environment {given:?}; there are {known:?}")]
    UnknownDomain { given: String, known: Vec<String> },
    #[error("the model: {0}")]
    Model(#[from] ModelError),
    #[error("the grammar of calls: {0}")]
    Grammar(#[from] GrammarError),
    #[error("the logits of version {version} are not finite")]
    NotFinite { version: u64 },
    #[error("libtorch: {0}")]
    Torch(#[from] TchError),
}

/// Plays groups of episodes. One thread, of no runtime, owns it: it decodes while environments are at work.
///
/// An episode ends when its environment ends it. At `turns_max`, or with a full context, the state as it stands is
/// scored: whether an unfinished work is worth something is the reward's to say. A call that does not end within
/// `call_tokens_max` is a failure of the policy.
pub struct Engine {
    pub(super) decoder: Decoder,
    pub(super) tokenizer: Arc<dyn Tokenizer>,
    pub(super) environments: Arc<Environments>,
    pub(super) config: EngineConfig,
    /// By domain and the groups of tools that an episode offers.
    grammars: BTreeMap<(String, Vec<String>), ToolGrammar>,
}

impl Engine {
    /// The model is the engine's own copy.
    ///
    /// # Errors
    /// No slots; a context beyond the model's; a tokenizer with more tokens than the model.
    pub fn new(
        model: CausalLm,
        tokenizer: Arc<dyn Tokenizer>,
        environments: Arc<Environments>,
        config: EngineConfig,
    ) -> Result<Self, EngineError> {
        if config.slots == 0 {
            return Err(EngineError::NoSlots);
        }
        let positions = model.config().max_position_embeddings;
        if config.context as i64 > positions {
            return Err(EngineError::Context { given: config.context, allowed: positions });
        }
        let (known, modelled) = (tokenizer.vocab_size(), model.config().vocab_size);
        if known as i64 > modelled {
            return Err(EngineError::Vocabulary { tokenizer: known, model: modelled });
        }
        let decoder = Decoder::new(model, config.slots, config.context);
        Ok(Self { decoder, tokenizer, environments, config, grammars: BTreeMap::new() })
    }

    /// For new weights ([`CausalLm::copy_from`]): no cache outlives a rollout.
    #[must_use]
    pub fn model(&self) -> &CausalLm {
        self.decoder.model()
    }

    /// Plays all. The tokens of an episode are a function of weights, task and environment, `policy.seed`, group and
    /// member alone: not of slots, order, or failures and their repetition.
    ///
    /// # Errors
    /// What stops all episodes: an unknown domain, requests of the same group, a grammar or a model that fails. What
    /// befalls one environment is in the report.
    pub fn run(&mut self, requests: Vec<GroupRequest>, policy: Policy) -> Result<RolloutReport, EngineError> {
        let mut seen = BTreeSet::new();
        if let Some(twice) = requests.iter().find(|request| !seen.insert(request.group)) {
            return Err(EngineError::DuplicateGroup(twice.group));
        }
        // Sessions are closed on the runtime, wherever their episodes are dropped.
        let runtime = self.environments.runtime().clone();
        let _entered = runtime.enter();
        Episodes::new(self, requests, policy)?.played()
    }

    pub(super) fn limits(&self) -> Limits {
        Limits { context: self.config.context, call: self.config.call_tokens_max }
    }

    /// Of calls in an episode that offers these groups of tools.
    pub(super) fn grammar(&mut self, domain: &str, groups: &[String]) -> Result<ToolGrammar, EngineError> {
        let key = (domain.to_owned(), groups.to_vec());
        if let Some(grammar) = self.grammars.get(&key) {
            return Ok(grammar.clone());
        }
        let grammar = self.environments.grammar(domain, groups, Arc::clone(&self.tokenizer))?;
        self.grammars.insert(key, grammar.clone());
        Ok(grammar)
    }
}
