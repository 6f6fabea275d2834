//! `maquette tasks`.

use crate::{registry, report};
use anyhow::Result;
use rl_protocol::TaskInfo;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print this task's prompt
    task: Option<String>,
    /// Print the tasks as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    let mut tasks = Vec::new();
    for domain in registry::local(None)? {
        tasks.extend(domain.tasks(None).await?);
    }
    if let Some(id) = &args.task {
        let known: Vec<_> = tasks.iter().map(|task| task.id.clone()).collect();
        tasks.retain(|task| task.id == *id);
        anyhow::ensure!(!tasks.is_empty(), "no task {id:?}; there are {}", known.join(", "));
    }
    let text = if args.json {
        let list: Vec<_> = tasks
            .iter()
            .map(|task| {
                serde_json::json!({ "id": task.id, "split": task.split, "prompt": task.prompt, "profile": task.profile })
            })
            .collect();
        serde_json::to_string_pretty(&list)?
    } else {
        let row = |task: &TaskInfo| format!("{:<28} {:<10} {}", task.id, task.split, task.profile);
        let line = |task: &TaskInfo| if args.task.is_some() { task.prompt.clone() } else { row(task) };
        tasks.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    report::say(&text)?;
    Ok(ExitCode::SUCCESS)
}
