//! The scene: an immutable value with shared structure. A clone is O(1); a change makes a new scene.

use crate::environment::Surroundings;
use crate::{
    Animation, AnimationId, Camera, CameraId, Environment, Light, LightId, Material, MaterialId, Mesh, MeshId, NodeId,
    Skin, SkinId, Source, Texture, TextureId, Trs,
};
use nalgebra::Matrix4;
use rpds::RedBlackTreeMapSync;
use std::sync::Arc;

/// Ordered by id, so iteration is deterministic.
pub type Table<Id, T> = RedBlackTreeMapSync<Id, Arc<T>>;

/// `extras` and extensions that came with an imported object and mean nothing to us: the object's JSON members that
/// its typed fields do not cover, written back at export.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kept(pub Option<Arc<serde_json::Map<String, serde_json::Value>>>);

impl Kept {
    /// With this member in the place of what it had under the name; `None` for without it.
    pub(crate) fn with(&self, name: &str, member: Option<serde_json::Value>) -> Self {
        let mut members = self.0.as_deref().cloned().unwrap_or_default();
        match member {
            Some(member) => {
                members.insert(name.to_owned(), member);
            }
            None => {
                members.remove(name);
            }
        }
        Self((!members.is_empty()).then(|| Arc::new(members)))
    }
}

/// Siblings are ordered by id.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// A label; unique among siblings when made by the tools, any text when imported.
    pub name: String,
    pub parent: Option<NodeId>,
    pub transform: Trs,
    pub mesh: Option<MeshId>,
    /// What moves the mesh instead of the node's transform.
    pub skin: Option<SkinId>,
    /// Of the mesh's morph targets, one each; empty for those of the mesh.
    pub weights: Vec<f64>,
    pub light: Option<LightId>,
    pub camera: Option<CameraId>,
    /// False hides the meshes and lights of the node and of all below it (KHR_node_visibility).
    pub visible: bool,
    pub kept: Kept,
}

impl Default for Node {
    fn default() -> Self {
        Self {
            name: String::new(),
            parent: None,
            transform: Trs::IDENTITY,
            mesh: None,
            skin: None,
            weights: Vec::new(),
            light: None,
            camera: None,
            visible: true,
            kept: Kept::default(),
        }
    }
}

impl Node {
    /// Data of others for the node, as glTF keeps them; of any type where a file had them.
    #[must_use]
    pub fn extras(&self) -> Option<&serde_json::Value> {
        self.kept.0.as_deref().and_then(|members| members.get("extras"))
    }

    /// What the morph targets of its mesh count here; all are 0 where it is empty.
    #[must_use]
    pub fn morph_weights<'a>(&'a self, mesh: &'a Mesh) -> &'a [f64] {
        if self.weights.is_empty() { &mesh.weights } else { &self.weights }
    }
}

/// The next id of each kind; ids are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NextIds {
    pub(crate) node: u32,
    pub(crate) mesh: u32,
    pub(crate) material: u32,
    pub(crate) light: u32,
    pub(crate) camera: u32,
    pub(crate) animation: u32,
    pub(crate) texture: u32,
    pub(crate) skin: u32,
}

impl Default for NextIds {
    fn default() -> Self {
        Self { node: 1, mesh: 1, material: 1, light: 1, camera: 1, animation: 1, texture: 1, skin: 1 }
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    pub(crate) nodes: Table<NodeId, Node>,
    pub(crate) meshes: Table<MeshId, Mesh>,
    pub(crate) materials: Table<MaterialId, Material>,
    pub(crate) lights: Table<LightId, Light>,
    pub(crate) cameras: Table<CameraId, Camera>,
    pub(crate) animations: Table<AnimationId, Animation>,
    pub(crate) textures: Table<TextureId, Texture>,
    pub(crate) skins: Table<SkinId, Skin>,
    /// The camera that observations and scoring look through.
    pub(crate) active_camera: Option<NodeId>,
    pub(crate) surroundings: Surroundings,
    pub(crate) next: NextIds,
    /// The file this scene was read from, for what is kept but not understood.
    pub(crate) source: Option<Arc<Source>>,
}

impl Scene {
    #[must_use]
    pub fn nodes(&self) -> &Table<NodeId, Node> {
        &self.nodes
    }
    #[must_use]
    pub fn meshes(&self) -> &Table<MeshId, Mesh> {
        &self.meshes
    }
    #[must_use]
    pub fn materials(&self) -> &Table<MaterialId, Material> {
        &self.materials
    }
    #[must_use]
    pub fn lights(&self) -> &Table<LightId, Light> {
        &self.lights
    }
    #[must_use]
    pub fn cameras(&self) -> &Table<CameraId, Camera> {
        &self.cameras
    }
    #[must_use]
    pub fn animations(&self) -> &Table<AnimationId, Animation> {
        &self.animations
    }
    #[must_use]
    pub fn textures(&self) -> &Table<TextureId, Texture> {
        &self.textures
    }
    #[must_use]
    pub fn skins(&self) -> &Table<SkinId, Skin> {
        &self.skins
    }
    #[must_use]
    pub fn active_camera(&self) -> Option<NodeId> {
        self.active_camera
    }
    /// Light from all around. `None` also where a file's image-based light is not the same on all sides: it is kept.
    #[must_use]
    pub fn environment(&self) -> Option<Environment> {
        match self.surroundings {
            Surroundings::Uniform(environment) => Some(environment),
            Surroundings::Dark | Surroundings::Kept => None,
        }
    }
    /// Whether there is an environment, or a file's image-based light that is kept.
    #[must_use]
    pub fn is_surrounded(&self) -> bool {
        self.surroundings != Surroundings::Dark
    }
    #[must_use]
    pub fn source(&self) -> Option<&Arc<Source>> {
        self.source.as_ref()
    }
    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(&id).map(Arc::as_ref)
    }

    /// Children of `parent` (`None`: the roots) in id order. O(nodes).
    pub fn children(&self, parent: Option<NodeId>) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().filter(move |(_, node)| node.parent == parent).map(|(id, node)| (*id, node.as_ref()))
    }

    /// `id` and all below it, in id order (a parent's id is not always smaller than its children's).
    #[must_use]
    pub fn subtree(&self, id: NodeId) -> Vec<NodeId> {
        self.nodes.keys().copied().filter(|node| self.is_within(*node, id)).collect()
    }

    /// Whether `node` is `ancestor` or below it.
    #[must_use]
    pub fn is_within(&self, node: NodeId, ancestor: NodeId) -> bool {
        self.ancestry(node).any(|id| id == ancestor)
    }

    /// `node`, its parent, … up to the root. Empty for an unknown node; the hierarchy is kept free of cycles.
    pub fn ancestry(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let start = self.nodes.contains_key(&node).then_some(node);
        std::iter::successors(start, |id| self.node(*id)?.parent)
    }

    /// Whether neither the node nor any above it is hidden.
    #[must_use]
    pub fn is_shown(&self, node: NodeId) -> bool {
        self.ancestry(node).filter_map(|id| self.node(id)).all(|node| node.visible)
    }

    /// In world space: a mesh that several nodes show counts for each. O(nodes).
    #[must_use]
    pub fn triangle_count(&self) -> u64 {
        let meshes = self.nodes.values().filter_map(|node| self.meshes.get(&node.mesh?));
        meshes.map(|mesh| mesh.triangle_count()).sum()
    }

    /// Identity for an unknown node.
    #[must_use]
    pub fn world_from_node(&self, node: NodeId) -> Matrix4<f64> {
        self.ancestry(node)
            .filter_map(|id| self.node(id))
            .fold(Matrix4::identity(), |below, node| node.transform.matrix() * below)
    }
}
