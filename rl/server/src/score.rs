//! `maquette score FILE`.

use crate::adapter::AdapterArg;
use crate::files::SceneFile;
use crate::report;
use crate::scoring::Scoring;
use crate::studio::GpuStudio;
use anyhow::Result;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A .glb or .gltf file; buffers and images beside a .gltf are read too
    file: PathBuf,
    #[command(flatten)]
    scoring: Scoring,
    /// Print the reward as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    adapter: AdapterArg,
}

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    let file = SceneFile::open(&args.file)?;
    let studio = GpuStudio::new(args.adapter.adapter);
    report::print(&args.scoring.reward(&file, &studio).await?, args.json)
}
