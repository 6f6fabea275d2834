//! `node.set_parent`: a node under another one.

use super::arguments::typed;
use super::edits::{and_edit, edit, edited, same_name};
use super::look_at::world_from_parent;
use super::motion::under;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::limits::Blame;
use crate::measured::origin_m;
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::Edit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "node.set_parent",
    group: Group::Core,
    description: "Puts a node, and everything below it, under another node or among the roots. It stays where it is \
                  in the world unless `keep_world` is false.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// Id of the new parent, e.g. `n_1`; absent for a root.
    parent: Option<String>,
    /// Whether the node stays where it is in the world (default true) or keeps its numbers, now in the new parent's
    /// frame.
    keep_world: Option<bool>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (id, node) = references::node(scene, "/node", &args.node)?;
    let parent = references::parent(scene, args.parent.as_deref())?;
    // The siblings that the name could clash with are the new parent's.
    let place = |what: &str| if what == "name" { "/parent".to_owned() } else { same_name(what) };
    let moved = edit(scene, Edit::SetParent { node: id, parent }, place)?;
    let (from_old, from_new) = (world_from_parent(scene, node.parent), world_from_parent(scene, parent));
    let applied = if args.keep_world.unwrap_or(true) && from_old != from_new {
        let transform = under(&from_new, &scene.world_from_node(id), "/parent")?;
        and_edit(moved, Edit::SetTransform { node: id, transform }, same_name)?
    } else {
        moved
    };
    let origin = origin_m(&applied.scene, id);
    let transform = applied.scene.node(id).map(|node| node.transform);
    let result = json!({"node": id, "parent": parent, "transform": transform, "world_translation_m": origin});
    Ok(edited(applied, result).blaming(Blame { place: "/parent", ..Blame::default() }))
}
