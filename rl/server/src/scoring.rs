//! What a file is scored by, and the score.

use crate::files::SceneFile;
use crate::studio::GpuStudio;
use anyhow::{Context, Result};
use rl_protocol::Reward;
use scene_api::{Profile, SceneTask, score_with, stand_alone_seed};

#[derive(clap::Args)]
pub(crate) struct Scoring {
    /// Score against this task; without one the file is judged by itself (profile file/0)
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// Profile to score by, e.g. r3d/0+render, which asks the renderer too [default: the task's own]
    #[arg(long, value_name = "ID")]
    profile: Option<String>,
    /// Seed of the hidden cameras [default: derived from task and profile, as a server does for files]
    #[arg(long)]
    seed: Option<u64>,
}

impl Scoring {
    pub(crate) async fn reward(&self, file: &SceneFile, studio: &GpuStudio) -> Result<Reward> {
        let (task, profile, seed) = self.resolved()?;
        Ok(score_with(&file.bytes, &|uri| file.beside(uri), task.as_ref(), &profile, seed, studio).await)
    }

    /// What it is scored by, on one line for people.
    pub(crate) fn terms(&self) -> Result<String> {
        let (task, profile, seed) = self.resolved()?;
        let task = task.map_or("No task".into(), |task| format!("Task {}", task.id));
        Ok(format!("{task}, profile {}, seed {seed}", profile.id))
    }

    fn resolved(&self) -> Result<(Option<SceneTask>, Profile, u64)> {
        let task = self.task.as_deref().map(SceneTask::by_id).transpose()?;
        let profile = match &self.profile {
            Some(id) => Profile::by_id(id).with_context(|| unknown_profile(id))?,
            None => Profile::for_task(task.as_ref()),
        };
        let seed = self.seed.unwrap_or_else(|| stand_alone_seed(task.as_ref(), &profile));
        Ok((task, profile, seed))
    }
}

fn unknown_profile(id: &str) -> String {
    let known: Vec<&str> = Profile::all().iter().map(|profile| profile.id).collect();
    format!("no profile {id:?}; there are {}", known.join(", "))
}
