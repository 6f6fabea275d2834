//! What a change did to the geometry around it: overlaps that were not there before, objects that no longer rest on
//! anything. An object is the subtree of a root node.

use crate::difference::reshaped;
use crate::measured::{body, four_digits, is_joint, move_by};
use crate::tolerances::Tolerances;
use geometry_checks::{Aabb, Body, Overlap, Support, overlap, support};
use nalgebra::Point3;
use rayon::prelude::*;
use scene_document::{BakedMesh, NodeId, Scene};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// At most so many of each kind are listed.
const LISTED: usize = 10;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Consequences {
    /// Largest volume first.
    pub(crate) new_overlaps: Vec<NewOverlap>,
    /// In id order.
    pub(crate) lost_support: Vec<LostSupport>,
    /// More were found than are listed.
    pub(crate) truncated: bool,
}

/// `a` is the node that changed; where both did, the one with the smaller id.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct NewOverlap {
    pub(crate) a: NodeId,
    pub(crate) b: NodeId,
    pub(crate) a_name: String,
    pub(crate) b_name: String,
    pub(crate) volume_m3: f64,
    pub(crate) thickness_m: f64,
    pub(crate) fix: String,
}

/// An object that floats now and did not before.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct LostSupport {
    pub(crate) node: NodeId,
    pub(crate) name: String,
    /// To the nearest thing below; null where nothing is below.
    pub(crate) gap_m: Option<f64>,
    /// It had no mesh before, so it never had support.
    pub(crate) newly_made: bool,
}

/// O(triangles) where anything moved or was reshaped, else O(nodes).
pub(crate) fn consequences(before: &Scene, after: &Scene) -> Consequences {
    let changed = reshaped(before, after);
    if changed.is_empty() {
        return Consequences::default();
    }
    let near_m = Tolerances::default().near_m;
    let (then, now) = (Objects::of(before, near_m), Objects::of(after, near_m));
    let region: Vec<Aabb> = [&then, &now].iter().flat_map(|objects| objects.around(&changed)).collect();
    let (then, now) = (Measured::near(&then, &region), Measured::near(&now, &region));

    let mut new_overlaps = new_overlaps(&then, &now, &changed);
    let mut lost_support = lost_support(after, &then, &now);
    let truncated = new_overlaps.len() > LISTED || lost_support.len() > LISTED;
    new_overlaps.truncate(LISTED);
    lost_support.truncate(LISTED);
    Consequences { new_overlaps, lost_support, truncated }
}

/// The mesh nodes of a scene by root, each with its bounds grown by half of `near_m`: bounds that share volume are
/// nearer than `near_m` to each other.
struct Objects {
    meshes: BTreeMap<NodeId, Vec<(BakedMesh, Aabb)>>,
}

impl Objects {
    fn of(scene: &Scene, near_m: f64) -> Self {
        let mut meshes: BTreeMap<NodeId, Vec<(BakedMesh, Aabb)>> = BTreeMap::new();
        for mesh in scene.bake().meshes {
            let root = scene.ancestry(mesh.node).last();
            let near = Aabb::around(mesh.positions.iter().copied()).map(|bounds| grown(&bounds, near_m / 2.0));
            if let (Some(root), Some(near)) = (root, near) {
                meshes.entry(root).or_default().push((mesh, near));
            }
        }
        Self { meshes }
    }

    /// Where these nodes are, and all that lies below them: what they could fall onto.
    fn around(&self, nodes: &BTreeSet<NodeId>) -> Vec<Aabb> {
        let meshes = self.meshes.values().flatten().filter(|(mesh, _)| nodes.contains(&mesh.node));
        meshes.map(|(_, near)| Aabb { min: Point3::new(near.min.x, f64::MIN, near.min.z), max: near.max }).collect()
    }
}

/// Bodies of the objects that are linked to a region by a chain of objects, each close to the next: all that can
/// touch, carry or be carried there.
struct Measured<'a> {
    nodes: Vec<(NodeId, &'a BakedMesh)>,
    bodies: Vec<Body>,
    /// Root and indices into `bodies`, by root id.
    groups: Vec<(NodeId, Vec<usize>)>,
    /// Roots of the objects that reach into the region itself.
    touched: BTreeSet<NodeId>,
}

impl<'a> Measured<'a> {
    fn near(objects: &'a Objects, region: &[Aabb]) -> Self {
        let within = |area: &Aabb| {
            let meshes =
                objects.meshes.iter().filter(|(_, meshes)| meshes.iter().any(|(_, near)| near.intersects(area)));
            meshes.map(|(root, _)| *root).collect::<Vec<NodeId>>()
        };
        let touched: BTreeSet<NodeId> = region.iter().flat_map(within).collect();
        let mut reached = touched.clone();
        let mut frontier: Vec<NodeId> = touched.iter().copied().collect();
        while let Some(root) = frontier.pop() {
            let meshes = objects.meshes.get(&root).into_iter().flatten();
            frontier.extend(meshes.flat_map(|(_, near)| within(near)).filter(|linked| reached.insert(*linked)));
        }
        let mut nodes = Vec::new();
        let mut groups = Vec::new();
        for (root, meshes) in objects.meshes.iter().filter(|(root, _)| reached.contains(root)) {
            groups.push((*root, (nodes.len()..nodes.len() + meshes.len()).collect()));
            nodes.extend(meshes.iter().map(|(mesh, _)| (*root, mesh)));
        }
        let tolerances = geometry_checks::Tolerances::default();
        let bodies = nodes.par_iter().map(|(_, mesh)| body(mesh, &tolerances)).collect();
        Self { nodes, bodies, groups, touched }
    }

    fn part(&self, index: usize) -> Option<Part<'_>> {
        let (root, mesh) = *self.nodes.get(index)?;
        Some(Part { root, mesh, body: self.bodies.get(index)? })
    }

    fn parts(&self) -> Vec<Part<'_>> {
        (0..self.nodes.len()).filter_map(|index| self.part(index)).collect()
    }

    /// Objects without support, with the gap below them.
    fn floating(&self) -> BTreeMap<NodeId, Option<f64>> {
        let groups: Vec<Vec<usize>> = self.groups.iter().map(|(_, indices)| indices.clone()).collect();
        let supports: Vec<Support> = support(&self.bodies, &groups, 0.0, &geometry_checks::Tolerances::default());
        let floating = self.groups.iter().zip(supports).filter(|(_, support)| support.value <= 0.0);
        floating.map(|((root, _), support)| (*root, support.gap_m)).collect()
    }

    fn has(&self, root: NodeId) -> bool {
        self.groups.iter().any(|(known, _)| *known == root)
    }
}

#[derive(Clone, Copy)]
struct Part<'a> {
    root: NodeId,
    mesh: &'a BakedMesh,
    body: &'a Body,
}

/// Their overlap where it is a fault: it counts and is not a joint of one object.
fn fault(a: Part<'_>, b: Part<'_>) -> Option<Overlap> {
    if !a.body.aabb().intersects(b.body.aabb()) {
        return None;
    }
    let tolerances = geometry_checks::Tolerances::default();
    let found = overlap(a.body, b.body, &tolerances)?;
    let joint = a.root == b.root && is_joint(&found, a.body.aabb(), b.body.aabb(), tolerances.joint_share);
    (found.counts && !joint).then_some(found)
}

fn new_overlaps(then: &Measured<'_>, now: &Measured<'_>, changed: &BTreeSet<NodeId>) -> Vec<NewOverlap> {
    let parts = now.parts();
    let pairs: Vec<(Part<'_>, Part<'_>)> = parts
        .iter()
        .filter(|a| changed.contains(&a.mesh.node))
        .flat_map(|a| parts.iter().map(move |b| (*a, *b)))
        .filter(|(a, b)| !changed.contains(&b.mesh.node) || a.mesh.node < b.mesh.node)
        .filter(|(a, b)| a.body.aabb().intersects(b.body.aabb()))
        .collect();
    let before: BTreeMap<NodeId, Part<'_>> = then.parts().into_iter().map(|part| (part.mesh.node, part)).collect();
    let was_there = |a: Part<'_>, b: Part<'_>| match (before.get(&a.mesh.node), before.get(&b.mesh.node)) {
        (Some(a), Some(b)) => fault(*a, *b).is_some(),
        _ => false,
    };
    let mut found: Vec<NewOverlap> = pairs
        .par_iter()
        .filter_map(|(a, b)| {
            let overlap = fault(*a, *b).filter(|_| !was_there(*a, *b))?;
            Some(NewOverlap {
                a: a.mesh.node,
                b: b.mesh.node,
                a_name: a.mesh.name.clone(),
                b_name: b.mesh.name.clone(),
                volume_m3: four_digits(overlap.volume_m3),
                thickness_m: four_digits(overlap.thickness_m),
                fix: move_by(a.mesh.node, overlap.separate_a_m.iter().copied()),
            })
        })
        .collect();
    found.sort_by(|x, y| y.volume_m3.total_cmp(&x.volume_m3).then_with(|| (x.a, x.b).cmp(&(y.a, y.b))));
    found
}

fn lost_support(after: &Scene, then: &Measured<'_>, now: &Measured<'_>) -> Vec<LostSupport> {
    let floated = then.floating();
    now.floating()
        .into_iter()
        .filter(|(root, _)| now.touched.contains(root) && !floated.contains_key(root))
        .map(|(root, gap_m)| LostSupport {
            node: root,
            name: after.node(root).map(|node| node.name.clone()).unwrap_or_default(),
            gap_m: gap_m.map(four_digits),
            newly_made: !then.has(root),
        })
        .collect()
}

fn grown(bounds: &Aabb, margin_m: f64) -> Aabb {
    Aabb { min: bounds.min.map(|part| part - margin_m), max: bounds.max.map(|part| part + margin_m) }
}
