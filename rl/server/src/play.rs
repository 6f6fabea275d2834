//! `maquette play CALLS.jsonl`: the same calls in this process or on a server.

use crate::adapter::AdapterArg;
use crate::progress::progress;
use crate::{files, registry, report};
use anyhow::{Context, Result};
use rl_protocol::{Body, Content, OpenSpec, ToolCall};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// One call a line: {"name": "node.create", "arguments": {"name": "table"}}
    calls: PathBuf,
    /// Task to play; by default scene/NAME for NAME.calls.jsonl
    #[arg(long)]
    task: Option<String>,
    /// Play on the server at this address, e.g. http://127.0.0.1:50061, instead of in this process
    #[arg(long)]
    addr: Option<String>,
    /// Group seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write scene.glb, preview.png (the reference rasteriser's) and beauty.png (the renderer's) into this folder
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print every reply, the state hash and the reward as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    adapter: AdapterArg,
}

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    let calls = read_calls(&args.calls)?;
    if let Some(folder) = &args.out {
        files::make_folder(folder)?;
    }
    let task = args.task.clone().unwrap_or_else(|| task_of(&args.calls));
    let domain = registry::domain_of(&task, args.addr.as_deref(), &args.adapter).await?;
    let spec = OpenSpec { task_id: task, count: 1, seed: args.seed, profile: None };
    let mut episode = domain.open(spec).await?.pop().context("the server opened no episode")?;

    let bar = progress(calls.len())?;
    let mut replies = Vec::new();
    let (mut reward, mut state_hash) = (None, episode.opening().state_hash.clone());
    for call in calls {
        bar.set_message(call.name.clone());
        let outcome = episode.step(vec![call.clone()]).await?;
        bar.inc(1);
        for result in outcome.results.iter().filter(|result| !result.ok && !args.json) {
            bar.suspend(|| eprintln!("{} refused: {}", call.name, result.json["error"]["message"]));
        }
        replies.extend(outcome.results.into_iter().map(|result| result.json));
        state_hash = outcome.state_hash;
        if outcome.end.is_some() {
            reward = outcome.reward;
            break;
        }
    }
    bar.finish_and_clear();
    let reward = match reward {
        Some(reward) => reward,
        None => episode.score(None).await?,
    };
    let code = if args.json {
        let hash: String = state_hash.iter().map(|byte| format!("{byte:02x}")).collect();
        report::say(&serde_json::json!({ "replies": replies, "state_hash": hash, "reward": reward }).to_string())?;
        report::exit_code(&reward)
    } else {
        report::print(&reward, false)?
    };
    if let Some(folder) = &args.out {
        for name in ["scene.glb", "preview.png", "beauty.png"] {
            match episode.observe(&[name.into()]).await {
                Ok(contents) => write(folder, contents)?,
                Err(error) => eprintln!("no {name}: {}", error.message),
            }
        }
    }
    Ok(code)
}

fn write(folder: &Path, contents: Vec<Content>) -> Result<()> {
    for content in contents {
        let path = folder.join(&content.name);
        let bytes = match content.body {
            Body::Text(text) => text.into_bytes(),
            Body::Data(data) => data,
        };
        files::write(&path, &bytes)?;
        eprintln!("wrote {}", path.display());
    }
    Ok(())
}

fn read_calls(path: &Path) -> Result<Vec<ToolCall>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    ToolCall::from_log(&text).with_context(|| format!("{} is not a call log", path.display()))
}

fn task_of(calls: &Path) -> String {
    let file = calls.file_name().unwrap_or_default().to_string_lossy();
    format!("scene/{}", file.split('.').next().unwrap_or_default())
}
