//! `maquette play CALLS.jsonl`: the same calls in this process or on a server.

use crate::{registry, report};
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use rl_protocol::{Body, OpenSpec, ToolCall};
use std::path::PathBuf;
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
    /// Write scene.glb and preview.png into this folder
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print every reply, the state hash and the reward as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    let calls = read_calls(&args.calls)?;
    let task = args.task.clone().unwrap_or_else(|| task_of(&args.calls));
    let domain = registry::domain_of(&task, args.addr.as_deref()).await?;
    let spec = OpenSpec { task_id: task, count: 1, seed: args.seed, profile: None };
    let mut episode = domain.open(spec).await?.pop().context("the server opened no episode")?;

    let bar =
        ProgressBar::new(calls.len() as u64).with_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?);
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
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder)?;
        for content in episode.observe(&["scene.glb".into(), "preview.png".into()]).await? {
            let path = folder.join(&content.name);
            let bytes = match content.body {
                Body::Text(text) => text.into_bytes(),
                Body::Data(data) => data,
            };
            std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
            eprintln!("wrote {}", path.display());
        }
    }
    if args.json {
        let hash: String = state_hash.iter().map(|byte| format!("{byte:02x}")).collect();
        println!("{}", serde_json::json!({ "replies": replies, "state_hash": hash, "reward": reward }));
        return Ok(ExitCode::SUCCESS);
    }
    report::print(&reward, false)
}

fn read_calls(path: &PathBuf) -> Result<Vec<ToolCall>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            let call: serde_json::Value =
                serde_json::from_str(line).with_context(|| format!("{}:{}: not JSON", path.display(), index + 1))?;
            let name = call["name"].as_str().with_context(|| {
                format!("{}:{}: a call looks like {{\"name\": …, \"arguments\": {{…}}}}", path.display(), index + 1)
            })?;
            Ok(ToolCall { name: name.into(), arguments_json: call["arguments"].to_string() })
        })
        .collect()
}

fn task_of(calls: &std::path::Path) -> String {
    let file = calls.file_name().unwrap_or_default().to_string_lossy();
    format!("scene/{}", file.split('.').next().unwrap_or_default())
}
