//! `maquette agent`: a model behind an OpenAI-compatible endpoint plays one episode.

mod backoff;
mod chat;
mod context;
mod endpoint;
mod opening;
mod record;
mod result;
mod rollback;
mod tool_list;
mod turns;
mod url;

use crate::adapter::AdapterArg;
use crate::progress::progress;
use crate::tool_groups::{self, group_name};
use crate::{observations, registry, report};
use anyhow::{Context, Result, bail, ensure};
use endpoint::Endpoint;
use record::Record;
use rl_protocol::OpenSpec;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use turns::{Run, Terms};

const EXAMPLES: &str = "\
Examples:
  llama-server -m model.gguf --jinja --port 8080           an endpoint on this machine
  maquette agent --endpoint http://127.0.0.1:8080/v1 --task scene/table --out out/agent
  maquette play out/agent/calls.jsonl --task scene/table   the same calls, and the same reward
  OPENAI_API_KEY=… maquette agent --endpoint https://api.openai.com/v1 --model NAME \\
      --task scene/crate --groups place,query --pictures   with more tools, for a model that sees

Without a reward the exit code is 2 where the endpoint or the environment failed: that is no zero.";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Where the model answers, e.g. http://127.0.0.1:8080/v1; it is asked at URL/chat/completions
    #[arg(long, value_name = "URL")]
    endpoint: String,
    /// Task to do, e.g. scene/table (see `maquette tasks`)
    #[arg(long, value_name = "ID")]
    task: String,
    /// Model to ask for; an endpoint that has only one may need no name
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Play on the server at this address, e.g. http://127.0.0.1:50061, instead of in this process
    #[arg(long, value_name = "URI")]
    server: Option<String>,
    /// Group seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Groups of tools that the model is told of beside those of every episode, separated by commas, or all
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = group_name)]
    groups: Vec<String>,
    /// Environment variable with the API key, which is neither printed nor saved [default: OPENAI_API_KEY, if set]
    #[arg(long, value_name = "NAME")]
    api_key_env: Option<String>,
    /// Seconds that one answer may take
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=3600))]
    timeout_secs: u32,
    /// How often one answer is asked for again, or one call made again, after a failure that may pass
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(..=100))]
    retries: u32,
    /// Answers of the model after which the scene is scored as it stands
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    max_turns: u32,
    /// Characters of tools and conversation to stay within: old results and pictures are shortened first, then
    /// arguments of old calls; what is left is sent, be it more or not
    #[arg(long, default_value_t = 400_000)]
    context_chars: usize,
    /// Show the model the pictures that it asks for; many endpoints refuse them
    #[arg(long)]
    pictures: bool,
    /// Write transcript.json, calls.jsonl (a log for `maquette play`), reward.json and scene.glb into this folder, the
    /// first two as the run goes; those of an earlier run go when the model first answers
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print reward, state hash and the numbers of answers and calls as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    adapter: AdapterArg,
}

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    let key = api_key(args.api_key_env.as_deref())?;
    let timeout = Duration::from_secs(args.timeout_secs.into());
    let endpoint = Endpoint::new(&args.endpoint, key, timeout, args.retries)?;
    let domain = registry::domain_of(&args.task, args.server.as_deref(), &args.adapter).await?;
    let description = domain.describe().await?;
    let tool_groups = tool_groups::wanted(&description, &args.groups)?;
    let spec = OpenSpec { task_id: args.task.clone(), count: 1, seed: args.seed, profile: None, tool_groups };
    let episode = domain.open(spec).await?.into_iter().next().context("the server opened no episode")?;

    let tools = tool_list::told(&description, &episode.opening().tool_groups)?;
    let functions: Vec<_> = tools.iter().map(chat::function).collect();
    let about = json!({ "task": args.task, "seed": args.seed, "model": args.model, "tools": functions });
    let record = args.out.as_deref().map(|folder| Record::begin(folder, about)).transpose()?;
    let bar = progress(args.max_turns as usize)?;
    let terms = Terms {
        model: args.model.as_deref(),
        tools: &tools,
        functions: &functions,
        retries: args.retries,
        max_turns: args.max_turns,
        context_chars: args.context_chars,
        pictures: args.pictures,
        bar: &bar,
    };
    let messages = opening::messages(&description, episode.opening(), &tools, args.pictures);
    let state_hash = episode.opening().state_hash.clone();
    let mut run = Run { episode, messages, call_ids: BTreeSet::new(), record, state_hash, turns: 0, calls: 0 };
    let reward = run.reward(&endpoint, &terms).await;
    bar.finish_and_clear();
    let reward = reward?;

    let code = if args.json {
        let (hash, scored) = (report::hex(&run.state_hash), report::json(&reward)?);
        let said = json!({ "reward": scored, "state_hash": hash, "turns": run.turns, "calls": run.calls });
        report::say(&said.to_string())?;
        report::exit_code(&reward)
    } else {
        report::print(&reward, false)?
    };
    if let (Some(record), Some(folder)) = (&run.record, &args.out) {
        record.reward(&reward)?;
        observations::save(run.episode.as_mut(), &["scene.glb"], folder).await?;
    }
    Ok(code)
}

/// None is fine for an endpoint on this machine, but not where a variable was named.
fn api_key(named: Option<&str>) -> Result<Option<String>> {
    let variable = named.unwrap_or("OPENAI_API_KEY");
    let key = std::env::var(variable).ok().map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
    let is_clean = key.as_ref().is_none_or(|key| !key.contains(char::is_control));
    ensure!(is_clean, "the key in {variable} holds control characters, such as a line's end: it cannot be sent");
    match (named, key) {
        (Some(name), None) => bail!("--api-key-env: the environment has no key in {name}"),
        (_, key) => Ok(key),
    }
}
