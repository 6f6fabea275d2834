//! `maquette tasks`: those that are listed, and any number that are generated.

use crate::{registry, report};
use anyhow::Result;
use rl_protocol::TaskInfo;
use scene_api::{Generated, Level, SceneTask};
use std::process::ExitCode;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Print this task's prompt
    task: Option<String>,
    /// Print the tasks as JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Print tasks made from level, seed and index; whoever knows the id of one can play and score it
    Generate(Generate),
}

#[derive(clap::Args)]
struct Generate {
    /// The domain whose tasks are made
    #[arg(value_parser = ["scene"])]
    domain: String,
    /// size, place, box, position, relation, furniture, lighting, hierarchy, materials, animation, repair or edit
    #[arg(long, value_parser = level)]
    level: Level,
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many; those of even index are for training, those of odd index are held out
    #[arg(long, default_value_t = 10)]
    count: u64,
    /// Print one JSON object a line: the whole task, with its prompt, predicates and set-up
    #[arg(long)]
    json: bool,
    /// Add the calls that solve it to each JSON object
    #[arg(long, requires = "json")]
    solutions: bool,
}

fn level(name: &str) -> Result<Level, String> {
    let known = Level::ALL.map(Level::name).join(", ");
    Level::by_name(name).ok_or_else(|| format!("there is no level {name:?}; there are {known}"))
}

pub(crate) async fn run(args: Args) -> Result<ExitCode> {
    match &args.command {
        Some(Command::Generate(wanted)) => report::say_lines((0..wanted.count).map(|index| generated(wanted, index)))?,
        None => report::say(&listed(&args).await?)?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn listed(args: &Args) -> Result<String> {
    let mut tasks = Vec::new();
    for domain in registry::local(None)? {
        tasks.extend(domain.tasks(None).await?);
    }
    if let Some(id) = &args.task {
        tasks.retain(|task| task.id == *id);
        if tasks.is_empty() {
            let SceneTask { id, split, prompt, profile, .. } = SceneTask::by_id(id)?;
            tasks.push(TaskInfo { id, split, prompt, profile: profile.id.into() });
        }
    }
    if args.json {
        let list: Vec<_> = tasks
            .iter()
            .map(|task| {
                serde_json::json!({ "id": task.id, "split": task.split, "prompt": task.prompt, "profile": task.profile })
            })
            .collect();
        return Ok(serde_json::to_string_pretty(&list)?);
    }
    let line = |task: &TaskInfo| match args.task {
        Some(_) => task.prompt.clone(),
        None => row(&task.id, &task.split, &task.profile),
    };
    Ok(tasks.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// The line of one task.
fn generated(args: &Generate, index: u64) -> Result<String> {
    let Generated { task, solution } = args.level.task(args.seed, index);
    if !args.json {
        return Ok(row(&task.id, &task.split, task.profile.id));
    }
    let mut json = serde_json::to_value(&task)?;
    if args.solutions {
        json["solution"] = serde_json::to_value(&solution)?;
    }
    Ok(json.to_string())
}

fn row(id: &str, split: &str, profile: &str) -> String {
    format!("{id:<28} {split:<10} {profile}")
}
