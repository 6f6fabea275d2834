//! `place.distribute`: several things in a row with equal gaps.

use super::arguments::typed;
use super::axis::Axis;
use super::edits::edited;
use super::extent::box_of;
use super::schema::schema_of;
use super::shift::{moved, separate_nodes, shifted};
use super::{Group, Outcome, ToolInfo};
use crate::limits::Blame;
use crate::measured::four_digits;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use geometry_checks::Aabb;
use nalgebra::Vector3;
use scene_document::NodeId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "place.distribute",
    group: Group::Place,
    description: "Moves nodes, each with all below it, along one axis until the gaps between neighbouring boxes are \
                  equal, in the order in which they stand. The first stays; without `spacing_m` the last stays too.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Ids of the nodes, 2 to 64, none below another.
    #[schemars(length(min = 2, max = 64))]
    nodes: Vec<String>,
    /// World axis along which they move.
    axis: Axis,
    /// Metres between one box and the next; absent to share out the room between the first and the last.
    #[schemars(range(min = 0, max = 1000))]
    spacing_m: Option<f64>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let axis = args.axis.index();
    let nodes = separate_nodes(scene, &args.nodes)?;
    let mut row: Vec<(NodeId, Aabb)> = nodes
        .iter()
        .map(|id| box_of(scene, "/nodes", *id).map(|bounds| (*id, bounds)))
        .collect::<Result<_, ToolError>>()?;
    row.sort_by(|a, b| a.1.centre()[axis].total_cmp(&b.1.centre()[axis]).then(a.0.cmp(&b.0)));
    let gap_m = match args.spacing_m {
        Some(gap_m) => gap_m,
        None => shared_gap_m(&row, axis)?,
    };
    let mut moves: Vec<(NodeId, Vector3<f64>)> = Vec::new();
    let mut end_m: Option<f64> = None;
    for (id, bounds) in &row {
        let start_m = end_m.map_or(bounds.min[axis], |end_m| end_m + gap_m);
        moves.push((*id, args.axis.by(start_m - bounds.min[axis])));
        end_m = Some(start_m + bounds.extents()[axis]);
    }
    let applied = shifted(scene, &moves)?;
    let listed: Vec<Value> = moves.iter().map(|(id, by_m)| moved(&applied.scene, *id, by_m)).collect();
    let result = json!({"moved": listed, "gap_m": four_digits(gap_m)});
    Ok(edited(applied, result).blaming(Blame { place: "/spacing_m", ..Blame::default() }))
}

/// The gap that leaves the first and the last of a row where they are.
fn shared_gap_m(row: &[(NodeId, Aabb)], axis: usize) -> Result<f64, ToolError> {
    let (Some((_, first)), Some((_, last)), 3..) = (row.first(), row.last(), row.len()) else {
        let message = format!("between {} nodes there is nothing to share out; give spacing_m", row.len());
        return Err(ToolError::new(ErrorCode::InvalidArgument, "/nodes", message)
            .given(row.len())
            .allowed("at least 3 different nodes, or spacing_m"));
    };
    let room_m = last.max[axis] - first.min[axis];
    let filled_m: f64 = row.iter().map(|(_, bounds)| bounds.extents()[axis]).sum();
    if filled_m > room_m {
        let message =
            format!("between the ends there are {room_m:.4} m, and the nodes take {filled_m:.4} m; give spacing_m");
        return Err(ToolError::new(ErrorCode::OutOfRange, "/nodes", message)
            .given(room_m)
            .allowed(format!("at least {filled_m:.4} m between the ends, or spacing_m")));
    }
    Ok((room_m - filled_m) / (row.len() - 1) as f64)
}
