//! A run from its start, or from its last checkpoint, to its end.

use super::checkpoint::{Checkpoint, CheckpointError, State};
use super::config::{ConfigError, RunConfig, Server};
use super::evaluate::{SampleLine, evaluate, random_baseline};
use super::folder::RunFolder;
use super::line::{Line, Lines};
use super::progress::Progress;
use super::server::Served;
use super::setup::{self, Setup, SetupError, Vocabulary};
use super::warm_start::{WarmStartError, warm_start};
use crate::model::{CausalLm, ModelError};
use crate::optimizer::AdamW;
use crate::pipeline::{Curriculum, Learner, Pipeline, PipelineError, Source};
use crate::rollout::{EngineError, Environments};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("{0} holds a run already: `maquette-train resume` goes on with it, --folder takes another place")]
    FolderInUse(PathBuf),
    #[error("the checkpoint of step {step} is of another configuration: only steps, folder and server may change")]
    OtherConfig { step: u64 },
    #[error("{0} holds no checkpoint yet")]
    NoCheckpoint(PathBuf),
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("the configuration cannot be written: {0}")]
    Toml(#[from] toml::ser::Error),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Setup(Box<SetupError>),
    #[error("warm start: {0}")]
    WarmStart(Box<WarmStartError>),
    #[error("checkpoint: {0}")]
    Checkpoint(#[from] CheckpointError),
    #[error("model: {0}")]
    Model(#[from] ModelError),
    #[error("evaluation: {0}")]
    Evaluation(#[from] EngineError),
    #[error("step {step}: {source}")]
    Step { step: u64, source: Box<PipelineError> },
}

impl From<SetupError> for RunError {
    fn from(error: SetupError) -> Self {
        Self::Setup(Box::new(error))
    }
}

impl From<WarmStartError> for RunError {
    fn from(error: WarmStartError) -> Self {
        Self::WarmStart(Box::new(error))
    }
}

pub struct Session {
    folder: RunFolder,
    config_hash: String,
    pipeline: Pipeline,
    vocabulary: Vocabulary,
    metrics: Lines,
    samples: Lines,
    best: Option<(u64, f64)>,
    /// Ended with the session.
    _served: Option<Served>,
}

impl Session {
    /// Starts a run in a folder that holds none.
    pub fn start(config: RunConfig, folder: RunFolder) -> Result<Self, RunError> {
        prepare(&config, &folder)?;
        let (environments, served) = setup::connect(&config, &folder)?;
        Self::open(config, folder, environments, served, None)
    }

    /// Goes on from the newest checkpoint, or from the beginning where there is none yet.
    pub fn resume(config: RunConfig, folder: RunFolder) -> Result<Self, RunError> {
        let checkpoint = Checkpoint::newest(&folder)?;
        write_config(&config, &folder)?;
        let (environments, served) = setup::connect(&config, &folder)?;
        Self::open(config, folder, environments, served, checkpoint)
    }

    /// As [`Self::start`] or, with `checkpoint`, [`Self::resume`], among environments that are there already.
    pub fn among(
        config: RunConfig,
        folder: RunFolder,
        environments: Environments,
        checkpoint: Option<Checkpoint>,
    ) -> Result<Self, RunError> {
        if checkpoint.is_none() {
            prepare(&config, &folder)?;
        }
        Self::open(config, folder, environments, None, checkpoint)
    }

    fn open(
        config: RunConfig,
        folder: RunFolder,
        environments: Environments,
        served: Option<Served>,
        checkpoint: Option<Checkpoint>,
    ) -> Result<Self, RunError> {
        let config_hash = config_hash(&config)?;
        let state = checkpoint.as_ref().map(Checkpoint::state).transpose()?;
        if let Some(State { step, config_hash: of_checkpoint, .. }) = &state
            && *of_checkpoint != config_hash
        {
            return Err(RunError::OtherConfig { step: *step });
        }
        let (setup, model) = Setup::of(&config, environments, checkpoint.as_ref().map(|found| found.path.as_path()))?;
        let (metrics_bytes, samples_bytes) =
            state.as_ref().map_or((0, 0), |state| (state.metrics_bytes, state.samples_bytes));
        let lines = |path: PathBuf, bytes| Lines::open(&path, bytes).map_err(|source| RunError::Io { path, source });
        let mut metrics = lines(folder.metrics(), metrics_bytes)?;
        let samples = lines(folder.samples(), samples_bytes)?;
        let mut optimizer = AdamW::new(config.optimizer.adamw);
        match &checkpoint {
            Some(checkpoint) => checkpoint.restore_optimizer(&mut optimizer, &model)?,
            None => begin(&config, &folder, &setup, &model, &mut metrics)?,
        }
        let reference = reference(&config, &folder, &model)?;
        let engine = setup.engine(&config, &model, config.rollout.temperature)?;
        let fresh = config.curriculum.map(|_| Curriculum::new(setup.sources.len()));
        let (step, curriculum, best) = match state {
            Some(state) => (state.step, state.curriculum.or(fresh), state.best),
            None => (0, fresh, None),
        };
        let Setup { sources, vocabulary, .. } = setup;
        let learner = Learner::new(model, optimizer, reference);
        let pipeline = Pipeline::new(config, sources, engine, learner, curriculum, step);
        Ok(Self { folder, config_hash, pipeline, vocabulary, metrics, samples, best, _served: served })
    }

    /// Updates so far.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.pipeline.step
    }

    #[must_use]
    pub fn config(&self) -> &RunConfig {
        &self.pipeline.config
    }

    #[must_use]
    pub fn model(&self) -> &CausalLm {
        self.pipeline.learner.model()
    }

    /// Trains until `step` updates are made, with the evaluations and checkpoints that fall between, and a checkpoint at
    /// the end.
    pub fn advance_to(&mut self, step: u64, progress: &mut Progress) -> Result<(), RunError> {
        self.advance_while(|| true, step, progress)
    }

    /// As [`Self::advance_to`], but no step is begun once `goes_on` says no; there is a checkpoint of the last one then.
    pub fn advance_while(
        &mut self,
        goes_on: impl Fn() -> bool,
        step: u64,
        progress: &mut Progress,
    ) -> Result<(), RunError> {
        if self.pipeline.step == 0 && self.best.is_none() {
            self.evaluate(progress)?;
            self.keep()?;
        }
        let mut on = goes_on();
        while on && self.pipeline.step < step {
            let begun = self.pipeline.step;
            let line =
                self.pipeline.advance().map_err(|source| RunError::Step { step: begun, source: Box::new(source) })?;
            progress.step(&line);
            self.push(Line::Step(Box::new(line)))?;
            let is_last = self.pipeline.step == self.pipeline.config.run.steps;
            let is_due = |every: u64| is_last || (every > 0 && self.pipeline.step.is_multiple_of(every));
            let (evaluates, keeps) =
                (is_due(self.pipeline.config.evaluation.every), is_due(self.pipeline.config.checkpoint.every));
            let is_best = evaluates && self.evaluate(progress)?;
            on = goes_on();
            if is_best || keeps || !on || self.pipeline.step == step {
                self.keep()?;
            }
        }
        Ok(())
    }

    /// Whether it is the best so far.
    fn evaluate(&mut self, progress: &Progress) -> Result<bool, RunError> {
        let Pipeline { engine, sources, config, step, .. } = &mut self.pipeline;
        if !is_evaluated(config, sources) {
            return Ok(false);
        }
        let (line, samples) = evaluate(engine, &*self.vocabulary.tokenizer(), sources, config, *step)?;
        let is_best = line.episodes > 0 && self.best.is_none_or(|(_, reward)| line.reward > reward);
        if is_best {
            self.best = Some((line.step, line.reward));
        }
        progress.evaluation("held out", &line);
        self.push(Line::Evaluation(line))?;
        for sample in &samples {
            self.push_sample(sample)?;
        }
        Ok(is_best)
    }

    fn keep(&self) -> Result<(), RunError> {
        let io_error = |path: PathBuf| move |source| RunError::Io { path, source };
        self.metrics.sync().map_err(io_error(self.folder.metrics()))?;
        self.samples.sync().map_err(io_error(self.folder.samples()))?;
        let Pipeline { learner, config, curriculum, step, .. } = &self.pipeline;
        let state = State {
            step: *step,
            config_hash: self.config_hash.clone(),
            curriculum: curriculum.clone(),
            metrics_bytes: self.metrics.bytes(),
            samples_bytes: self.samples.bytes(),
            best: self.best,
        };
        let keep = config.checkpoint.keep;
        Checkpoint::write(&self.folder, &state, learner.model(), learner.optimizer(), &self.vocabulary, keep)?;
        Ok(())
    }

    fn push(&mut self, line: Line) -> Result<(), RunError> {
        self.metrics.push(&line).map_err(|source| RunError::Io { path: self.folder.metrics(), source })
    }

    fn push_sample(&mut self, line: &SampleLine) -> Result<(), RunError> {
        self.samples.push(line).map_err(|source| RunError::Io { path: self.folder.samples(), source })
    }
}

/// Makes the folder of a new run.
fn prepare(config: &RunConfig, folder: &RunFolder) -> Result<(), RunError> {
    if std::fs::metadata(folder.metrics()).is_ok_and(|metrics| metrics.len() > 0) {
        return Err(RunError::FolderInUse(folder.path().into()));
    }
    std::fs::create_dir_all(folder.path()).map_err(|source| RunError::Io { path: folder.path().into(), source })?;
    write_config(config, folder)
}

fn write_config(config: &RunConfig, folder: &RunFolder) -> Result<(), RunError> {
    let (path, text) = (folder.config(), toml::to_string(config)?);
    // Whole or as it was: without it a run cannot be taken up again.
    let unfinished = path.with_extension("toml.unfinished");
    let written = std::fs::write(&unfinished, text).and_then(|()| std::fs::rename(&unfinished, &path));
    written.map_err(|source| RunError::Io { path, source })
}

/// Of what makes a run what it is.
fn config_hash(config: &RunConfig) -> Result<String, RunError> {
    let mut config = config.clone();
    (config.run.steps, config.run.folder, config.server) = (0, None, Server::default());
    Ok(blake3::hash(toml::to_string(&config)?.as_bytes()).to_hex().to_string())
}

fn is_evaluated(config: &RunConfig, sources: &[Source]) -> bool {
    config.evaluation.episodes > 0 && sources.iter().any(|source| source.held_out_count() > 0)
}

/// What comes before the first step.
fn begin(
    config: &RunConfig,
    folder: &RunFolder,
    setup: &Setup,
    model: &CausalLm,
    metrics: &mut Lines,
) -> Result<(), RunError> {
    if let Some(warm) = &config.warm_start {
        warm_start(config, warm, setup, model, metrics)?;
    }
    if config.algorithm.kl_coefficient > 0.0 {
        let path = folder.reference();
        std::fs::create_dir_all(&path).map_err(|source| RunError::Io { path: path.clone(), source })?;
        model.save_pretrained(&path)?;
    }
    if is_evaluated(config, &setup.sources) {
        let line = random_baseline(setup, config)?;
        metrics.push(&Line::Random(line)).map_err(|source| RunError::Io { path: folder.metrics(), source })?;
    }
    Ok(())
}

fn reference(config: &RunConfig, folder: &RunFolder, model: &CausalLm) -> Result<Option<CausalLm>, RunError> {
    if config.algorithm.kl_coefficient <= 0.0 {
        return Ok(None);
    }
    let path: &Path = &folder.reference();
    Ok(Some(CausalLm::from_pretrained(path, false, config.run.seed, model.device())?))
}
