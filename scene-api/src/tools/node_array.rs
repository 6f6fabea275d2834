//! `node.array`: a row, a ring or a spiral of copies.

use super::arguments::typed;
use super::axis::Axis;
use super::copies::{Meshes, free_names, with_copy};
use super::edits::{edited, unchanged};
use super::motion::turned;
use super::ranges::each_within;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::limits::Blame;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use nalgebra::Vector3;
use scene_document::Trs;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "node.array",
    group: Group::Node,
    description: "Repeats a node and everything below it, each copy one step and one turn further, under the same \
                  parent: `step_m` makes a row, `turn_deg` a ring, both a spiral. The copies show the same meshes and \
                  are named with the next free numbers, `leg_2`, `leg_3` after `leg`.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Node id, e.g. `n_3`.
    node: String,
    /// How many there are afterwards, the node itself included.
    #[schemars(range(min = 2, max = 256))]
    count: u32,
    /// Metres from one to the next, in the parent's frame.
    step_m: Option<[f64; 3]>,
    /// Degrees from one to the next, counter-clockwise seen from the axis' end; 90 makes a ring of four.
    #[schemars(range(min = -360, max = 360))]
    turn_deg: Option<f64>,
    /// Axis of the parent's frame to turn about; default `y`.
    axis: Option<Axis>,
    /// Point that the axis goes through, metres in the parent's frame; default its origin.
    centre_m: Option<[f64; 3]>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (id, node) = references::node(scene, "/node", &args.node)?;
    let place = match (args.step_m.is_some(), args.turn_deg.is_some()) {
        (false, false) => {
            return Err(ToolError::new(ErrorCode::InvalidArgument, "", "neither a step nor a turn to repeat by")
                .allowed("at least one of step_m, turn_deg"));
        }
        (true, false) => "/step_m",
        (false, true) => "/turn_deg",
        (true, true) => "",
    };
    let without_turn = [("/axis", args.axis.is_some()), ("/centre_m", args.centre_m.is_some())];
    if let Some((pointer, _)) = without_turn.into_iter().find(|(_, given)| *given && args.turn_deg.is_none()) {
        let message = "axis and centre_m are of a turn, and there is none";
        return Err(ToolError::new(ErrorCode::InvalidArgument, pointer, message).allowed("turn_deg beside it"));
    }
    let (all, most) = (nodes_afterwards(workspace, scene.subtree(id).len(), args.count), workspace.limits.nodes);
    if all > u64::from(most) {
        return Err(ToolError::limit("/count", "nodes", all, u64::from(most)));
    }
    let most = 2.0 * workspace.limits.coordinate_m;
    let step_m = Vector3::from(each_within("/step_m", args.step_m.unwrap_or_default(), -most, most)?);
    let centre_m = each_within("/centre_m", args.centre_m.unwrap_or_default(), -most, most)?;
    let axis = args.axis.unwrap_or(Axis::Y);

    let mut applied = unchanged(scene);
    let mut copies = Vec::new();
    for (number, name) in (1..args.count).map(f64::from).zip(free_names(scene, node)) {
        let turned = match args.turn_deg {
            Some(turn_deg) => turned(node.transform, axis, number * turn_deg, centre_m),
            None => node.transform,
        };
        let translation = (Vector3::from(turned.translation) + step_m * number).into();
        let transform = Trs { translation, ..turned };
        let (after, copy) = with_copy(applied, id, name.clone(), Meshes::Linked, transform)?;
        applied = after;
        copies.push(json!({"node": copy, "name": name}));
    }
    Ok(edited(applied, json!({"copies": copies})).blaming(Blame { place, ..Blame::default() }))
}

fn nodes_afterwards(workspace: &Workspace, repeated: usize, count: u32) -> u64 {
    let [now, repeated] = [workspace.scene.nodes().size(), repeated].map(|nodes| nodes as u64);
    now + repeated * u64::from(count.saturating_sub(1))
}
