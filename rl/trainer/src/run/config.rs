//! What a run is: one TOML file. Unknown fields are refused; `runs/size.toml` shows and explains every field.

use super::overrides::set;
use crate::advantage::AdvantageKind;
use crate::loss::{Aggregation, Clip, KlEstimator};
use crate::optimizer::AdamWConfig;
use crate::schedule::Decay;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    pub run: Run,
    pub server: Server,
    pub tasks: Vec<Tasks>,
    pub curriculum: Option<CurriculumConfig>,
    #[serde(default)]
    pub policy: Policy,
    pub warm_start: Option<WarmStart>,
    #[serde(default)]
    pub rollout: Rollout,
    #[serde(default)]
    pub algorithm: Algorithm,
    #[serde(default)]
    pub optimizer: Optimizer,
    #[serde(default)]
    pub evaluation: Evaluation,
    #[serde(default)]
    pub checkpoint: Checkpointing,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Stands on curves and reports.
    pub name: String,
    /// Where everything of the run goes; `out/<name>-<seed>` when absent.
    pub folder: Option<PathBuf>,
    /// Of weights, tasks and samples. Two runs of one seed on one thread are equal bit for bit.
    #[serde(default)]
    pub seed: u64,
    /// Updates of the policy.
    pub steps: u64,
    /// Of libtorch. With one, episodes also wait for each other, so that a run can be repeated bit for bit.
    #[serde(default = "one")]
    pub threads: u32,
    /// `cpu`, or `cuda:0`.
    #[serde(default = "cpu")]
    pub device: String,
    #[serde(default)]
    pub mode: Mode,
}

fn one() -> u32 {
    1
}

fn cpu() -> String {
    "cpu".into()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Rollouts, then gradients.
    #[default]
    Sync,
    /// Rollouts of the next step while the gradients of this one are computed: one update stale.
    OneStepOff,
}

/// One of the two.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// Of a server that runs: `http://host:port` or `unix:path`.
    pub address: Option<String>,
    /// The program `maquette`, which is started on a free port of this machine and ended with the run.
    pub serve: Option<PathBuf>,
}

/// A source of tasks: a template of ids, or a split that the domain lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tasks {
    /// Stands in metrics.
    pub name: String,
    pub domain: String,
    /// Generated tasks, e.g. `scene/gen-box-{seed}-{index}`: even indices are trained on, odd ones are held out.
    pub ids: Option<String>,
    /// What `{seed}` stands for.
    #[serde(default)]
    pub seed: u64,
    /// Generated tasks to train on; as many are held out.
    #[serde(default = "thousand")]
    pub count: u64,
    /// Instead of `ids`: the split to train on.
    pub split: Option<String>,
    /// Beside `split`: the split to evaluate on.
    pub held_out_split: Option<String>,
    /// Share of the groups, relative to the others'. A curriculum does not heed it.
    #[serde(default = "full")]
    pub weight: f64,
    /// Groups of tools that an episode asks for.
    #[serde(default)]
    pub tool_groups: Vec<String>,
}

fn thousand() -> u64 {
    1000
}

fn full() -> f64 {
    1.0
}

/// The sources of tasks in their order, from the easiest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CurriculumConfig {
    /// Mean reward from which on the next source follows.
    pub threshold: f64,
    /// Groups that a source is trained on at least.
    pub groups_min: u64,
    /// Share of a group's mean in the running mean.
    pub ema: f64,
    /// Share of the groups that come from sources that were passed.
    pub replay_share: f64,
}

impl Default for CurriculumConfig {
    fn default() -> Self {
        Self { threshold: 0.9, groups_min: 32, ema: 0.1, replay_share: 0.1 }
    }
}

/// A Llama of these sizes with random weights, or a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// A folder with config.json, model.safetensors and tokenizer.json; the sizes are its own then.
    pub pretrained: Option<PathBuf>,
    pub hidden_size: i64,
    pub intermediate_size: i64,
    pub num_hidden_layers: i64,
    pub num_attention_heads: i64,
    pub num_key_value_heads: i64,
    pub tie_word_embeddings: bool,
    pub rope_theta: f64,
    /// Prompts of each source of tasks whose words become tokens; the others are read letter by letter.
    pub prompts_for_words: u64,
    /// The only tools that the policy may call, each with a JSON Schema that its arguments must meet too. Empty: all.
    pub tools: BTreeMap<String, serde_json::Value>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            pretrained: None,
            hidden_size: 128,
            intermediate_size: 384,
            num_hidden_layers: 3,
            num_attention_heads: 4,
            num_key_value_heads: 2,
            tie_word_embeddings: false,
            rope_theta: 10_000.0,
            prompts_for_words: 64,
            tools: BTreeMap::new(),
        }
    }
}

/// Supervised steps before the first rollout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarmStart {
    /// One JSON object a line with `id` and `solution`, as `maquette tasks generate … --json --solutions` prints them.
    /// Those of tasks that are not trained on are left out.
    pub solutions: PathBuf,
    pub steps: u64,
    /// Demonstrations a step.
    #[serde(default = "sixteen")]
    pub batch: u32,
    #[serde(default = "thousandth")]
    pub learning_rate: f64,
    /// Demonstrations that are worth less when played are left out.
    #[serde(default = "nine_tenths")]
    pub reward_min: f64,
}

fn sixteen() -> u32 {
    16
}

fn thousandth() -> f64 {
    1e-3
}

fn nine_tenths() -> f64 {
    0.9
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rollout {
    /// Tasks a step.
    pub groups: u64,
    /// Episodes a task.
    pub members: u32,
    /// Episodes that are decoded at once.
    pub slots: usize,
    /// Tokens of an episode at most.
    pub context: usize,
    pub temperature: f64,
    /// Calls of an episode at most.
    pub turns_max: u32,
    /// Tokens of a call at most.
    pub call_tokens_max: usize,
    /// Tokens of a tool's result that the policy reads at most.
    pub result_tokens: usize,
    /// Show the results of calls that went well; a refusal is always shown.
    pub show_results: bool,
    /// Seconds that opening an episode may take.
    pub open_secs: f64,
    /// Seconds that a call may take, scoring included.
    pub step_secs: f64,
}

impl Default for Rollout {
    fn default() -> Self {
        Self {
            groups: 8,
            members: 8,
            slots: 64,
            context: 512,
            temperature: 1.0,
            turns_max: 8,
            call_tokens_max: 128,
            result_tokens: 48,
            show_results: false,
            open_secs: 20.0,
            step_secs: 30.0,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Algorithm {
    pub advantage: AdvantageKind,
    /// Bounds of the ratio of new to old probabilities.
    pub clip: Clip,
    /// What each token weighs in the loss of a batch.
    pub aggregation: Aggregation,
    /// Price of a nat of entropy at the first step.
    pub entropy_coefficient: f64,
    /// Towards 0 at the last step.
    pub entropy_decay: Decay,
    /// Price of a nat of KL to the weights that reinforcement began with; 0 keeps no copy of them.
    pub kl_coefficient: f64,
    pub kl_estimator: KlEstimator,
    /// Times that each episode is learnt from.
    pub epochs: u32,
    /// Updates an epoch.
    pub minibatches: u32,
    /// Places, padding included, that go through the model at once; changes memory and speed only.
    pub micro_batch_tokens: usize,
    /// The negative control: rewards are exchanged at random between the episodes of a step, so nothing can be learnt.
    pub shuffle_rewards: bool,
}

impl Default for Algorithm {
    fn default() -> Self {
        Self {
            advantage: AdvantageKind::Grpo,
            clip: Clip { low: 0.2, high: 0.28, dual: Some(3.0) },
            aggregation: Aggregation::TokenMean,
            entropy_coefficient: 0.0,
            entropy_decay: Decay::Constant,
            kl_coefficient: 0.0,
            kl_estimator: KlEstimator::RatioK3,
            epochs: 1,
            minibatches: 1,
            micro_batch_tokens: 8192,
            shuffle_rewards: false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Optimizer {
    /// After the warm-up.
    pub learning_rate: f64,
    /// Steps over which it rises in a line.
    pub warmup_steps: u64,
    pub decay: Decay,
    /// What is left of it at the last step.
    pub floor_share: f64,
    /// The norm of all gradients is cut to it.
    pub max_grad_norm: f64,
    pub adamw: AdamWConfig,
}

impl Default for Optimizer {
    fn default() -> Self {
        Self {
            learning_rate: 1e-3,
            warmup_steps: 5,
            decay: Decay::Constant,
            floor_share: 0.1,
            max_grad_norm: 1.0,
            adamw: AdamWConfig { weight_decay: 0.0, ..AdamWConfig::default() },
        }
    }
}

/// On tasks that are held out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Evaluation {
    /// Steps from one to the next; the last step has one in any case, 0 means that one alone.
    pub every: u64,
    /// Held-out tasks of each source.
    pub episodes: u64,
    /// The likeliest token instead of a sampled one.
    pub greedy: bool,
}

impl Default for Evaluation {
    fn default() -> Self {
        Self { every: 20, episodes: 32, greedy: true }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Checkpointing {
    /// Steps from one to the next; the last step has one in any case, 0 means that one alone.
    pub every: u64,
    /// Newest ones that are kept, beside the best by evaluation.
    pub keep: usize,
}

impl Default for Checkpointing {
    fn default() -> Self {
        Self { every: 20, keep: 2 }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{path}: {source}; rl/trainer/runs/size.toml shows the file of a run")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path}: {source}")]
    Toml { path: PathBuf, source: Box<toml::de::Error> },
    #[error("--set {given:?}: {why}; e.g. --set optimizer.learning_rate=3e-4")]
    Set { given: String, why: String },
    #[error("{field} is {given}; {allowed}")]
    Value { field: String, given: String, allowed: &'static str },
}

impl RunConfig {
    /// Reads a file; each of `sets` is `dotted.key=value` and replaces what the file says.
    pub fn read(path: &Path, sets: &[String]) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|source| ConfigError::Io { path: path.into(), source })?;
        let toml_error = |source| ConfigError::Toml { path: path.into(), source: Box::new(source) };
        // Without changes the text itself is parsed: errors then show its lines.
        let config: Self = if sets.is_empty() {
            toml::from_str(&text).map_err(toml_error)?
        } else {
            let mut table: toml::Table = toml::from_str(&text).map_err(toml_error)?;
            for given in sets {
                table = set(table, given).map_err(|why| ConfigError::Set { given: given.clone(), why })?;
            }
            table.try_into().map_err(toml_error)?
        };
        config.check()?;
        Ok(config)
    }

    /// Where everything of the run goes.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        let Run { name, folder, seed, .. } = &self.run;
        folder.clone().unwrap_or_else(|| PathBuf::from(format!("out/{name}-{seed}")))
    }

    /// What types do not say.
    pub fn check(&self) -> Result<(), ConfigError> {
        let server = &self.server;
        holds(server.address.is_some() != server.serve.is_some(), "server", "", "give either address or serve")?;
        holds(!self.tasks.is_empty(), "tasks", "empty", "give one [[tasks]] at least")?;
        for (index, tasks) in self.tasks.iter().enumerate() {
            let field = format!("tasks[{index}]");
            holds(tasks.ids.is_some() != tasks.split.is_some(), &field, &tasks.name, "give either ids or split")?;
            let of_splits = tasks.split.is_some() || tasks.held_out_split.is_none();
            let apart = tasks.split.is_none() || tasks.split != tasks.held_out_split;
            let held_out = tasks.held_out_split.as_deref().unwrap_or_default();
            holds(of_splits && apart, &format!("{field}.held_out_split"), held_out, "another one, beside split")?;
            let template = tasks.ids.as_ref().is_none_or(|ids| ids.contains("{index}"));
            holds(template, &format!("{field}.ids"), &tasks.name, "it must hold {index}")?;
            holds(tasks.count > 0, &format!("{field}.count"), tasks.count, "1 or more")?;
            let weight_ok = tasks.weight.is_finite() && tasks.weight >= 0.0;
            holds(weight_ok, &format!("{field}.weight"), tasks.weight, "0 or more")?;
            let alone = self.tasks.iter().filter(|other| other.name == tasks.name).count() == 1;
            holds(alone, &format!("{field}.name"), &tasks.name, "names must differ")?;
        }
        let weights: f64 = self.tasks.iter().map(|tasks| tasks.weight).sum();
        holds(weights > 0.0, "tasks.weight", weights, "one must be more than 0")?;
        for (field, given) in [
            ("run.threads", self.run.threads),
            ("algorithm.epochs", self.algorithm.epochs),
            ("algorithm.minibatches", self.algorithm.minibatches),
        ] {
            holds(given > 0, field, given, "1 or more")?;
        }
        let Rollout { groups, members, slots, temperature, open_secs, step_secs, .. } = self.rollout;
        holds(groups > 0, "rollout.groups", groups, "1 or more")?;
        holds(members > 1, "rollout.members", members, "2 or more: an episode is held against its siblings")?;
        holds(slots > 0, "rollout.slots", slots, "1 or more")?;
        for (field, given) in
            [("rollout.temperature", temperature), ("optimizer.max_grad_norm", self.optimizer.max_grad_norm)]
        {
            holds(given > 0.0 && given.is_finite(), field, given, "more than 0")?;
        }
        for (field, given) in [("rollout.open_secs", open_secs), ("rollout.step_secs", step_secs)] {
            holds(given > 0.0 && given <= 60.0, field, given, "more than 0 and 60 at most: no call waits longer")?;
        }
        let AdamWConfig { beta1, beta2, eps, weight_decay } = self.optimizer.adamw;
        for (field, given) in [("optimizer.adamw.beta1", beta1), ("optimizer.adamw.beta2", beta2)] {
            holds((0.0..1.0).contains(&given), field, given, "0 or more and less than 1")?;
        }
        holds(eps > 0.0 && eps.is_finite(), "optimizer.adamw.eps", eps, "more than 0")?;
        let Algorithm { kl_coefficient, kl_estimator, entropy_coefficient, .. } = self.algorithm;
        for (field, given) in [
            ("optimizer.adamw.weight_decay", weight_decay),
            ("optimizer.floor_share", self.optimizer.floor_share),
            ("algorithm.entropy_coefficient", entropy_coefficient),
        ] {
            holds(given >= 0.0 && given.is_finite(), field, given, "0 or more")?;
        }
        if let Some(warm_start) = &self.warm_start {
            holds(warm_start.batch > 0, "warm_start.batch", warm_start.batch, "1 or more")?;
        }
        holds(
            kl_coefficient >= 0.0 && kl_coefficient.is_finite(),
            "algorithm.kl_coefficient",
            kl_coefficient,
            "0 or more",
        )?;
        let is_a_loss = kl_coefficient == 0.0 || kl_estimator != KlEstimator::K1;
        holds(is_a_loss, "algorithm.kl_estimator", "k1", "k2, k3 or ratio_k3: the gradient of k1 has the mean 0")?;
        if let Aggregation::DrGrpo { length } = self.algorithm.aggregation {
            holds(length > 0.0 && length.is_finite(), "algorithm.aggregation.dr_grpo.length", length, "more than 0")?;
        }
        let rate = self.optimizer.learning_rate;
        holds(rate >= 0.0 && rate.is_finite(), "optimizer.learning_rate", rate, "0 or more")?;
        self.device().map(|_| ())
    }

    pub fn device(&self) -> Result<tch::Device, ConfigError> {
        let given = self.run.device.as_str();
        let cuda = given.strip_prefix("cuda:").and_then(|index| index.parse().ok());
        match (given, cuda) {
            ("cpu", _) => Ok(tch::Device::Cpu),
            (_, Some(index)) => Ok(tch::Device::Cuda(index)),
            _ => Err(ConfigError::Value {
                field: "run.device".into(),
                given: given.into(),
                allowed: "cpu and cuda:0, cuda:1, … are allowed",
            }),
        }
    }
}

fn holds(rule: bool, field: &str, given: impl ToString, allowed: &'static str) -> Result<(), ConfigError> {
    if rule {
        return Ok(());
    }
    Err(ConfigError::Value { field: field.into(), given: given.to_string(), allowed })
}
