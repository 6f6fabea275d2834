//! `maquette conformance`: the rules of the protocol, played on a server in any language.

use crate::visible::visible_lines;
use crate::{exit_code, registry, report};
use anyhow::{Context, Result, bail};
use rl_conformance::{Report, Sample};
use rl_protocol::{Code, Domain as _, DomainError, RemoteDomain};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// A server that takes longer to say what it offers is none of ours.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where the server listens, e.g. http://127.0.0.1:50062
    addr: String,
    /// What the rules play with: {"task_id": …, "calls": [{"name": …, "arguments": {…}}, …], "bad_call": {…}}. The calls
    /// succeed and the last one ends the episode; the bad call is of a tool that exists, with an argument of a wrong type
    #[arg(long, value_name = "FILE")]
    probe: PathBuf,
    /// Print the rules kept and broken as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    let sample = read_probe(&args.probe)?;
    let name = registry::domain_name(&sample.task_id).to_owned();
    let domain = Arc::new(registry::remote(&args.addr, &name).await?);
    match answered(&domain).await {
        Ok(()) => {}
        Err(error) if error.code == Code::NotFound => {
            return Err(error).with_context(|| format!("{} serves no domain of {}", args.addr, sample.task_id));
        }
        Err(error) => bail!("{} does not answer as maquette.v1: {error}", args.addr),
    }
    if let Err(problem) = rl_conformance::check_sample(domain.as_ref(), &sample).await {
        bail!("{}: {problem}", args.probe.display());
    }
    let played = rl_conformance::remote(Arc::clone(&domain), sample).await;
    if let Err(error) = answered(&domain).await
        && error.code == Code::Unavailable
    {
        bail!("{} has gone while the rules were played: {error}", args.addr);
    }
    report::say(&if args.json { as_json(&name, &played)? } else { as_text(&played) })?;
    Ok(exit_code::answer(played.violations.is_empty()))
}

async fn answered(domain: &RemoteDomain) -> Result<(), DomainError> {
    let secs = ANSWER_WITHIN.as_secs();
    let late = |_| Err(DomainError::new(Code::Unavailable, "NO_ANSWER", format!("nothing came within {secs} s")));
    timeout(ANSWER_WITHIN, domain.describe()).await.unwrap_or_else(late).map(drop)
}

fn read_probe(path: &Path) -> Result<Sample> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no probe", path.display()))
}

fn as_json(domain: &str, played: &Report) -> serde_json::Result<String> {
    let broken: Vec<_> =
        played.violations.iter().map(|violation| json!({ "rule": violation.rule, "text": violation.text })).collect();
    serde_json::to_string_pretty(&json!({ "domain": domain, "kept": played.kept, "broken": broken }))
}

fn as_text(played: &Report) -> String {
    let mut lines: Vec<String> = played.kept.iter().map(|rule| format!("✓ {rule}")).collect();
    for violation in &played.violations {
        lines.push(format!("✗ {}", violation.rule));
        lines.extend(violation.text.lines().map(|line| format!("    {}", line.trim_start())));
    }
    lines.push(format!("{} rules kept, {} broken", played.kept.len(), played.violations.len()));
    visible_lines(&lines)
}
