//! `animation.evaluate`: where nodes stand at one moment of an animation.

use super::arguments::typed;
use super::extent::min_max;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::measured::{four_digits, four_digits_each, origin_m, world_aabb};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{NodeId, Pose, Scene, sample};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "animation.evaluate",
    group: Group::Animation,
    description: "Says where nodes stand at a time of an animation: transform in the parent's frame, place in the \
                  scene, bounds of the node's own mesh, morph weights. Nothing changes. `truncated` says that nodes \
                  were left out.",
    read_only: true,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

const LISTED: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Animation id, e.g. `anm_1`.
    animation: String,
    /// Seconds from the animation's start, at least 0; after its last key nothing moves any more.
    #[schemars(range(min = 0))]
    time_s: f64,
    /// Ids of the nodes wanted; absent for those that the animation's channels move.
    nodes: Option<Vec<String>>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let id = references::animation(scene, "/animation", &args.animation)?;
    let asked = args.nodes.map(|given| references::nodes(scene, &given)).transpose()?;
    let (Some(pose), Some(animation)) = (sample(scene, id, args.time_s), scene.animations().get(&id)) else {
        return Err(ToolError::new(ErrorCode::NotFound, "/animation", format!("there is no animation {id}")));
    };
    let wanted: BTreeSet<NodeId> =
        asked.unwrap_or_else(|| animation.channels.iter().map(|channel| channel.node).collect());
    let posed = scene.posed(&pose);
    let nodes: Vec<Value> = wanted.iter().take(LISTED).filter_map(|id| described(&posed, &pose, *id)).collect();
    Ok(Outcome::Answer(json!({
        "animation": id, "time_s": four_digits(args.time_s), "duration_s": four_digits(animation.duration_s()),
        "nodes": nodes, "truncated": wanted.len() > LISTED,
    })))
}

fn described(posed: &Scene, pose: &Pose, id: NodeId) -> Option<Value> {
    let node = posed.node(id)?;
    let transform = &node.transform;
    let world_from_node = posed.world_from_node(id);
    let rows: Vec<Vec<f64>> = (0..3).map(|row| four_digits_each(world_from_node.row(row).iter().copied())).collect();
    Some(json!({
        "id": id,
        "name": node.name,
        "transform": {
            "translation": four_digits_each(transform.translation),
            "rotation": four_digits_each(transform.rotation),
            "scale": four_digits_each(transform.scale),
        },
        "world_translation_m": origin_m(posed, id),
        "world_from_node": rows,
        "world_aabb_m": world_aabb(posed, id).map(|bounds| min_max(&bounds)),
        "weights": pose.weights.get(&id).map(|weights| four_digits_each(weights.iter().copied())),
    }))
}
