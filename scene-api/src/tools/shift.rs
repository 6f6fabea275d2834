//! Moving nodes, each with all below it, in world space.

use super::edits::{and_edit, same_name, unchanged};
use super::extent::min_max;
use super::look_at::world_from_parent;
use super::{motion, references};
use crate::measured::{four_digits_each, subtree_aabb};
use crate::tool_error::{ErrorCode, ToolError};
use nalgebra::Vector3;
use scene_document::{Applied, Edit, NodeId, Scene, Trs};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// All of them or none; no node is below another.
///
/// # Errors
/// `Degenerate` where a parent's scale flattens space.
pub(super) fn shifted(scene: &Scene, moves: &[(NodeId, Vector3<f64>)]) -> Result<Applied, ToolError> {
    let mut applied = unchanged(scene);
    for (node, by_m) in moves {
        let (base, parent) = scene.node(*node).map_or((Trs::IDENTITY, None), |node| (node.transform, node.parent));
        let transform = motion::moved(base, &world_from_parent(scene, parent), by_m)?;
        applied = and_edit(applied, Edit::SetTransform { node: *node, transform }, same_name)?;
    }
    Ok(applied)
}

/// The nodes of the argument `nodes`.
///
/// # Errors
/// `NotFound`; `InvalidArgument` where one is below another and would move twice.
pub(super) fn separate_nodes(scene: &Scene, given: &[String]) -> Result<BTreeSet<NodeId>, ToolError> {
    let nodes = references::nodes(scene, given)?;
    for id in &nodes {
        if let Some(above) = scene.ancestry(*id).skip(1).find(|above| nodes.contains(above)) {
            let text = id.to_string();
            let index = given.iter().position(|given| *given == text).unwrap_or(0);
            let message = format!("{id} is below {above}, so it would move twice");
            return Err(ToolError::new(ErrorCode::InvalidArgument, format!("/nodes/{index}"), message)
                .given(text)
                .allowed(format!("nodes that are not below each other, so {id} or {above}")));
        }
    }
    Ok(nodes)
}

/// What a reply says of a node that was moved; `scene` is that after it.
pub(super) fn moved(scene: &Scene, node: NodeId, by_m: &Vector3<f64>) -> Value {
    json!({
        "node": node,
        "moved_by_m": four_digits_each(by_m.iter().copied()),
        "world_aabb_m": subtree_aabb(scene, node).map(|bounds| min_max(&bounds)),
    })
}
