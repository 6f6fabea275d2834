//! `node.set_extras`: data of the caller's own on a node.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "node.set_extras",
    group: Group::Node,
    description: "Keeps a JSON object with a node, in the place of what was kept before: tags, part numbers, notes. It \
                  is exported as glTF's `extras` and changes nothing that is drawn or measured; scene.describe shows \
                  it where `fields` asks for `extras`.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

/// Of the JSON without spaces.
const MOST_BYTES: usize = 4 << 10;
const MOST_LEVELS: usize = 8;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// Any members, at most 4 KiB and 8 levels of objects and arrays; null or absent removes what was kept.
    extras: Option<Map<String, Value>>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let (node, _) = references::node(&workspace.scene, "/node", &args.node)?;
    let bytes = args.extras.as_ref().map_or(0, |extras| json!(extras).to_string().len());
    if bytes > MOST_BYTES {
        return Err(ToolError::limit("/extras", "bytes of extras", bytes as u64, MOST_BYTES as u64));
    }
    let levels = args.extras.as_ref().map_or(0, |extras| 1 + deepest(extras.values()));
    if levels > MOST_LEVELS {
        return Err(ToolError::limit("/extras", "levels of extras", levels as u64, MOST_LEVELS as u64));
    }
    let applied = edit(&workspace.scene, Edit::SetExtras { node, extras: args.extras }, same_name)?;
    Ok(edited(applied, json!({"node": node, "bytes": bytes})))
}

/// Levels of objects and arrays among the values.
fn deepest<'a>(values: impl Iterator<Item = &'a Value>) -> usize {
    values.map(levels).max().unwrap_or(0)
}

fn levels(value: &Value) -> usize {
    match value {
        Value::Object(members) => 1 + deepest(members.values()),
        Value::Array(items) => 1 + deepest(items.iter()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
