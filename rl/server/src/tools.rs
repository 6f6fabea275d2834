//! `maquette tools`: the tools of the scene domain, for people, programs and TOOLS.md.

mod arguments;
mod page;

use crate::nearest::nearest;
use crate::report;
use anyhow::{Context as _, Result, bail};
use arguments::{Argument, arguments};
use scene_api::{ExampleScene, Group, ToolExample, ToolInfo, example_scenes, tools};
use serde_json::{Value, json};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Show this tool, e.g. node.create; without it (or with `scene`, its domain) list all
    tool: Option<String>,
    /// Print JSON, with the schemas of the arguments
    #[arg(long)]
    json: bool,
    /// Print all tools as Markdown, as in TOOLS.md
    #[arg(long, conflicts_with_all = ["json", "tool"])]
    markdown: bool,
}

const DOMAIN: &str = "scene";
const CORE: &str = "core";
/// Of what is told beside an argument.
const INDENT: &str = "                           ";

/// A tool and its example, which is on the scene of this number.
struct Tool<'a> {
    info: &'static ToolInfo,
    scene: usize,
    example: &'a ToolExample,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let scenes = example_scenes().context("the examples that are built in")?;
    let all: Vec<Tool> = tools(true).map(|info| with_example(info, &scenes)).collect::<Result<_>>()?;
    let text = match args.tool.as_deref().filter(|name| *name != DOMAIN) {
        _ if args.markdown => page::page(&all, &scenes),
        Some(name) => {
            let tool = named(name, &all)?;
            if args.json { serde_json::to_string_pretty(&as_json(tool))? } else { shown(tool, &scenes) }
        }
        None if args.json => serde_json::to_string_pretty(&all.iter().map(as_json).collect::<Vec<Value>>())?,
        None => listed(&all),
    };
    report::say(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn with_example<'a>(info: &'static ToolInfo, scenes: &'a [ExampleScene]) -> Result<Tool<'a>> {
    let mut numbered = (1..).zip(scenes);
    let found = numbered.find_map(|(scene, example)| Some((scene, example.tools.get(info.name)?)));
    let (scene, example) = found.with_context(|| format!("{} has no example in assets/tools.json", info.name))?;
    Ok(Tool { info, scene, example })
}

fn named<'a>(name: &str, all: &'a [Tool<'a>]) -> Result<&'a Tool<'a>> {
    if let Some(tool) = all.iter().find(|tool| tool.info.name == name) {
        return Ok(tool);
    }
    let names = all.iter().map(|tool| tool.info.name);
    bail!("no tool {name:?}; the nearest are {}", nearest(name, names).join(", "));
}

/// Name and purpose of each group, and its tools.
fn groups<'a>(all: &'a [Tool<'a>]) -> Vec<(&'static str, &'static str, Vec<&'a Tool<'a>>)> {
    let core = [("", "offered to every episode")];
    let of = |name: &str| all.iter().filter(|tool| tool.info.group.name() == name).collect::<Vec<_>>();
    let group = |(name, about): (&'static str, &'static str)| {
        let tools = of(name);
        (if name.is_empty() { CORE } else { name }, about, tools)
    };
    core.into_iter().chain(Group::described()).map(group).collect()
}

fn listed(all: &[Tool]) -> String {
    let mut lines = Vec::new();
    for (name, about, tools) in groups(all) {
        lines.push(format!("{name}: {about}"));
        lines.extend(tools.iter().map(|tool| format!("  {:<26} {}", tool.info.name, first_sentence(tool.info))));
    }
    lines.join("\n")
}

fn first_sentence(info: &ToolInfo) -> &'static str {
    info.description.split_once(". ").map_or(info.description, |(first, _)| first)
}

fn shown(tool: &Tool, scenes: &[ExampleScene]) -> String {
    let Tool { info, scene, example } = tool;
    let kind = if info.read_only { "changes nothing" } else { "changes the scene or the episode" };
    let group = if info.group == Group::Core { CORE } else { info.group.name() };
    let mut lines = vec![format!("{}  (group {group}; {kind})", info.name), info.description.to_owned()];
    let taken = arguments(&(info.schema)());
    let heading = if taken.is_empty() { "\nno arguments" } else { "\narguments (* is needed)" };
    lines.push(heading.to_owned());
    for Argument { name, is_needed, takes, about } in &taken {
        let marked = if *is_needed { format!("{name}*") } else { name.clone() };
        lines.push(format!("  {marked:<24} {takes}"));
        if !about.is_empty() {
            lines.push(format!("{INDENT}{about}"));
        }
    }
    let about = scene.checked_sub(1).and_then(|index| scenes.get(index)).map_or("", |scene| scene.about.as_str());
    let refused = &example.refused;
    lines.push(format!("\nexample (scene {scene} of TOOLS.md. {})", about.replace('`', "")));
    lines.push(format!("  {}", example.arguments));
    lines.push(format!("refused with {} at {}", refused.code, refused.pointer));
    lines.push(format!("  {}", refused.arguments));
    lines.join("\n")
}

fn as_json(tool: &Tool) -> Value {
    let Tool { info, scene, example } = tool;
    let refused = &example.refused;
    json!({
        "name": info.name,
        "group": info.group.name(),
        "description": info.description,
        "read_only": info.read_only,
        "arguments_schema": (info.schema)(),
        "example": {"scene": scene, "arguments": example.arguments},
        "refused": {"arguments": refused.arguments, "code": refused.code, "pointer": refused.pointer},
    })
}
