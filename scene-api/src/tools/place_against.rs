//! `place.against`: one thing beside another.

use super::arguments::typed;
use super::edits::edited;
use super::extent::{boxed, boxed_apart_from};
use super::schema::schema_of;
use super::shift::{moved, shifted};
use super::{Group, Outcome, ToolInfo};
use crate::limits::Blame;
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "place.against",
    group: Group::Place,
    description: "Puts a node, with all below it, beside another node's box, face to face with one side of it; its \
                  height stays.",
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
    /// Id of the node that it is put beside.
    to: String,
    /// Which side of `to`, in world space.
    side: Side,
    /// Metres left between the two boxes; default 0.
    #[schemars(range(min = 0, max = 1000))]
    gap_m: Option<f64>,
    /// Where along the side the node's middle goes, a share of the side, 0 at its least coordinate; default 0.5.
    #[schemars(range(min = 0, max = 1))]
    along: Option<f64>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
enum Side {
    #[serde(rename = "+x")]
    PlusX,
    #[serde(rename = "-x")]
    MinusX,
    #[serde(rename = "+z")]
    PlusZ,
    #[serde(rename = "-z")]
    MinusZ,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, own) = boxed(scene, "/node", &args.node)?;
    let (_, other) = boxed_apart_from(&BTreeSet::from([node]), scene, "/to", &args.to)?;
    let gap_m = args.gap_m.unwrap_or(0.0);
    let above = |axis: usize| other.max[axis] + gap_m - own.min[axis];
    let below = |axis: usize| other.min[axis] - gap_m - own.max[axis];
    let along =
        |axis: usize| other.min[axis] + args.along.unwrap_or(MIDDLE) * other.extents()[axis] - own.centre()[axis];
    let by_m = match args.side {
        Side::PlusX => Vector3::new(above(0), 0.0, along(2)),
        Side::MinusX => Vector3::new(below(0), 0.0, along(2)),
        Side::PlusZ => Vector3::new(along(0), 0.0, above(2)),
        Side::MinusZ => Vector3::new(along(0), 0.0, below(2)),
    };
    let applied = shifted(scene, &[(node, by_m)])?;
    let result = moved(&applied.scene, node, &by_m);
    Ok(edited(applied, result).blaming(Blame { place: "/gap_m", ..Blame::default() }))
}
