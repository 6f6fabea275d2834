//! What is scored: the file read back, baked, without what cannot be seen, grouped into objects.

use super::delivered::Delivered;
use super::profile::Profile;
use super::thresholds::Thresholds;
use crate::measured::bodies;
use crate::task::SceneTask;
use geometry_checks::{Aabb, Body, Tolerances};
use rl_protocol::Evidence;
use scene_document::{Baked, BakedMesh, NodeId};
use std::collections::{BTreeMap, BTreeSet};

/// Characters of one name, and names of one path, that evidence shows.
const NAME_CHARS: usize = 64;
const PATH_NAMES: usize = 4;

/// A required object, or a top-level subtree that is none. `meshes` are indices into `baked.meshes` and `bodies`.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub(crate) name: String,
    /// The first node of that name with something to see on or below it, else the first. `None`: no node has the name.
    pub(crate) root: Option<NodeId>,
    /// Further nodes of the same name, not those below `root`.
    pub(crate) duplicates: Vec<NodeId>,
    pub(crate) meshes: Vec<usize>,
    /// `None` without meshes.
    pub(crate) aabb: Option<Aabb>,
    /// Extents that the task asks for.
    pub(crate) target_m: Option<[f64; 3]>,
}

/// Without a task the top-level subtrees are the objects and `others` is empty.
pub(crate) struct Input<'a> {
    pub(crate) task: Option<&'a SceneTask>,
    pub(crate) thresholds: &'a Thresholds,
    pub(crate) import: &'a Delivered,
    /// Only triangles that can be seen, only vertices that these use, only meshes that are left.
    pub(crate) baked: Baked,
    /// One per baked mesh.
    pub(crate) bodies: Vec<Body>,
    pub(crate) tolerances: Tolerances,
    /// In the task's order.
    pub(crate) objects: Vec<Object>,
    /// By root id.
    pub(crate) others: Vec<Object>,
}

impl<'a> Input<'a> {
    /// `baked` is that of `import.scene` and finite.
    pub(crate) fn new(import: &'a Delivered, baked: Baked, task: Option<&'a SceneTask>, profile: &'a Profile) -> Self {
        let alpha_min = profile.thresholds.alpha_visible_min;
        let meshes = baked.meshes.into_iter().filter_map(|mesh| visible_part(mesh, alpha_min)).collect();
        let baked = Baked { meshes, ..baked };
        let tolerances = profile.thresholds.geometry();
        let (objects, others) = match task {
            Some(task) => grouped(import, &baked, task),
            None => (top_level(import, &baked, (0..baked.meshes.len()).collect()), Vec::new()),
        };
        let bodies = bodies(&baked, &tolerances);
        Self { task, thresholds: &profile.thresholds, import, baked, bodies, tolerances, objects, others }
    }

    /// Objects and others, in this order: the groups that hold each other up and get in each other's way.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &Object> {
        self.objects.iter().chain(&self.others)
    }

    /// Required objects that have something to measure.
    pub(crate) fn present(&self) -> impl Iterator<Item = &Object> {
        self.objects.iter().filter(|object| object.aabb.is_some())
    }

    pub(crate) fn mesh_path(&self, mesh: usize) -> String {
        self.baked.meshes.get(mesh).map(|mesh| path_of(self.import, mesh.node)).unwrap_or_default()
    }

    pub(crate) fn mesh_evidence(&self, component: &str, meshes: &[usize]) -> Evidence {
        let nodes: Vec<NodeId> =
            meshes.iter().filter_map(|index| self.baked.meshes.get(*index)).map(|mesh| mesh.node).collect();
        evidence_of(self.import, component, &nodes)
    }

    /// Names the object also where no node has its name; its position is the centre of its box.
    pub(crate) fn object_evidence(&self, component: &str, object: &Object) -> Evidence {
        Evidence {
            names: vec![object.name.clone()],
            position_m: object.aabb.as_ref().map(|aabb| aabb.centre().coords.into()),
            ..evidence_of(self.import, component, object.root.as_slice())
        }
    }
}

/// The node's id in the episode that made the file.
pub(crate) fn id_of(import: &Delivered, node: NodeId) -> String {
    import.ids.get(&node).cloned().unwrap_or_else(|| node.to_string())
}

/// Names from the top-level node down, e.g. `chair_1/seat`; of a long path the first and the last two.
pub(crate) fn path_of(import: &Delivered, node: NodeId) -> String {
    let above = import.scene.ancestry(node).filter_map(|id| import.scene.node(id));
    let mut names: Vec<String> = above.map(|node| node.name.chars().take(NAME_CHARS).collect()).collect();
    names.reverse();
    if names.len() > PATH_NAMES {
        names.splice(1..names.len() - 2, ["…".to_owned()]);
    }
    names.join("/")
}

/// Ids, paths of names, and the pointer of the first node.
pub(crate) fn evidence_of(import: &Delivered, component: &str, nodes: &[NodeId]) -> Evidence {
    Evidence {
        component: component.into(),
        ids: nodes.iter().map(|id| id_of(import, *id)).collect(),
        names: nodes.iter().map(|id| path_of(import, *id)).collect(),
        pointer: nodes.first().and_then(|id| import.node_pointers.get(id)).cloned().unwrap_or_default(),
        ..Evidence::default()
    }
}

/// A mesh belongs to the nearest required object above it; what belongs to none is grouped by top-level node.
fn grouped(import: &Delivered, baked: &Baked, task: &SceneTask) -> (Vec<Object>, Vec<Object>) {
    let nodes = import.scene.nodes();
    let shown: BTreeSet<NodeId> = baked.meshes.iter().flat_map(|mesh| import.scene.ancestry(mesh.node)).collect();
    let mut objects: Vec<Object> = task
        .objects
        .iter()
        .map(|spec| {
            let is_named = |id: NodeId| import.scene.node(id).is_some_and(|node| node.name == spec.name);
            let outermost = |id: &NodeId| !import.scene.ancestry(*id).skip(1).any(is_named);
            let named: Vec<NodeId> = nodes.keys().copied().filter(|id| is_named(*id)).filter(outermost).collect();
            let root = named.iter().find(|id| shown.contains(*id)).or(named.first()).copied();
            Object {
                name: spec.name.clone(),
                root,
                duplicates: named.into_iter().filter(|id| Some(*id) != root).collect(),
                meshes: Vec::new(),
                aabb: None,
                target_m: Some(spec.size_m),
            }
        })
        .collect();
    let mut rest = Vec::new();
    for (index, mesh) in baked.meshes.iter().enumerate() {
        let owner =
            import.scene.ancestry(mesh.node).find_map(|id| objects.iter().position(|object| object.root == Some(id)));
        match owner.and_then(|owner| objects.get_mut(owner)) {
            Some(object) => object.meshes.push(index),
            None => rest.push(index),
        }
    }
    for object in &mut objects {
        object.aabb = extent(baked, &object.meshes);
    }
    (objects, top_level(import, baked, rest))
}

fn top_level(import: &Delivered, baked: &Baked, meshes: Vec<usize>) -> Vec<Object> {
    let mut by_root: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    for index in meshes {
        let root = baked.meshes.get(index).and_then(|mesh| import.scene.ancestry(mesh.node).last());
        if let Some(root) = root {
            by_root.entry(root).or_default().push(index);
        }
    }
    by_root
        .into_iter()
        .map(|(root, meshes)| Object {
            name: import.scene.node(root).map(|node| node.name.clone()).unwrap_or_default(),
            root: Some(root),
            duplicates: Vec::new(),
            aabb: extent(baked, &meshes),
            meshes,
            target_m: None,
        })
        .collect()
}

/// World-space box of some meshes.
pub(crate) fn extent(baked: &Baked, meshes: &[usize]) -> Option<Aabb> {
    let meshes = meshes.iter().filter_map(|index| baked.meshes.get(*index));
    Aabb::around(meshes.flat_map(|mesh| mesh.positions.iter().copied()))
}

/// The mesh without triangles that are invisible or name a vertex that is not there, and without vertices that then
/// nothing uses: none of these may widen a box, and with it a tolerance. `None` if nothing is left.
pub(crate) fn visible_part(mesh: BakedMesh, alpha_min: f64) -> Option<BakedMesh> {
    // The rule of the rasteriser: what it does not draw is not there.
    let shown: Vec<bool> = mesh.surfaces.iter().map(|surface| surface.is_visible(alpha_min)).collect();
    let kept: Vec<([u32; 3], u32)> = mesh
        .triangles
        .iter()
        .zip(&mesh.triangle_surface)
        .filter(|(corners, surface)| {
            shown.get(**surface as usize).copied().unwrap_or(true)
                && corners.iter().all(|corner| (*corner as usize) < mesh.positions.len())
        })
        .map(|(corners, surface)| (*corners, *surface))
        .collect();
    if kept.is_empty() {
        return None;
    }
    let mut used = vec![false; mesh.positions.len()];
    for corner in kept.iter().flat_map(|(corners, _)| corners) {
        used[*corner as usize] = true;
    }
    let renumbered: Vec<u32> = used
        .iter()
        .scan(0, |next, used| {
            let number = *next;
            *next += u32::from(*used);
            Some(number)
        })
        .collect();
    let only_used = |index: &usize| used[*index];
    Some(BakedMesh {
        positions: (0..used.len()).filter(only_used).map(|index| mesh.positions[index]).collect(),
        normals: mesh
            .normals
            .as_ref()
            .map(|normals| (0..used.len()).filter(only_used).filter_map(|index| normals.get(index).copied()).collect()),
        // No measure looks at textures.
        uvs: None,
        triangles: kept.iter().map(|(corners, _)| corners.map(|corner| renumbered[corner as usize])).collect(),
        triangle_surface: kept.iter().map(|(_, surface)| *surface).collect(),
        ..mesh
    })
}
