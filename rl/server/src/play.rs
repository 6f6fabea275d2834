//! `maquette play CALLS.jsonl`: the same calls in this process or on a server.

use crate::adapter::AdapterArg;
use crate::observations::{save, write};
use crate::progress::progress;
use crate::visible::visible;
use crate::{files, registry, report};
use anyhow::{Context, Error, Result};
use rl_protocol::{DomainError, OpenSpec, ToolCall};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// One call a line: {"name": "node.create", "arguments": {"name": "table"}}
    calls: PathBuf,
    /// Task to play; by default scene/NAME for NAME.calls.jsonl
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// Play on the server at this address, e.g. http://127.0.0.1:50061, instead of in this process
    #[arg(long)]
    addr: Option<String>,
    /// Group seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write scene.glb, preview.png (the reference rasteriser's), beauty.png (the renderer's) and the pictures that
    /// calls asked for (that of the third call is still_003.png) into this folder; what cannot be made is warned of
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
    // A log may hold calls of any group.
    let tool_groups = domain.describe().await?.tool_groups.into_iter().map(|group| group.name).collect();
    let spec = OpenSpec { task_id: task, count: 1, seed: args.seed, profile: None, tool_groups };
    let opened = domain.open(spec).await.map_err(|error| not_opened(error, &args))?;
    let mut episode = opened.into_iter().next().context("the server opened no episode")?;

    let bar = progress(calls.len())?;
    let mut replies = Vec::new();
    let (mut reward, mut state_hash) = (None, episode.opening().state_hash.clone());
    for (number, call) in (1_usize..).zip(calls) {
        bar.set_message(visible(&call.name));
        let outcome = episode.step(vec![call.clone()]).await?;
        bar.inc(1);
        for result in outcome.results {
            if !result.ok && !args.json {
                let refusal = format!("{} refused: {}", call.name, result.json["error"]["message"]);
                bar.suspend(|| eprintln!("{}", visible(&refusal)));
            }
            if let Some(folder) = &args.out {
                for content in result.contents {
                    bar.suspend(|| write(&folder.join(numbered(&content.name, number)), content.body))?;
                }
            }
            replies.push(result.json);
        }
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
        let (hash, scored) = (report::hex(&state_hash), report::json(&reward)?);
        report::say(&serde_json::json!({ "replies": replies, "state_hash": hash, "reward": scored }).to_string())?;
        report::exit_code(&reward)
    } else {
        report::print(&reward, false)?
    };
    if let Some(folder) = &args.out {
        save(episode.as_mut(), &["scene.glb", "preview.png", "beauty.png"], folder).await?;
    }
    Ok(code)
}

/// A log does not say which task it is for; without `--task` its name has to.
fn not_opened(error: DomainError, args: &Args) -> Error {
    let is_guess = args.task.is_none() && error.reason == "TASK_NOT_FOUND";
    let error = Error::from(error);
    if !is_guess {
        return error;
    }
    let hint = format!(
        "{} is not named for a task: give its id by --task, e.g. --task scene/table; `maquette tasks` lists them",
        args.calls.display()
    );
    error.context(hint)
}

/// `still.png` of the third call is `still_003.png`. A server that names a path gets a plain name.
fn numbered(name: &str, call: usize) -> String {
    let name = Path::new(name);
    let stem = name.file_stem().unwrap_or_default().display();
    match name.extension() {
        Some(ending) => format!("{stem}_{call:03}.{}", ending.display()),
        None => format!("{stem}_{call:03}"),
    }
}

fn read_calls(path: &Path) -> Result<Vec<ToolCall>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    ToolCall::from_log(&text).with_context(|| format!("{} is not a call log", path.display()))
}

fn task_of(calls: &Path) -> String {
    let file = calls.file_name().unwrap_or_default().to_string_lossy();
    format!("scene/{}", file.split('.').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_numbered_and_stay_in_their_folder() {
        let names = ["still.png", "../../etc/still.png", "a.b/text", "..", ""].map(|name| numbered(name, 3));
        assert_eq!(names, ["still_003.png", "still_003.png", "text_003", "_003", "_003"]);
        assert_eq!(numbered("still.png", 1000), "still_1000.png");
    }
}
