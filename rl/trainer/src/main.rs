//! `maquette-train`: see `maquette-train --help`.

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use maquette_train::run::config::RunConfig;
use maquette_train::run::{
    EvaluationLine, INTERRUPTED, Interrupt, Line, Progress, RunFolder, Session, evaluate_run, read_lines, report,
};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Trains policies by reinforcement learning in any domain that is served over maquette.v1
#[derive(Parser)]
#[command(name = "maquette-train", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  2    not done: bad arguments, or a run that cannot go on; the message says what to do
  130  interrupted: run and resume finish the step in progress and write a checkpoint at the first Ctrl-C or SIGTERM,
       and end at once at the second";

#[derive(Subcommand)]
enum Command {
    /// Start a run
    Run {
        /// The TOML file of the run; rl/trainer/runs/size.toml explains every field
        config: PathBuf,
        /// Instead of the file's seed
        #[arg(long)]
        seed: Option<u64>,
        /// Instead of the file's number of updates
        #[arg(long)]
        steps: Option<u64>,
        /// Where everything of the run goes
        #[arg(long)]
        folder: Option<PathBuf>,
        /// Change any field, e.g. rollout.groups=4 or tasks.0.count=100
        #[arg(long = "set", value_name = "KEY=VALUE")]
        sets: Vec<String>,
        /// Print the outcome as JSON
        #[arg(long)]
        json: bool,
    },
    /// Go on with a run from its newest checkpoint
    Resume {
        /// The folder of the run
        folder: PathBuf,
        /// Train up to this number of updates instead
        #[arg(long)]
        steps: Option<u64>,
        /// Print the outcome as JSON
        #[arg(long)]
        json: bool,
    },
    /// Play held-out tasks by the newest checkpoint of a run
    Eval {
        /// The folder of the run
        folder: PathBuf,
        /// Tasks of each source
        #[arg(long)]
        episodes: Option<u64>,
        /// Take any token that is allowed instead: what learning has to beat
        #[arg(long)]
        random: bool,
        /// Print the outcome as JSON
        #[arg(long)]
        json: bool,
    },
    /// Draw the curve of runs, and write a page that shows it with episodes; it goes into the first folder
    Report {
        /// Folders of runs
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        /// Print the outcome as JSON
        #[arg(long)]
        json: bool,
    },
}

/// What `run` and `resume` came to.
#[derive(Serialize)]
struct Outcome {
    folder: PathBuf,
    steps: u64,
    /// Before the first update.
    first: Option<f64>,
    last: Option<f64>,
    random: Option<f64>,
    report: PathBuf,
}

fn main() -> ExitCode {
    match done(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {}", told(&error));
            ExitCode::from(2)
        }
    }
}

/// With the causes that the message itself does not tell.
fn told(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !text.contains(&cause) {
            text.extend((!text.is_empty()).then_some(": "));
            text.push_str(&cause);
        }
    }
    text
}

fn done(command: Command) -> Result<ExitCode> {
    match command {
        Command::Run { config, seed, steps, folder, sets, json } => {
            let mut config = RunConfig::read(&config, &sets)?;
            config.run.seed = seed.unwrap_or(config.run.seed);
            config.run.steps = steps.unwrap_or(config.run.steps);
            let folder = RunFolder::new(folder.unwrap_or_else(|| config.folder()));
            let interrupt = Interrupt::watch()?;
            train(Session::start(config, folder.clone())?, &folder, &interrupt, json)
        }
        Command::Resume { folder, steps, json } => {
            let folder = RunFolder::new(folder);
            let mut config = config_of(&folder)?;
            config.run.steps = steps.unwrap_or(config.run.steps);
            let interrupt = Interrupt::watch()?;
            train(Session::resume(config, folder.clone())?, &folder, &interrupt, json)
        }
        Command::Eval { folder, episodes, random, json } => {
            let folder = RunFolder::new(folder);
            let line = evaluate_run(config_of(&folder)?, &folder, episodes, random)?;
            if json {
                return say_json(&line);
            }
            say(&in_words(&line))
        }
        Command::Report { folders, json } => {
            let folders: Vec<RunFolder> = folders.into_iter().map(RunFolder::new).collect();
            let page = report(&folders)?;
            if json {
                return say_json(&serde_json::json!({ "report": page }));
            }
            say(&page.display().to_string())
        }
    }
}

fn config_of(folder: &RunFolder) -> Result<RunConfig> {
    let path = folder.config();
    RunConfig::read(&path, &[]).with_context(|| format!("{} holds no run", folder.path().display()))
}

fn train(mut session: Session, folder: &RunFolder, interrupt: &Interrupt, json: bool) -> Result<ExitCode> {
    let steps = session.config().run.steps;
    let mut progress = Progress::new(session.step(), steps);
    let trained = session.advance_while(|| !interrupt.is_asked(), steps, &mut progress);
    progress.finish();
    let again = || format!("`maquette-train resume {}` goes on from the newest checkpoint", folder.path().display());
    trained.with_context(again)?;
    if session.step() < steps {
        eprintln!("interrupted after {} of {steps} updates; {}", session.step(), again());
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let outcome = outcome(folder.path(), &read_lines(&folder.metrics())?, report(std::slice::from_ref(folder))?);
    if json {
        return say_json(&outcome);
    }
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.3}"));
    say(&format!(
        "held-out reward: random {}, before {}, after {} updates {}\n{}",
        number(outcome.random),
        number(outcome.first),
        outcome.steps,
        number(outcome.last),
        outcome.report.display(),
    ))
}

fn outcome(folder: &Path, lines: &[Line], report: PathBuf) -> Outcome {
    let evaluations = || {
        lines.iter().filter_map(|line| match line {
            Line::Evaluation(line) => Some(line.reward),
            _ => None,
        })
    };
    let random = lines.iter().find_map(|line| match line {
        Line::Random(line) => Some(line.reward),
        _ => None,
    });
    let steps = lines.iter().filter(|line| matches!(line, Line::Step(_))).count() as u64;
    Outcome {
        folder: folder.into(),
        steps,
        first: evaluations().next(),
        last: evaluations().next_back(),
        random,
        report,
    }
}

fn in_words(line: &EvaluationLine) -> String {
    let mut text = format!("{:.3} over {} episodes after {} updates", line.reward, line.episodes, line.step);
    for (name, score) in &line.sources {
        text.push_str(&format!("\n{name}: {:.3} over {} episodes", score.reward, score.episodes));
    }
    text
}

fn say_json(value: &impl Serialize) -> Result<ExitCode> {
    say(&serde_json::to_string_pretty(value)?)
}

/// A reader that has gone is no failure of ours to be told by a panic.
fn say(text: &str) -> Result<ExitCode> {
    writeln!(std::io::stdout(), "{text}")?;
    Ok(ExitCode::SUCCESS)
}
