//! The node tree of the default scene.

use super::super::check::{Document, TOLERANCES, decompose, index, indices, numbers};
use super::{invalid, within};
use crate::gltf::{Limits, ReadError};
use crate::{NodeId, Scene, Trs};
use serde_json::Value;
use std::collections::BTreeSet;

/// A node of the file that is in the scene.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instance {
    /// Place in the file's `nodes`.
    pub(super) source: usize,
    pub(super) id: NodeId,
    pub(super) parent: Option<NodeId>,
}

/// Depth first, children in the file's order. A node that is listed twice is taken where it comes first.
pub(super) fn instances(document: &Document, limits: &Limits) -> Result<Vec<Instance>, ReadError> {
    let nodes = document.list("nodes");
    let mut instances: Vec<Instance> = Vec::new();
    let mut visited = vec![false; nodes.len()];
    let mut waiting: Vec<(usize, Option<NodeId>, usize)> =
        roots(document)?.into_iter().rev().map(|root| (root, None, 1)).collect();
    while let Some((source, parent, depth)) = waiting.pop() {
        if std::mem::replace(&mut visited[source], true) {
            continue;
        }
        within("levels of nodes", depth as u64, limits.depth)?;
        within("nodes", instances.len() as u64 + 1, limits.nodes)?;
        let id = NodeId(super::ordinal(instances.len()));
        instances.push(Instance { source, id, parent });
        let children = list(nodes[source].get("children"), nodes.len(), &format!("/nodes/{source}/children"))?;
        waiting.extend(children.into_iter().rev().map(|child| (child, Some(id), depth + 1)));
    }
    Ok(instances)
}

/// Of the default scene; where the file names none, of the first; where it has none, every node without a parent.
fn roots(document: &Document) -> Result<Vec<usize>, ReadError> {
    let nodes = document.list("nodes");
    let default = index(document.json.get("scene")).unwrap_or(0);
    let scenes = document.list("scenes");
    match scenes.get(default).or_else(|| scenes.first()) {
        Some(scene) => list(scene.get("nodes"), nodes.len(), &format!("/scenes/{default}/nodes")),
        None => {
            let children = nodes.iter().flat_map(|node| indices(node.get("children")));
            let children: BTreeSet<usize> = children.map(|(_, child)| child).collect();
            Ok((0..nodes.len()).filter(|node| !children.contains(node)).collect())
        }
    }
}

/// Node indices that all resolve.
fn list(value: Option<&Value>, length: usize, pointer: &str) -> Result<Vec<usize>, ReadError> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let Some(items) = value.as_array() else {
        return Err(invalid("TYPE_MISMATCH", pointer, "Type mismatch. Property value is not a 'array'.".into()));
    };
    let mut places = Vec::with_capacity(items.len());
    for (position, item) in items.iter().enumerate() {
        places.extend(super::reference(Some(item), length, &format!("{pointer}/{position}"))?);
    }
    Ok(places)
}

/// A rotation that is off unit length is normalised; the report has it as an error.
pub(super) fn transform(node: &Value, pointer: &str) -> Result<Trs, ReadError> {
    if let Some(matrix) = node.get("matrix") {
        let trs = numbers::<16>(Some(matrix)).and_then(|matrix| decompose(&matrix));
        let message = "Matrix must be decomposable to TRS.";
        return trs.ok_or_else(|| invalid("NODE_MATRIX_NON_TRS", &format!("{pointer}/matrix"), message.into()));
    }
    let Trs { translation, rotation, scale } = Trs::IDENTITY;
    Ok(Trs {
        translation: vector(node, "translation", translation, pointer)?,
        rotation: unit(vector(node, "rotation", rotation, pointer)?),
        scale: vector(node, "scale", scale, pointer)?,
    })
}

fn vector<const N: usize>(node: &Value, member: &str, default: [f64; N], pointer: &str) -> Result<[f64; N], ReadError> {
    let Some(value) = node.get(member) else { return Ok(default) };
    let message = || format!("Type mismatch. Property value is not an array of {N} numbers.");
    numbers(Some(value)).ok_or_else(|| invalid("TYPE_MISMATCH", &format!("{pointer}/{member}"), message()))
}

fn unit(rotation: [f64; 4]) -> [f64; 4] {
    let length = rotation.iter().map(|part| part * part).sum::<f64>().sqrt();
    if (length - 1.0).abs() <= TOLERANCES.unit_quaternion {
        rotation
    } else if length > 0.0 && length.is_finite() {
        rotation.map(|part| part / length)
    } else {
        Trs::IDENTITY.rotation
    }
}

/// The node that the scene's extras name, else the first with a camera.
pub(super) fn active_camera(
    document: &Document,
    node_ids: &[Option<NodeId>],
    scene: &Scene,
    instances: &[Instance],
) -> Option<NodeId> {
    let has_camera = |id: &NodeId| scene.node(*id).is_some_and(|node| node.camera.is_some());
    let default = index(document.json.get("scene")).unwrap_or(0);
    let extras = document.list("scenes").get(default).and_then(|scene| scene.pointer("/extras/active_camera"));
    let named = index(extras).and_then(|place| *node_ids.get(place)?).filter(has_camera);
    named.or_else(|| instances.iter().map(|instance| instance.id).find(has_camera))
}
