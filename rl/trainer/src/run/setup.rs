//! What a run is made of: the domains, their tasks, the vocabulary and the model.

use super::config::{ConfigError, RunConfig};
use super::folder::RunFolder;
use super::server::{Served, ServerError};
use crate::hf_tokenizer::{HfTokenizer, HfTokenizerError, SpecialTokens};
use crate::model::{Architecture, CausalLm, ModelConfig, ModelError};
use crate::pipeline::{Source, SourceError, draws};
use crate::rollout::conversation::ResultView;
use crate::rollout::{Engine, EngineConfig, EngineError, Environments, ToolChoice};
use crate::tokens::Tokenizer;
use crate::word_pieces::WordPieces;
use rl_protocol::{DomainError, OpenSpec, ToolSpec};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tch::{Device, Kind};

#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}: {source}")]
    Pieces { path: PathBuf, source: serde_json::Error },
    #[error("{path} holds neither {words} nor {pretrained}", words = WORDS, pretrained = PRETRAINED)]
    NoVocabulary { path: PathBuf },
    #[error("policy.tools names {name:?}; there are {}", .known.join(", "))]
    UnknownTool { name: String, known: Vec<String> },
    #[error("the runtime: {0}")]
    Runtime(io::Error),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error("{0}{nearest}", nearest = nearest(.0))]
    Domain(Box<DomainError>),
    #[error("{0}; start a server there (maquette serve), or give [server] serve instead of address")]
    NoServer(Box<DomainError>),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("vocabulary: {0}")]
    Tokenizer(#[from] HfTokenizerError),
    #[error("model: {0}")]
    Model(#[from] ModelError),
    #[error("engine: {0}")]
    Engine(#[from] EngineError),
}

fn nearest(error: &DomainError) -> String {
    if error.nearest.is_empty() { String::new() } else { format!("; the nearest are {}", error.nearest.join(", ")) }
}

impl From<DomainError> for SetupError {
    fn from(error: DomainError) -> Self {
        match &*error.reason {
            "NO_CONNECTION" | "BAD_ADDRESS" => Self::NoServer(Box::new(error)),
            _ => Self::Domain(Box::new(error)),
        }
    }
}

const WORDS: &str = "pieces.json";
const PRETRAINED: &str = "tokenizer.json";
/// Words of fewer prompts than that, such as names of one object, are read letter by letter.
const PROMPTS_WITH_A_WORD: usize = 2;

/// A vocabulary, and the file that it is kept in.
#[derive(Clone)]
pub struct Vocabulary {
    file: &'static str,
    text: Vec<u8>,
    tokenizer: Arc<dyn Tokenizer>,
}

impl Vocabulary {
    /// Of whole words.
    pub fn of_words(pieces: WordPieces) -> Result<Self, SetupError> {
        let text = serde_json::to_vec(&pieces).map_err(|source| SetupError::Pieces { path: WORDS.into(), source })?;
        Ok(Self { file: WORDS, text, tokenizer: Arc::new(pieces) })
    }

    /// What [`Self::save`] wrote, or the tokenizer.json of a pretrained model.
    pub fn load(folder: &Path) -> Result<Self, SetupError> {
        let read = |path: &Path| std::fs::read(path).map_err(|source| SetupError::Io { path: path.into(), source });
        let (words, pretrained) = (folder.join(WORDS), folder.join(PRETRAINED));
        if words.exists() {
            let text = read(&words)?;
            let pieces: WordPieces =
                serde_json::from_slice(&text).map_err(|source| SetupError::Pieces { path: words, source })?;
            return Ok(Self { file: WORDS, text, tokenizer: Arc::new(pieces) });
        }
        if !pretrained.exists() {
            return Err(SetupError::NoVocabulary { path: folder.into() });
        }
        let tokenizer = HfTokenizer::from_file(&pretrained, &SpecialTokens::default())?;
        Ok(Self { file: PRETRAINED, text: read(&pretrained)?, tokenizer: Arc::new(tokenizer) })
    }

    pub fn save(&self, folder: &Path) -> Result<(), SetupError> {
        let path = folder.join(self.file);
        std::fs::write(&path, &self.text).map_err(|source| SetupError::Io { path, source })
    }

    #[must_use]
    pub fn tokenizer(&self) -> Arc<dyn Tokenizer> {
        Arc::clone(&self.tokenizer)
    }
}

pub struct Setup {
    pub environments: Arc<Environments>,
    pub sources: Vec<Source>,
    pub vocabulary: Vocabulary,
}

/// The domains of a run, and the server where the run starts one.
pub fn connect(config: &RunConfig, folder: &RunFolder) -> Result<(Environments, Option<Served>), SetupError> {
    let served = match &config.server.serve {
        Some(program) => {
            // Those that are played, those that wait for a slot, and a group that is being opened.
            let slots = config.rollout.slots.saturating_mul(2);
            let sessions = slots.saturating_add(config.rollout.members as usize).saturating_add(64);
            let sessions = u32::try_from(sessions).unwrap_or(u32::MAX);
            Some(Served::start(program, sessions, &folder.server_log())?)
        }
        None => None,
    };
    let address = served.as_ref().map(|served| served.address.as_str()).or(config.server.address.as_deref());
    let address = address.unwrap_or_default();
    let domains: BTreeSet<&str> = config.tasks.iter().map(|tasks| tasks.domain.as_str()).collect();
    let mut environments = Environments::new().map_err(SetupError::Runtime)?;
    let mut known: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for domain in domains {
        environments.connect(address, domain)?;
        known.insert(domain, environments.tool_names(domain)?);
    }
    let named: BTreeSet<String> = config.policy.tools.keys().cloned().collect();
    if let Some(name) = named.iter().find(|name| known.values().all(|tools| !tools.contains(*name))) {
        let known = known.into_values().flatten().collect();
        return Err(SetupError::UnknownTool { name: name.clone(), known });
    }
    for (domain, tools) in known {
        environments.choose(domain, choice(config, &tools))?;
    }
    Ok((environments, served))
}

/// What a run lets the policy call of a domain that has these tools.
fn choice(config: &RunConfig, tools: &BTreeSet<String>) -> ToolChoice {
    let named = config.policy.tools.iter().filter(|(name, _)| tools.contains(*name));
    // A schema that says nothing narrows nothing.
    let says_something = |schema: &serde_json::Value| schema.as_object().is_none_or(|members| !members.is_empty());
    ToolChoice {
        tools: (!config.policy.tools.is_empty()).then(|| named.clone().map(|(name, _)| name.clone()).collect()),
        narrowed: named
            .filter(|(_, schema)| says_something(schema))
            .map(|(name, schema)| (name.clone(), schema.clone()))
            .collect(),
    }
}

impl Setup {
    /// With the model, from a checkpoint's folder where there is one.
    pub fn of(
        config: &RunConfig,
        environments: Environments,
        checkpoint: Option<&Path>,
    ) -> Result<(Self, CausalLm), SetupError> {
        tch::set_num_threads(i32::try_from(config.run.threads).unwrap_or(i32::MAX));
        let device = config.device()?;
        let sources: Vec<Source> =
            config.tasks.iter().map(|tasks| Source::new(tasks, &environments)).collect::<Result<_, _>>()?;
        let seed = config.run.seed;
        let (vocabulary, model) = match checkpoint.or(config.policy.pretrained.as_deref()) {
            Some(folder) => (Vocabulary::load(folder)?, CausalLm::from_pretrained(folder, false, seed, device)?),
            None => {
                let vocabulary = words(config, &environments, &sources)?;
                let shape = shape(config, vocabulary.tokenizer.vocab_size());
                (vocabulary, CausalLm::new(&shape, false, seed, device, Kind::Float)?)
            }
        };
        Ok((Self { environments: Arc::new(environments), sources, vocabulary }, model))
    }

    /// What plays by a copy of `model`.
    pub fn engine(&self, config: &RunConfig, model: &CausalLm, temperature: f64) -> Result<Engine, SetupError> {
        let rollout = &config.rollout;
        let engine = EngineConfig {
            slots: rollout.slots,
            context: rollout.context,
            temperature,
            call_tokens_max: rollout.call_tokens_max,
            turns_max: rollout.turns_max,
            results: view(config),
            lockstep: config.run.threads == 1,
            open_within: Duration::from_secs_f64(rollout.open_secs),
            step_within: Duration::from_secs_f64(rollout.step_secs),
        };
        Ok(Engine::new(model.copy(), self.vocabulary.tokenizer(), Arc::clone(&self.environments), engine)?)
    }

    /// What plays any allowed token: a model of a few numbers, at a temperature that levels them.
    pub fn random_engine(&self, config: &RunConfig) -> Result<Engine, SetupError> {
        const LEVEL: f64 = 1e9;
        let shape = ModelConfig {
            hidden_size: 8,
            intermediate_size: 8,
            num_hidden_layers: 1,
            num_attention_heads: 1,
            num_key_value_heads: 1,
            head_dim: 8,
            ..shape(config, self.vocabulary.tokenizer.vocab_size())
        };
        let model = CausalLm::new(&shape, false, config.run.seed, Device::Cpu, Kind::Float)?;
        self.engine(config, &model, LEVEL)
    }
}

pub(super) fn view(config: &RunConfig) -> ResultView {
    ResultView { shows_results: config.rollout.show_results, tokens_max: config.rollout.result_tokens }
}

fn shape(config: &RunConfig, vocab_size: usize) -> ModelConfig {
    let policy = &config.policy;
    ModelConfig {
        architecture: Architecture::Llama,
        vocab_size: vocab_size as i64,
        hidden_size: policy.hidden_size,
        intermediate_size: policy.intermediate_size,
        num_hidden_layers: policy.num_hidden_layers,
        num_attention_heads: policy.num_attention_heads,
        num_key_value_heads: policy.num_key_value_heads,
        head_dim: policy.hidden_size / policy.num_attention_heads.max(1),
        rms_norm_eps: 1e-5,
        rope_theta: policy.rope_theta,
        tie_word_embeddings: policy.tie_word_embeddings,
        attention_bias: false,
        max_position_embeddings: config.rollout.context as i64,
    }
}

/// Names of the tools, and of the prompts of the first tasks to train on what all of a source say alike, and the words.
fn words(config: &RunConfig, environments: &Environments, sources: &[Source]) -> Result<Vocabulary, SetupError> {
    let mut tools: BTreeMap<String, ToolSpec> = BTreeMap::new();
    let mut prompts: BTreeMap<String, usize> = BTreeMap::new();
    let mut pieces = BTreeSet::new();
    for source in sources {
        let count = config.policy.prompts_for_words.max(1).min(source.train_count());
        let mut alike: Option<BTreeSet<String>> = None;
        for index in 0..count {
            let spec = OpenSpec {
                task_id: source.train_id(index),
                count: 1,
                seed: draws::environment(config.run.seed, index),
                profile: None,
                tool_groups: source.tool_groups.clone(),
            };
            let opened = environments.play(&source.domain, spec, &[])?;
            for tool in environments.tools(&source.domain, &opened.tool_groups)? {
                tools.insert(tool.name.clone(), tool);
            }
            for word in words_of(&opened.prompt) {
                *prompts.entry(word.to_owned()).or_default() += 1;
            }
            let sentences = sentences_of(&opened.prompt);
            alike = Some(match alike {
                None => sentences.map(str::to_owned).collect(),
                Some(alike) => sentences.filter_map(|sentence| alike.get(sentence).cloned()).collect(),
            });
        }
        pieces.extend(alike.filter(|_| count >= PROMPTS_WITH_A_WORD as u64).into_iter().flatten());
    }
    pieces.extend(prompts.into_iter().filter(|(_, prompts)| *prompts >= PROMPTS_WITH_A_WORD).map(|(word, _)| word));
    let words: Vec<String> = pieces.into_iter().collect();
    let tools: Vec<ToolSpec> = tools.into_values().collect();
    Vocabulary::of_words(WordPieces::for_tools(&tools, &config.policy.tools, &words))
}

/// They end with a line break, or with a full stop before a space.
fn sentences_of(prompt: &str) -> impl Iterator<Item = &str> {
    let mut rest = prompt;
    std::iter::from_fn(move || {
        let end = [rest.find('\n').map(|end| end + 1), rest.find(". ").map(|end| end + 1)];
        let end = end.into_iter().flatten().min().unwrap_or(rest.len());
        let (sentence, left) = rest.split_at(end);
        rest = left;
        (!sentence.is_empty()).then_some(sentence)
    })
}

/// Runs of letters, each with the space before it where there is one. Digits are read one by one, as they are written.
fn words_of(prompt: &str) -> BTreeSet<&str> {
    let mut words = BTreeSet::new();
    let mut begun: Option<usize> = None;
    let mut space = None;
    for (place, character) in prompt.char_indices().chain([(prompt.len(), '\n')]) {
        if character.is_alphabetic() {
            begun = begun.or(space).or(Some(place));
        } else if let Some(from) = begun.take() {
            words.insert(&prompt[from..place]);
        }
        space = (character == ' ').then_some(place);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_full_stops_and_line_breaks() {
        let sentences: Vec<&str> = sentences_of("A box of 0.4 m. Finish.\n\nLimits: 2 calls").collect();
        assert_eq!(sentences, ["A box of 0.4 m.", " Finish.\n", "\n", "Limits: 2 calls"]);
    }

    #[test]
    fn words_take_the_space_before_them_and_leave_digits() {
        let words: Vec<&str> = words_of("A box, 90 cm wide; größer  als b2.").into_iter().collect();
        assert_eq!(words, [" als", " b", " box", " cm", " größer", " wide", "A"]);
    }
}
