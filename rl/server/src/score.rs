//! `maquette score FILE`.

use crate::report;
use anyhow::{Context, Result};
use scene_api::{Profile, SceneTask, score_glb};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A .glb or .gltf file; buffers and images beside a .gltf are read too
    file: PathBuf,
    /// Score against this task; without one the file is judged by itself (profile file/0)
    #[arg(long)]
    task: Option<String>,
    /// Group seed of the hidden cameras
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print the reward as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    let bytes = std::fs::read(&args.file).with_context(|| format!("cannot read {}", args.file.display()))?;
    let task = args.task.as_deref().map(SceneTask::by_id).transpose()?;
    let profile = Profile::for_task(task.as_ref());
    let folder = args.file.parent().unwrap_or(Path::new("")).to_owned();
    let reward = score_glb(&bytes, &|uri| beside(&folder, uri), task.as_ref(), &profile, args.seed);
    report::print(&reward, args.json)
}

/// A file named by a relative URI, never outside the folder.
fn beside(folder: &Path, uri: &str) -> Option<Vec<u8>> {
    let relative = Path::new(uri);
    let inside = relative.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    inside.then(|| std::fs::read(folder.join(relative)).ok()).flatten()
}
