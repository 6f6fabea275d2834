//! Checkpoints: whole or not there.
//!
//! `checkpoints/step-000020/` holds the policy in HuggingFace's layout with its vocabulary, the optimizer's state and
//! state.json. It is written beside under another name and renamed when everything is on the disk.

use super::folder::RunFolder;
use super::setup::{SetupError, Vocabulary};
use crate::model::{CausalLm, ModelError};
use crate::optimizer::{AdamW, OptimizerError};
use crate::pipeline::Curriculum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use tch::{TchError, Tensor};

/// Everything of a run at a step that is not a tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Updates so far.
    pub step: u64,
    /// Of the run's file, without what may change on the way.
    pub config_hash: String,
    pub curriculum: Option<Curriculum>,
    /// Of metrics.jsonl and samples.jsonl that belong to the steps so far.
    pub metrics_bytes: u64,
    pub samples_bytes: u64,
    /// (step, held-out reward) of the best evaluation so far.
    pub best: Option<(u64, f64)>,
}

#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}: {source}")]
    State { path: PathBuf, source: serde_json::Error },
    #[error("{path}: {source}")]
    Tensors { path: PathBuf, source: TchError },
    #[error("{path}: {source}")]
    Optimizer { path: PathBuf, source: OptimizerError },
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Vocabulary(#[from] Box<SetupError>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    pub path: PathBuf,
    pub step: u64,
}

const PREFIX: &str = "step-";
const STATE: &str = "state.json";
const OPTIMIZER: &str = "optimizer.safetensors";

impl Checkpoint {
    /// Those of a run by step. What a killed process left unfinished is not among them.
    pub fn all(folder: &RunFolder) -> Result<Vec<Self>, CheckpointError> {
        let path = folder.checkpoints();
        let entries = match std::fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(CheckpointError::Io { path, source }),
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|source| CheckpointError::Io { path: path.clone(), source })?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(step) = name.strip_prefix(PREFIX).and_then(|step| step.parse().ok()) {
                found.push(Self { path: entry.path(), step });
            }
        }
        found.sort_by_key(|checkpoint| checkpoint.step);
        Ok(found)
    }

    pub fn newest(folder: &RunFolder) -> Result<Option<Self>, CheckpointError> {
        Ok(Self::all(folder)?.pop())
    }

    /// Writes one, then removes all but the newest `keep` and the best.
    pub fn write(
        folder: &RunFolder,
        state: &State,
        model: &CausalLm,
        optimizer: &AdamW,
        vocabulary: &Vocabulary,
        keep: usize,
    ) -> Result<Self, CheckpointError> {
        let parent = folder.checkpoints();
        let name = format!("{PREFIX}{:06}", state.step);
        let (path, unfinished) = (parent.join(&name), parent.join(format!(".unfinished-{name}")));
        remove(&unfinished)?;
        std::fs::create_dir_all(&unfinished).map_err(at(&unfinished))?;
        model.save_pretrained(&unfinished)?;
        vocabulary.save(&unfinished).map_err(Box::new)?;
        let tensors: Vec<(String, Tensor)> = optimizer.state().into_iter().collect();
        let file = unfinished.join(OPTIMIZER);
        Tensor::write_safetensors(&tensors, &file).map_err(|source| CheckpointError::Tensors { path: file, source })?;
        let file = unfinished.join(STATE);
        let text =
            serde_json::to_vec_pretty(state).map_err(|source| CheckpointError::State { path: file.clone(), source })?;
        std::fs::write(&file, text).map_err(at(&file))?;
        sync_all(&unfinished)?;
        remove(&path)?;
        std::fs::rename(&unfinished, &path).map_err(at(&path))?;
        sync(&parent)?;
        prune(folder, keep, state.best.map(|(step, _)| step))?;
        Ok(Self { path, step: state.step })
    }

    pub fn state(&self) -> Result<State, CheckpointError> {
        let path = self.path.join(STATE);
        let text = std::fs::read(&path).map_err(at(&path))?;
        serde_json::from_slice(&text).map_err(|source| CheckpointError::State { path, source })
    }

    /// Sets `optimizer`, of `model`, to what it was.
    pub fn restore_optimizer(&self, optimizer: &mut AdamW, model: &CausalLm) -> Result<(), CheckpointError> {
        let path = self.path.join(OPTIMIZER);
        let tensors = match Tensor::read_safetensors(&path) {
            Ok(tensors) => tensors,
            Err(source) => return Err(CheckpointError::Tensors { path, source }),
        };
        let tensors: BTreeMap<String, Tensor> = tensors.into_iter().collect();
        optimizer.restore(tensors, model.parameters()).map_err(|source| CheckpointError::Optimizer { path, source })
    }
}

fn prune(folder: &RunFolder, keep: usize, best: Option<u64>) -> Result<(), CheckpointError> {
    let all = Checkpoint::all(folder)?;
    let old = all.len().saturating_sub(keep.max(1));
    all.iter().take(old).filter(|checkpoint| Some(checkpoint.step) != best).try_for_each(|old| remove(&old.path))
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> CheckpointError {
    let path = path.to_owned();
    move |source| CheckpointError::Io { path, source }
}

/// A folder that need not be there.
fn remove(path: &Path) -> Result<(), CheckpointError> {
    match std::fs::remove_dir_all(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(CheckpointError::Io { path: path.into(), source })
        }
        _ => Ok(()),
    }
}

fn sync(path: &Path) -> Result<(), CheckpointError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(at(path))
}

/// The files of a folder and the folder.
fn sync_all(folder: &Path) -> Result<(), CheckpointError> {
    for entry in std::fs::read_dir(folder).map_err(at(folder))? {
        sync(&entry.map_err(at(folder))?.path())?;
    }
    sync(folder)
}
