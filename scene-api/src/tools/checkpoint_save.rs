//! `checkpoint.save`: the scene under a name, to come back to.

use super::arguments::typed;
use super::label::label;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "checkpoint.save",
    group: Group::History,
    description: "Keeps the scene as it stands under a name, for checkpoint.restore. A name that was used before now \
                  means this scene.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// 1 to 128 characters.
    #[schemars(length(min = 1, max = 128))]
    name: String,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let name = label("/name", &args.name)?;
    let replaces = workspace.history.checkpoint(&name).is_some();
    let result = json!({"name": name, "replaces": replaces});
    let history = workspace.history.saved(name, workspace.scene.clone());
    Ok(Outcome::Saved { history, result })
}
