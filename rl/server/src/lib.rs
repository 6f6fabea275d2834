//! The reward server and its command line. Programs beside the command line may use the studio, which draws for the
//! scene domain.

mod adapter;
mod agent;
mod camera;
mod conformance;
mod doctor;
mod exit_code;
mod files;
mod golden;
mod html;
mod interrupted;
mod logging;
mod mcp;
mod nearest;
mod observations;
mod page_folder;
mod play;
mod preview;
mod progress;
mod registry;
mod remarks;
mod render;
mod report;
mod score;
mod scoring;
mod serve;
mod sheet;
mod size;
pub mod studio;
mod tasks;
mod tool_groups;
mod tool_names;
mod tools;
mod visible;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// 3D-modelling environment and reward server: tool calls in, a reward with evidence out.
#[derive(Parser)]
#[command(version, max_term_width = 100, after_help = [EXAMPLES, exit_code::RULE].join("\n\n"))]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  maquette tasks scene/table                               the prompt of a task
  maquette tasks generate scene --level repair --json      tasks made from a level and a seed
  maquette tools mesh.add_sweep                            what a tool takes, with an example
  maquette play assets/tasks/scene/table.calls.jsonl       play its reference log in this process
  maquette agent --endpoint http://127.0.0.1:8080/v1 --task scene/table   let a model build it
  maquette score out/scene.glb --task scene/table --json   score a file against a task
  maquette render out/scene.glb -o out/scene.png           draw a file
  maquette preview out/scene.glb --out out/preview         pictures, reward and evidence on one page
  maquette golden check assets/goldens                     compare pictures with the ones of record
  maquette serve --listen 0.0.0.0:50061                    serve the domains over gRPC
  maquette mcp --groups all                                serve the tools to an editor or chat program";

#[derive(Subcommand)]
enum Command {
    /// Serve every domain over gRPC (maquette.v1, health, reflection) until interrupted
    Serve(serve::Args),
    /// Serve a domain's tools to an editor or chat program over MCP
    Mcp(mcp::Args),
    /// Score a GLB or glTF file, with a task or without
    Score(score::Args),
    /// Play a log of tool calls and print the reward
    Play(play::Args),
    /// Let a model behind an OpenAI-compatible endpoint do a task by tool calls, and print the reward
    Agent(agent::Args),
    /// Draw GLB or glTF files as PNG
    Render(render::Args),
    /// Draw a file from all sides and put pictures, reward and evidence on one HTML page
    Preview(preview::Args),
    /// Compare pictures of scenes with the ones of record, or make new ones of record
    #[command(subcommand)]
    Golden(golden::Command),
    /// List the tasks, print one task's prompt, or generate tasks
    Tasks(tasks::Args),
    /// List the tools of the scene domain, or show one with an example
    Tools(tools::Args),
    /// Play the rules of the protocol on a server's domain, in whatever language it is written
    Conformance(conformance::Args),
    /// Check that everything needed is usable, and say what is used
    Doctor(doctor::Args),
}

/// Runs the command that this process was started with.
pub async fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Serve(args) => serve::run(args).await,
        Command::Mcp(args) => mcp::run(args).await,
        Command::Score(args) => score::run(args).await,
        Command::Play(args) => play::run(args).await,
        Command::Agent(args) => agent::run(args).await,
        Command::Render(args) => render::run(&args),
        Command::Preview(args) => preview::run(args).await,
        Command::Golden(command) => golden::run(command),
        Command::Tasks(args) => tasks::run(args).await,
        Command::Tools(args) => tools::run(&args),
        Command::Conformance(args) => conformance::run(args).await,
        Command::Doctor(args) => doctor::run(args).await,
    };
    outcome.unwrap_or_else(|error| {
        report::complain(&error);
        exit_code::not_done()
    })
}
