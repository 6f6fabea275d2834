//! Ids that a model gives, looked up in the scene.

use crate::nearest::likeness;
use crate::tool_error::{ErrorCode, ToolError, quoted};
use scene_document::{AnimationId, Camera, Light, MaterialId, Node, NodeId, Scene, TextureId};
use std::collections::BTreeSet;
use std::fmt::Display;

const OFFERED: usize = 3;

/// # Errors
/// `NotFound`, also for a node's name where its id is wanted; then the message says the id.
pub(super) fn node<'a>(scene: &'a Scene, pointer: &str, given: &str) -> Result<(NodeId, &'a Node), ToolError> {
    let found = given.parse::<NodeId>().ok().and_then(|id| Some((id, scene.node(id)?)));
    found
        .ok_or_else(|| unknown("node", pointer, given, scene.nodes().iter().map(|(id, node)| (id, node.name.as_str()))))
}

/// As `node`, for a parent that may be absent.
pub(super) fn parent(scene: &Scene, given: Option<&str>) -> Result<Option<NodeId>, ToolError> {
    given.map(|given| node(scene, "/parent", given).map(|(id, _)| id)).transpose()
}

pub(super) fn nodes(scene: &Scene, given: &[String]) -> Result<BTreeSet<NodeId>, ToolError> {
    let each = given.iter().enumerate();
    each.map(|(index, given)| node(scene, &format!("/nodes/{index}"), given).map(|(id, _)| id)).collect()
}

/// Whether the node is one of those wanted or below one; each is where nothing is said.
pub(super) fn is_among(wanted: Option<&BTreeSet<NodeId>>, scene: &Scene, id: NodeId) -> bool {
    wanted.is_none_or(|wanted| scene.ancestry(id).any(|above| wanted.contains(&above)))
}

/// A node that has `what`: a camera, a mesh.
pub(super) fn node_with<'a>(
    what: &str,
    has: impl Fn(&Node) -> bool,
    scene: &'a Scene,
    pointer: &str,
    given: &str,
) -> Result<(NodeId, &'a Node), ToolError> {
    let (id, found) = node(scene, pointer, given)?;
    if has(found) {
        return Ok((id, found));
    }
    let others = scene.nodes().iter().filter(|(_, node)| has(node));
    let ids: Vec<String> = others.map(|(id, _)| id.to_string()).take(OFFERED).collect();
    Err(ToolError::new(ErrorCode::NotFound, pointer, format!("{id} ({}) has no {what}", quoted(&found.name)))
        .given(given)
        .allowed(format!("the id of a node with a {what}"))
        .nearest(ids))
}

/// A node with a light, and the light.
pub(super) fn light<'a>(
    scene: &'a Scene,
    pointer: &str,
    given: &str,
) -> Result<(NodeId, &'a Node, &'a Light), ToolError> {
    let (id, node) = node_with("light", |node| node.light.is_some(), scene, pointer, given)?;
    let light = node.light.and_then(|light| scene.lights().get(&light));
    light.map(|light| (id, node, light.as_ref())).ok_or_else(|| without("light", id, pointer, given))
}

/// A node with a camera, and the camera.
pub(super) fn camera<'a>(
    scene: &'a Scene,
    pointer: &str,
    given: &str,
) -> Result<(NodeId, &'a Node, &'a Camera), ToolError> {
    let (id, node) = node_with("camera", |node| node.camera.is_some(), scene, pointer, given)?;
    let camera = node.camera.and_then(|camera| scene.cameras().get(&camera));
    camera.map(|camera| (id, node, camera.as_ref())).ok_or_else(|| without("camera", id, pointer, given))
}

fn without(what: &str, id: NodeId, pointer: &str, given: &str) -> ToolError {
    ToolError::new(ErrorCode::NotFound, pointer, format!("{id} has no {what}"))
        .given(given)
        .allowed(format!("the id of a node with a {what}"))
}

pub(super) fn material(scene: &Scene, pointer: &str, given: &str) -> Result<MaterialId, ToolError> {
    let found = given.parse::<MaterialId>().ok().filter(|id| scene.materials().contains_key(id));
    found.ok_or_else(|| {
        let known = scene.materials().iter().map(|(id, material)| (id, material.name.as_str()));
        unknown("material", pointer, given, known)
    })
}

pub(super) fn animation(scene: &Scene, pointer: &str, given: &str) -> Result<AnimationId, ToolError> {
    let found = given.parse::<AnimationId>().ok().filter(|id| scene.animations().contains_key(id));
    found.ok_or_else(|| {
        let known = scene.animations().iter().map(|(id, animation)| (id, animation.name.as_str()));
        unknown("animation", pointer, given, known)
    })
}

pub(super) fn texture(scene: &Scene, pointer: &str, given: &str) -> Result<TextureId, ToolError> {
    let found = given.parse::<TextureId>().ok().filter(|id| scene.textures().contains_key(id));
    found.ok_or_else(|| {
        let known = scene.textures().iter().map(|(id, texture)| (id, texture.name.as_str()));
        unknown("texture", pointer, given, known)
    })
}

fn unknown<'a, Id: Display + 'a>(
    kind: &str,
    pointer: &str,
    given: &str,
    known: impl Iterator<Item = (&'a Id, &'a str)>,
) -> ToolError {
    let mut ranked: Vec<(f64, &Id, &str)> =
        known.map(|(id, name)| (likeness(given, &id.to_string()).max(likeness(given, name)), id, name)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.truncate(OFFERED);
    let offered: Vec<String> = ranked.iter().map(|(_, id, name)| format!("{id} is {}", quoted(name))).collect();
    let message = match ranked.iter().find(|(_, _, name)| *name == given) {
        Some((_, id, _)) => format!("ids are needed, not names: {given} is {id}"),
        None if offered.is_empty() => format!("there is no {kind} {}; there are none yet", quoted(given)),
        None => format!("there is no {kind} {}; {}", quoted(given), offered.join(", ")),
    };
    ToolError::new(ErrorCode::NotFound, pointer, message)
        .given(given)
        .allowed(format!("the id of a {kind} in the scene"))
        .nearest(ranked.iter().map(|(_, id, _)| id.to_string()).collect())
}
