//! `scene.diff`: what is no longer as it was.

use super::arguments::typed;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::change_log::{Change, ChangeLog};
use crate::history::History;
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::Scene;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "scene.diff",
    group: Group::History,
    description: "Lists the nodes, materials, animations and textures, and the environment, that differ between the \
                  scene and a checkpoint, or the start of the episode: created, deleted or changed, and what of a \
                  node is different. A node that only moved with its parent is as it was. At most 200 are listed, \
                  nodes first, in id order.",
    read_only: true,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

const MOST: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// As given to checkpoint.save; absent for the start of the episode.
    checkpoint: Option<String>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let now = &workspace.scene;
    let before = match args.checkpoint.as_deref() {
        Some(name) => saved(&workspace.history, "/checkpoint", name)?,
        None => workspace.history.start().unwrap_or(now),
    };
    let differences = ChangeLog::between(before, now);
    let told = differences.iter().take(MOST).map(|difference| match difference.change {
        Change::Deleted => difference.told(before),
        Change::Created | Change::Restored | Change::Changed => difference.told(now),
    });
    Ok(Outcome::Answer(json!({
        "checkpoint": args.checkpoint,
        "count": differences.len(),
        "differences": told.collect::<Value>(),
        "truncated": differences.len() > MOST,
    })))
}

/// # Errors
/// `NotFound`.
pub(super) fn saved<'a>(history: &'a History, pointer: &str, name: &str) -> Result<&'a Scene, ToolError> {
    history.checkpoint(name).ok_or_else(|| {
        let names: Vec<&str> = history.checkpoint_names().collect();
        ToolError::unknown(pointer, "checkpoint", name, &names)
    })
}
