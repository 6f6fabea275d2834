//! `scene.create`: start again from nothing.

use super::arguments::parse;
use super::edits::edited;
use super::label::label;
use super::schema::schema_of;
use super::{Outcome, ToolInfo};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::{Applied, Changed, Scene};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "scene.create",
    description: "Clears everything and starts an empty scene; ids count from 1 again. Units are metres, +Y is up, the \
                  ground is y = 0.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, json| run(workspace, parse(json)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// A title, repeated in the reply; nothing else depends on it.
    name: Option<String>,
}

fn run(_: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let name = args.name.map(|name| label("/name", &name)).transpose()?;
    Ok(edited(Applied { scene: Scene::default(), changed: Changed::default() }, json!({"name": name})))
}
