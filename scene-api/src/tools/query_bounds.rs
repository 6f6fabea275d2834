//! `query.bounds`: where things are and how large.

use super::arguments::typed;
use super::extent::min_max;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::measured::{four_digits_each, subtree_aabb};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use geometry_checks::Aabb;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "query.bounds",
    group: Group::Query,
    description: "Gives the world box, size and centre of nodes, each with all below it, and of all of them together; \
                  what is hidden does not count.",
    read_only: true,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Ids of the nodes, 1 to 64.
    #[schemars(length(min = 1, max = 64))]
    nodes: Vec<String>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let nodes = references::nodes(scene, &args.nodes)?;
    let boxes: Vec<Option<Aabb>> = nodes.iter().map(|id| subtree_aabb(scene, *id)).collect();
    let each = nodes.iter().zip(&boxes);
    let listed: Vec<Value> =
        each.map(|(id, bounds)| json!({"node": id, "bounds_m": bounds.as_ref().map(sized)})).collect();
    let all = boxes.iter().copied().flatten().reduce(|whole, part| whole.union(&part));
    Ok(Outcome::Answer(json!({"nodes": listed, "all_m": all.as_ref().map(sized)})))
}

fn sized(bounds: &Aabb) -> Value {
    let mut sized = min_max(bounds);
    sized["size"] = json!(four_digits_each(bounds.extents().iter().copied()));
    sized["centre"] = json!(four_digits_each(bounds.centre().iter().copied()));
    sized
}
