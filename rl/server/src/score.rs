//! `maquette score FILE`.

use crate::report;
use anyhow::{Context, Result};
use scene_api::{Profile, SceneTask, score_glb, stand_alone_seed};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A .glb or .gltf file; buffers and images beside a .gltf are read too
    file: PathBuf,
    /// Score against this task; without one the file is judged by itself (profile file/0)
    #[arg(long)]
    task: Option<String>,
    /// Seed of the hidden cameras [default: derived from task and profile, as a server does for files]
    #[arg(long)]
    seed: Option<u64>,
    /// Print the reward as JSON
    #[arg(long)]
    json: bool,
}

/// No file is read past this.
const MAX_BYTES: u64 = 64 << 20;

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    let bytes = read(&args.file).with_context(|| format!("cannot read {}", args.file.display()))?;
    let task = args.task.as_deref().map(SceneTask::by_id).transpose()?;
    let profile = Profile::for_task(task.as_ref());
    let folder = args.file.canonicalize()?.parent().unwrap_or(Path::new("/")).to_owned();
    let seed = args.seed.unwrap_or_else(|| stand_alone_seed(task.as_ref(), &profile));
    let reward = score_glb(&bytes, &|uri| beside(&folder, uri), task.as_ref(), &profile, seed);
    report::print(&reward, args.json)
}

/// A plain file of at most `MAX_BYTES`; a pipe or a device could last for ever.
fn read(path: &Path) -> Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    anyhow::ensure!(metadata.is_file(), "not a plain file");
    anyhow::ensure!(metadata.len() <= MAX_BYTES, "{} bytes; at most {MAX_BYTES} are read", metadata.len());
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file named by a relative URI, inside the folder even where links lead.
fn beside(folder: &Path, uri: &str) -> Option<Vec<u8>> {
    let path = folder.join(uri).canonicalize().ok()?;
    // A pipe is not opened: that alone would wait for its other end.
    (path.starts_with(folder) && path.is_file()).then(|| read(&path).ok()).flatten()
}
