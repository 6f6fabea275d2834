//! TOOLS.md: every tool with its arguments, an example and a refusal.

use super::arguments::arguments;
use super::{Tool, groups};
use scene_api::ExampleScene;
use serde_json::Value;

const HEAD: &str = "\
# Tools of the scene domain

Written by `maquette tools --markdown > TOOLS.md` from the schemas of the tools and `assets/tools.json`; a test plays each
example and each refusal over gRPC. `maquette tools NAME` says of each argument what it means, with unit and default.

Groups but `core` are offered to episodes that ask for them (`tool_groups`). Arguments in bold are needed. The number
beside an example is that of the scene, below, that both calls are made on.";

pub(super) fn page(all: &[Tool], scenes: &[ExampleScene]) -> String {
    let mut lines = vec![HEAD.to_owned()];
    for (name, about, tools) in groups(all) {
        lines.push(format!("\n## {name}: {about}\n"));
        lines.push("| tool | arguments | example | refused |\n|---|---|---|---|".to_owned());
        lines.extend(tools.into_iter().map(row));
    }
    lines.push("\n## Scenes of the examples".to_owned());
    for (number, scene) in (1..).zip(scenes) {
        lines.push(format!("\n{number}. {}\n\n    ```text", scene.about));
        let calls = scene.setup.iter().map(|call| format!("    {} {}", call.name, call.arguments_json));
        lines.extend(calls);
        lines.push("    ```".to_owned());
    }
    lines.join("\n")
}

fn row(tool: &Tool) -> String {
    let Tool { info, scene, example } = tool;
    let taken = arguments(&(info.schema)()).into_iter().map(|argument| {
        let name = format!("`{}`", argument.name);
        let name = if argument.is_needed { format!("**{name}**") } else { name };
        format!("{name} {}", cell(&argument.takes))
    });
    let refused = &example.refused;
    format!(
        "| `{}` {} | {} | {scene}: {} | {} → `{}` at `{}` |",
        info.name,
        cell(info.description),
        taken.collect::<Vec<String>>().join("<br>"),
        code(&example.arguments),
        code(&refused.arguments),
        refused.code,
        refused.pointer
    )
}

fn code(arguments: &Value) -> String {
    format!("`{}`", cell(&arguments.to_string()))
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
