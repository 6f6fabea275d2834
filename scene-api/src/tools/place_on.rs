//! `place.on`: one thing on another.

use super::arguments::typed;
use super::edits::edited;
use super::extent::{boxed, boxed_apart_from};
use super::schema::schema_of;
use super::shift::{moved, shifted};
use super::{Group, Outcome, ToolInfo};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "place.on",
    group: Group::Core,
    description: "Rests a node, with all below it, on the top of another node's box, its middle over the place `u`, \
                  `v`; in contact, without a gap. A part of the support may be placed on the rest of it.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

const MIDDLE: f64 = 0.5;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of the node to move, e.g. `n_7`.
    node: String,
    /// Id of the node to rest it on: a part with a flat top, e.g. a table's top or a chair's seat.
    support: String,
    /// Share of the support's box along x, 0 at its least x, 1 at its greatest; default 0.5.
    #[schemars(range(min = 0, max = 1))]
    u: Option<f64>,
    /// The same along z.
    #[schemars(range(min = 0, max = 1))]
    v: Option<f64>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, own) = boxed(scene, "/node", &args.node)?;
    let (_, base) = boxed_apart_from(&BTreeSet::from([node]), scene, "/support", &args.support)?;
    let at = |share: Option<f64>, axis: usize| base.min[axis] + share.unwrap_or(MIDDLE) * base.extents()[axis];
    let middle = own.centre();
    let by_m = Vector3::new(at(args.u, 0) - middle.x, base.max.y - own.min.y, at(args.v, 2) - middle.z);
    let applied = shifted(scene, &[(node, by_m)])?;
    let result = moved(&applied.scene, node, &by_m);
    Ok(edited(applied, result))
}
