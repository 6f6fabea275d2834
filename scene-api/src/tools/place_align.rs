//! `place.align`: one edge or the middles of several things in line.

use super::arguments::typed;
use super::axis::Axis;
use super::edits::edited;
use super::extent::{box_of, boxed_apart_from};
use super::schema::schema_of;
use super::shift::{moved, separate_nodes, shifted};
use super::{Group, Outcome, ToolInfo, references};
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
    name: "place.align",
    group: Group::Place,
    description: "Moves nodes, each with all below it, along one axis until an edge or the middle of their boxes is in \
                  line with a coordinate, or with the same of another node.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Ids of the nodes to move, 1 to 64, none below another.
    #[schemars(length(min = 1, max = 64))]
    nodes: Vec<String>,
    /// World axis along which they move.
    axis: Axis,
    /// What of each box is aligned: its least coordinate, its middle or its greatest.
    edge: Edge,
    /// A world coordinate in metres, or the id of the node to align with, which stays.
    to: Line,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Edge {
    Min,
    Centre,
    Max,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Line {
    Coordinate(f64),
    Node(String),
}

impl Edge {
    fn of(self, bounds: &Aabb, axis: Axis) -> f64 {
        match self {
            Self::Min => bounds.min[axis.index()],
            Self::Centre => bounds.centre()[axis.index()],
            Self::Max => bounds.max[axis.index()],
        }
    }
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let mut nodes = separate_nodes(scene, &args.nodes)?;
    let to_m = match &args.to {
        Line::Coordinate(given) => *given,
        Line::Node(given) => {
            nodes.remove(&references::node(scene, "/to", given)?.0);
            args.edge.of(&boxed_apart_from(&nodes, scene, "/to", given)?.1, args.axis)
        }
    };
    if nodes.is_empty() {
        let message = "there is nothing to move: to is the only node";
        return Err(ToolError::new(ErrorCode::InvalidArgument, "/nodes", message).allowed("other nodes than to"));
    }
    let move_of = |id: &NodeId| -> Result<(NodeId, Vector3<f64>), ToolError> {
        let bounds = box_of(scene, "/nodes", *id)?;
        Ok((*id, args.axis.by(to_m - args.edge.of(&bounds, args.axis))))
    };
    let moves: Vec<(NodeId, Vector3<f64>)> = nodes.iter().map(move_of).collect::<Result<_, ToolError>>()?;
    let applied = shifted(scene, &moves)?;
    let listed: Vec<Value> = moves.iter().map(|(id, by_m)| moved(&applied.scene, *id, by_m)).collect();
    let result = json!({"moved": listed, "aligned_at_m": four_digits(to_m)});
    Ok(edited(applied, result).blaming(Blame { place: "/to", ..Blame::default() }))
}
