//! The box around a node and all below it, which placing goes by. What is hidden is not in it.

use super::references;
use crate::measured::{four_digits_each, subtree_aabb, union_aabb};
use crate::tool_error::{ErrorCode, ToolError, quoted};
use geometry_checks::Aabb;
use scene_document::{NodeId, Scene};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const OFFERED: usize = 3;

/// A node and its box in world space.
///
/// # Errors
/// `NotFound`, also where there is no mesh on or below it.
pub(super) fn boxed(scene: &Scene, pointer: &str, given: &str) -> Result<(NodeId, Aabb), ToolError> {
    let (id, _) = references::node(scene, pointer, given)?;
    Ok((id, box_of(scene, pointer, id)?))
}

/// As `boxed`, of a node that is there.
pub(super) fn box_of(scene: &Scene, pointer: &str, id: NodeId) -> Result<Aabb, ToolError> {
    subtree_aabb(scene, id).ok_or_else(|| meshless(scene, pointer, id))
}

/// As `boxed`, of what stays where it is while `moved` and all below these move.
///
/// # Errors
/// As `boxed`; `InvalidArgument` where the node moves too.
pub(super) fn boxed_apart_from(
    moved: &BTreeSet<NodeId>,
    scene: &Scene,
    pointer: &str,
    given: &str,
) -> Result<(NodeId, Aabb), ToolError> {
    let (id, _) = references::node(scene, pointer, given)?;
    let mover = |node: NodeId| scene.ancestry(node).find(|above| moved.contains(above));
    if let Some(mover) = mover(id) {
        let message = format!("{id} is {mover} or below it, so it would move too");
        return Err(ToolError::new(ErrorCode::InvalidArgument, pointer, message)
            .given(given)
            .allowed(format!("a node that is neither {mover} nor below it")));
    }
    let fixed = scene.subtree(id).into_iter().filter(|node| mover(*node).is_none());
    let bounds = union_aabb(scene, fixed).ok_or_else(|| meshless(scene, pointer, id))?;
    Ok((id, bounds))
}

pub(super) fn meshless(scene: &Scene, pointer: &str, id: NodeId) -> ToolError {
    let name = scene.node(id).map(|node| quoted(&node.name)).unwrap_or_default();
    let others = scene.nodes().iter().filter(|(id, node)| node.mesh.is_some() && scene.is_shown(**id));
    ToolError::new(ErrorCode::NotFound, pointer, format!("{id} ({name}) has no mesh on or below it to measure"))
        .given(id.to_string())
        .allowed("a node with a mesh that is shown, on or below it")
        .nearest(others.map(|(id, _)| id.to_string()).take(OFFERED).collect())
}

/// As replies show a box.
pub(super) fn min_max(bounds: &Aabb) -> Value {
    json!({
        "min": four_digits_each(bounds.min.iter().copied()),
        "max": four_digits_each(bounds.max.iter().copied()),
    })
}
