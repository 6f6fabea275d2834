//! The only way a scene changes: `apply(&Scene, Edit) -> Result<Applied, EditError>`.

mod animation;
mod look;
mod skin;

use crate::environment::Surroundings;
use crate::{
    Animation, AnimationId, Camera, CameraId, Channel, ChannelPath, Environment, Image, Light, LightId, Material,
    MaterialId, Mesh, MeshId, Node, NodeId, Sampler, Scene, Skin, SkinId, Table, TextureId, Trs, arrange, check,
    restore,
};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::Arc;

/// A closed set of verbs. Each changes everything it says or nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    CreateNode(Node),
    SetTransform {
        node: NodeId,
        transform: Trs,
    },
    /// Removes the node, everything below it, meshes, lights and cameras that nothing uses any more, what animated
    /// it, and the skins of which it was a joint: what was bound to them stays as it was modelled.
    DeleteNode {
        node: NodeId,
    },
    /// Adds a mesh and attaches it to the node; the mesh that was there goes when nothing else uses it, and so does
    /// what animated its morph targets and their weights, unless the new one has as many. The skin stays where it has
    /// every joint that the new mesh names.
    SetMesh {
        node: NodeId,
        mesh: Mesh,
    },
    CreateMaterial(Material),
    /// Puts another material in its place; the id and its uses stay.
    SetMaterial {
        material: MaterialId,
        to: Material,
    },
    /// All primitives of the node's mesh; a mesh shared with other nodes is copied first.
    AssignMaterial {
        node: NodeId,
        material: MaterialId,
    },
    /// Adds a light and attaches it to the node, like `SetMesh`.
    SetLight {
        node: NodeId,
        light: Light,
    },
    /// Adds a skin and binds the node's mesh to it, like `SetMesh`. What it keeps from a file is left out.
    SetSkin {
        node: NodeId,
        skin: Skin,
    },
    /// Of the morph targets of the node's mesh; empty for those that the mesh has.
    SetWeights {
        node: NodeId,
        weights: Vec<f64>,
    },
    /// Adds a camera and attaches it to the node, like `SetMesh`.
    SetCamera {
        node: NodeId,
        camera: Camera,
    },
    /// The node must have a camera.
    SetActiveCamera {
        node: NodeId,
    },
    /// Light from all around in the place of what there was, also of a file's image-based light that was kept; `None`
    /// leaves none.
    SetEnvironment {
        environment: Option<Environment>,
    },
    /// Under another node, or among the roots (`None`). The transform is kept as it is, now in the new parent's frame.
    SetParent {
        node: NodeId,
        parent: Option<NodeId>,
    },
    Rename {
        node: NodeId,
        name: String,
    },
    SetVisible {
        node: NodeId,
        visible: bool,
    },
    /// Data of others for the node, written as its `extras`; `None` removes them.
    SetExtras {
        node: NodeId,
        extras: Option<serde_json::Map<String, serde_json::Value>>,
    },
    /// Copies the node, under another name, and everything below it, to the same parent. Lights and cameras are copied
    /// too, meshes unless they are shared, and skins of which a joint is copied. New ids come in the order of the old.
    CopyNode {
        node: NodeId,
        name: String,
        share_meshes: bool,
    },
    /// What it and its channels keep from a file is left out, as in `SetChannel`.
    CreateAnimation(Animation),
    /// Adds the channel, or replaces the one of the same node and path.
    SetChannel {
        animation: AnimationId,
        channel: Channel,
    },
    DeleteAnimation {
        animation: AnimationId,
    },
    /// An image that materials can use; what they do not use is kept too.
    CreateTexture {
        name: String,
        image: Arc<Image>,
        sampler: Sampler,
    },
    /// Removes everything; ids go on counting.
    Clear,
    /// Puts an earlier scene in the place of this one; ids go on counting.
    Restore(Scene),
}

/// What an edit did: the new scene and the ids it made, changed or removed.
#[derive(Debug, Clone)]
pub struct Applied {
    pub scene: Scene,
    pub changed: Changed,
}

/// Made, changed or removed objects, each list in id order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changed {
    pub nodes: Vec<NodeId>,
    pub meshes: Vec<MeshId>,
    pub materials: Vec<MaterialId>,
    pub lights: Vec<LightId>,
    pub cameras: Vec<CameraId>,
    pub animations: Vec<AnimationId>,
    pub textures: Vec<TextureId>,
    pub skins: Vec<SkinId>,
    /// Whether the light from all around was.
    pub environment: bool,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EditError {
    #[error("no node {0}")]
    NoNode(NodeId),
    #[error("no material {0}")]
    NoMaterial(MaterialId),
    #[error("node {0} has no mesh")]
    NoMesh(NodeId),
    #[error("node {0} has no camera")]
    NoCamera(NodeId),
    #[error("no animation {0}")]
    NoAnimation(AnimationId),
    #[error("node {0} has no mesh with morph targets")]
    NoMorphTargets(NodeId),
    #[error("no {what} {id}")]
    Dangling { what: &'static str, id: String },
    #[error("{what} is not finite")]
    NotFinite { what: &'static str },
    /// `what` is a path below what the edit brings: `size_m/1` is the extent along y.
    #[error("{what} is {given}; allowed: {allowed}")]
    OutOfRange { what: &'static str, given: f64, allowed: &'static str },
    #[error("rotation {given:?} has no length")]
    ZeroRotation { given: [f64; 4] },
    #[error("triangle {triangle} uses vertex {index} of {vertices}")]
    IndexOutOfRange { triangle: usize, index: u32, vertices: usize },
    #[error("normal {normal} has length {length}; allowed: 1 ± 0.00674")]
    NormalLength { normal: usize, length: f64 },
    #[error("{normals} normals for {positions} positions")]
    NormalCount { normals: usize, positions: usize },
    #[error("{uvs} texture coordinates for {positions} positions")]
    UvCount { uvs: usize, positions: usize },
    #[error("time {key} is {given} s; allowed: more than {previous} s, the one before (times are 32-bit floats)")]
    TimesNotIncreasing { key: usize, given: f32, previous: f32 },
    #[error("{given} numbers in values; allowed: {wanted}")]
    ValueCount { given: usize, wanted: usize },
    /// `row` counts the quaternions in `values`, tangents too.
    #[error("rotation {row} has length {length}; allowed: 1 ± 0.00769")]
    RotationLength { row: usize, length: f64 },
    #[error("the mesh has no vertex that a joint could move")]
    NoJoints,
    #[error("{joint} is a joint twice")]
    JointTwice { joint: NodeId },
    #[error("the mesh names joint {joint}; the skin has {joints}, counted from 0")]
    JointOutOfRange { joint: usize, joints: usize },
    #[error("{given} inverse bind matrices for {joints} joints")]
    MatrixCount { given: usize, joints: usize },
    /// `joint` is a place in the skin's list.
    #[error("the last row of the inverse bind matrix of joint {joint} is not 0, 0, 0, 1")]
    MatrixNotAffine { joint: usize },
    #[error("vertex {vertex} has the joint weights {weights:?}; allowed: at least 0, 1 together")]
    InfluenceSum { vertex: usize, weights: [f32; 4] },
    #[error("{given} {what} for {positions} vertices")]
    VertexCount { what: &'static str, given: usize, positions: usize },
    #[error("{given} {what}; the mesh has {targets} morph targets")]
    TargetCount { what: &'static str, given: usize, targets: usize },
    #[error("two channels drive the {path} of {node}")]
    TargetTwice { node: NodeId, path: &'static str },
    #[error("a sibling is already named {name:?} ({taken_by})")]
    NameTaken { name: String, taken_by: NodeId },
    #[error("{parent} is {node} itself or below it, so it cannot be its parent")]
    Cycle { node: NodeId, parent: NodeId },
    #[error("depth {depth} exceeds the limit of {limit}")]
    TooDeep { depth: usize, limit: usize },
}

/// The scene after the edit; the one given stays as it is, whether the edit succeeds or not.
/// O(log n) plus the size of what the edit brings; looking for a sibling's name or for another use of a mesh, light
/// or camera is O(nodes).
///
/// # Errors
/// See `EditError`: the first thing found wrong.
pub fn apply(scene: &Scene, edit: Edit) -> Result<Applied, EditError> {
    match edit {
        Edit::CreateNode(node) => create_node(scene, node),
        Edit::SetTransform { node, transform } => set_transform(scene, node, &transform),
        Edit::DeleteNode { node } => delete_node(scene, node),
        Edit::SetMesh { node, mesh } => set_mesh(scene, node, mesh),
        Edit::CreateMaterial(material) => look::create_material(scene, material),
        Edit::SetMaterial { material, to } => look::set_material(scene, material, to),
        Edit::AssignMaterial { node, material } => assign_material(scene, node, material),
        Edit::SetLight { node, light } => set_light(scene, node, light),
        Edit::SetSkin { node, skin } => skin::set_skin(scene, node, skin),
        Edit::SetWeights { node, weights } => skin::set_weights(scene, node, weights),
        Edit::SetCamera { node, camera } => set_camera(scene, node, camera),
        Edit::SetActiveCamera { node } => set_active_camera(scene, node),
        Edit::SetEnvironment { environment } => look::set_environment(scene, environment),
        Edit::SetParent { node, parent } => arrange::set_parent(scene, node, parent),
        Edit::Rename { node, name } => arrange::rename(scene, node, name),
        Edit::SetVisible { node, visible } => arrange::set_visible(scene, node, visible),
        Edit::SetExtras { node, extras } => arrange::set_extras(scene, node, extras),
        Edit::CopyNode { node, name, share_meshes } => arrange::copy_node(scene, node, &name, share_meshes),
        Edit::CreateAnimation(animation) => animation::create(scene, animation),
        Edit::SetChannel { animation, channel } => animation::set_channel(scene, animation, channel),
        Edit::DeleteAnimation { animation } => animation::delete(scene, animation),
        Edit::CreateTexture { name, image, sampler } => Ok(look::create_texture(scene, name, image, sampler)),
        Edit::Clear => Ok(clear(scene)),
        Edit::Restore(earlier) => Ok(restore::restore(scene, earlier)),
    }
}

fn create_node(scene: &Scene, mut node: Node) -> Result<Applied, EditError> {
    if let Some(parent) = node.parent {
        node_of(scene, parent)?;
        arrange::fits_depth(scene.ancestry(parent).count() + 1)?;
    }
    arrange::name_is_free(scene, node.parent, &node.name, None)?;
    node.transform = check::transform(&node.transform)?;
    exists(&scene.meshes, node.mesh, "mesh")?;
    exists(&scene.lights, node.light, "light")?;
    exists(&scene.cameras, node.camera, "camera")?;
    exists(&scene.skins, node.skin, "skin")?;
    let mesh = node.mesh.and_then(|mesh| scene.meshes.get(&mesh));
    if let Some(skin) = node.skin.and_then(|skin| scene.skins.get(&skin)) {
        check::bound(mesh.ok_or(EditError::NoJoints)?, skin)?;
    }
    check::weights(&node.weights, mesh.map_or(0, |mesh| mesh.morph_target_count()))?;

    let mut scene = scene.clone();
    let id = NodeId(take(&mut scene.next.node));
    scene.nodes.insert_mut(id, Arc::new(node));
    Ok(Applied { scene, changed: Changed { nodes: vec![id], ..Changed::default() } })
}

fn set_transform(scene: &Scene, id: NodeId, transform: &Trs) -> Result<Applied, EditError> {
    let node = node_of(scene, id)?.clone();
    let node = Node { transform: check::transform(transform)?, ..node };
    let mut scene = scene.clone();
    scene.nodes.insert_mut(id, Arc::new(node));
    Ok(Applied { scene, changed: Changed { nodes: vec![id], ..Changed::default() } })
}

fn delete_node(scene: &Scene, id: NodeId) -> Result<Applied, EditError> {
    node_of(scene, id)?;
    let removed = scene.subtree(id);
    let mut after = scene.clone();
    for node in &removed {
        after.nodes.remove_mut(node);
    }
    after.active_camera = scene.active_camera.filter(|camera| after.nodes.contains_key(camera));

    let gone: Vec<&Node> = removed.iter().filter_map(|id| scene.node(*id)).collect();
    let meshes = drop_unused(&mut after.meshes, &after.nodes, &gone, |node| node.mesh);
    let lights = drop_unused(&mut after.lights, &after.nodes, &gone, |node| node.light);
    let cameras = drop_unused(&mut after.cameras, &after.nodes, &gone, |node| node.camera);
    let animations = animation::drop_channels(&mut after, |channel| scene.is_within(channel.node, id));
    let mut skins = drop_unused(&mut after.skins, &after.nodes, &gone, |node| node.skin);
    let (unbound, changed_skins) = skin::drop_joints(&mut after, &removed);
    skins.extend(changed_skins);
    skins.sort();
    let mut nodes = [removed, unbound].concat();
    nodes.sort();
    let changed = Changed { nodes, meshes, lights, cameras, animations, skins, ..Changed::default() };
    Ok(Applied { scene: after, changed })
}

fn set_mesh(scene: &Scene, id: NodeId, mesh: Mesh) -> Result<Applied, EditError> {
    let node = node_of(scene, id)?;
    check::mesh(&mesh)?;
    if let Some(unknown) = mesh
        .primitives
        .iter()
        .filter_map(|primitive| primitive.material)
        .find(|material| !scene.materials.contains_key(material))
    {
        return Err(EditError::NoMaterial(unknown));
    }
    let old = node.mesh.and_then(|old| scene.meshes.get(&old));
    let same_targets = old.is_some_and(|old| old.morph_target_count() == mesh.morph_target_count());
    let fits = |skin: &SkinId| scene.skins.get(skin).is_some_and(|skin| check::bound(&mesh, skin).is_ok());
    let skin = node.skin.filter(fits);
    let weights = if same_targets { node.weights.clone() } else { Vec::new() };
    let mut after = scene.clone();
    let made = MeshId(take(&mut after.next.mesh));
    after.meshes.insert_mut(made, Arc::new(mesh));
    after.nodes.insert_mut(id, Arc::new(Node { mesh: Some(made), skin, weights, ..node.clone() }));
    let skins = drop_unused(&mut after.skins, &after.nodes, &[node], |node| node.skin);
    let mut meshes = drop_unused(&mut after.meshes, &after.nodes, &[node], |node| node.mesh);
    meshes.push(made);
    let lost = |channel: &Channel| !same_targets && channel.target() == (id, ChannelPath::Weights);
    let animations = animation::drop_channels(&mut after, lost);
    Ok(Applied { scene: after, changed: Changed { nodes: vec![id], meshes, animations, skins, ..Changed::default() } })
}

fn assign_material(scene: &Scene, id: NodeId, material: MaterialId) -> Result<Applied, EditError> {
    let node = node_of(scene, id)?;
    if !scene.materials.contains_key(&material) {
        return Err(EditError::NoMaterial(material));
    }
    let (old, mesh) =
        node.mesh.and_then(|old| scene.meshes.get(&old).map(|mesh| (old, mesh))).ok_or(EditError::NoMesh(id))?;
    let mut mesh = Mesh::clone(mesh);
    for primitive in &mut mesh.primitives {
        primitive.material = Some(material);
    }
    let mut after = scene.clone();
    if !scene.nodes.iter().any(|(other, node)| *other != id && node.mesh == Some(old)) {
        after.meshes.insert_mut(old, Arc::new(mesh));
        return Ok(Applied { scene: after, changed: Changed { meshes: vec![old], ..Changed::default() } });
    }
    let made = MeshId(take(&mut after.next.mesh));
    after.meshes.insert_mut(made, Arc::new(mesh));
    after.nodes.insert_mut(id, Arc::new(Node { mesh: Some(made), ..node.clone() }));
    Ok(Applied { scene: after, changed: Changed { nodes: vec![id], meshes: vec![made], ..Changed::default() } })
}

fn set_light(scene: &Scene, id: NodeId, light: Light) -> Result<Applied, EditError> {
    let node = node_of(scene, id)?;
    check::light(&light)?;
    let mut after = scene.clone();
    let made = LightId(take(&mut after.next.light));
    after.lights.insert_mut(made, Arc::new(light));
    after.nodes.insert_mut(id, Arc::new(Node { light: Some(made), ..node.clone() }));
    let mut lights = drop_unused(&mut after.lights, &after.nodes, &[node], |node| node.light);
    lights.push(made);
    Ok(Applied { scene: after, changed: Changed { nodes: vec![id], lights, ..Changed::default() } })
}

fn set_camera(scene: &Scene, id: NodeId, camera: Camera) -> Result<Applied, EditError> {
    let node = node_of(scene, id)?;
    check::camera(&camera)?;
    let mut after = scene.clone();
    let made = CameraId(take(&mut after.next.camera));
    after.cameras.insert_mut(made, Arc::new(camera));
    after.nodes.insert_mut(id, Arc::new(Node { camera: Some(made), ..node.clone() }));
    let mut cameras = drop_unused(&mut after.cameras, &after.nodes, &[node], |node| node.camera);
    cameras.push(made);
    Ok(Applied { scene: after, changed: Changed { nodes: vec![id], cameras, ..Changed::default() } })
}

fn set_active_camera(scene: &Scene, id: NodeId) -> Result<Applied, EditError> {
    node_of(scene, id)?.camera.ok_or(EditError::NoCamera(id))?;
    let scene = Scene { active_camera: Some(id), ..scene.clone() };
    Ok(Applied { scene, changed: Changed { nodes: vec![id], ..Changed::default() } })
}

fn clear(scene: &Scene) -> Applied {
    let changed = Changed {
        nodes: scene.nodes.keys().copied().collect(),
        meshes: scene.meshes.keys().copied().collect(),
        materials: scene.materials.keys().copied().collect(),
        lights: scene.lights.keys().copied().collect(),
        cameras: scene.cameras.keys().copied().collect(),
        animations: scene.animations.keys().copied().collect(),
        textures: scene.textures.keys().copied().collect(),
        skins: scene.skins.keys().copied().collect(),
        environment: scene.surroundings != Surroundings::Dark,
    };
    Applied { scene: Scene { next: scene.next, ..Scene::default() }, changed }
}

pub(crate) fn node_of(scene: &Scene, id: NodeId) -> Result<&Node, EditError> {
    scene.node(id).ok_or(EditError::NoNode(id))
}

fn exists<Id: Ord + Display, T>(table: &Table<Id, T>, id: Option<Id>, what: &'static str) -> Result<(), EditError> {
    match id {
        Some(id) if !table.contains_key(&id) => Err(EditError::Dangling { what, id: id.to_string() }),
        _ => Ok(()),
    }
}

/// The id now free; the counter moves on.
pub(crate) fn take(next: &mut u32) -> u32 {
    let id = *next;
    *next += 1;
    id
}

/// Removes what the `gone` nodes referred to and none of `nodes` does; returns it in id order.
fn drop_unused<Id: Ord + Copy, T>(
    table: &mut Table<Id, T>,
    nodes: &Table<NodeId, Node>,
    gone: &[&Node],
    of: impl Fn(&Node) -> Option<Id>,
) -> Vec<Id> {
    let mut unused: BTreeSet<Id> = gone.iter().filter_map(|node| of(node)).collect();
    if !unused.is_empty() {
        for used in nodes.values().filter_map(|node| of(node)) {
            unused.remove(&used);
        }
    }
    for id in &unused {
        table.remove_mut(id);
    }
    unused.into_iter().collect()
}
