//! Copies of a node and all below it, beside it.

use super::edits::{and_edit, same_name};
use crate::tool_error::{ErrorCode, ToolError};
use scene_document::{Applied, Edit, Node, NodeId, Scene, Trs};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Longer names are cut where a number is put behind them.
const BASE_CHARS: usize = 100;

/// What a copy shows.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Meshes {
    #[default]
    Linked,
    Copied,
}

/// One more copy of `node`, with a transform of its own; its id.
///
/// # Errors
/// The document's refusal, e.g. of a name that a sibling has, at `/name`.
pub(super) fn with_copy(
    before: Applied,
    node: NodeId,
    name: String,
    meshes: Meshes,
    transform: Trs,
) -> Result<(Applied, NodeId), ToolError> {
    let below_last = before.scene.subtree(node).into_iter().rev().take_while(|id| *id != node).count();
    let share_meshes = matches!(meshes, Meshes::Linked);
    let copied = and_edit(before, Edit::CopyNode { node, name, share_meshes }, same_name)?;
    // The ids of the copies are the last ones, in the order of the originals'.
    let copy = copied.changed.nodes.iter().rev().nth(below_last).copied();
    let copy = copy.ok_or_else(|| ToolError::new(ErrorCode::NotFound, "/node", format!("{node} has no copy")))?;
    let placed = and_edit(copied, Edit::SetTransform { node: copy, transform }, same_name)?;
    Ok((placed, copy))
}

/// Names for copies that no sibling has: `leg_2`, `leg_3`, … after `leg` and after `leg_1`.
pub(super) fn free_names(scene: &Scene, node: &Node) -> impl Iterator<Item = String> {
    let taken: BTreeSet<String> = scene.children(node.parent).map(|(_, sibling)| sibling.name.clone()).collect();
    let numbered = node.name.rsplit_once('_').and_then(|(base, number)| Some((base, number.parse::<u16>().ok()?)));
    let (base, number) = numbered.unwrap_or((node.name.as_str(), 1));
    let base: String = base.chars().take(BASE_CHARS).collect();
    (u32::from(number) + 1..).map(move |number| format!("{base}_{number}")).filter(move |name| !taken.contains(name))
}
