//! `animation.create`: an animation that channels are added to.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::label::label;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::{Animation, Edit};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "animation.create",
    group: Group::Animation,
    description: "Makes an animation and returns its id; add what it moves with animation.add_channel. All of its \
                  channels run on one clock from 0 s on. Without a channel it is not exported.",
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
    let animation = Animation { name: label("/name", &args.name)?, ..Animation::default() };
    let applied = edit(&workspace.scene, Edit::CreateAnimation(animation), same_name)?;
    let result = json!({"animation": applied.changed.animations.last()});
    Ok(edited(applied, result))
}
