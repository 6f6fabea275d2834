//! What a change did to the geometry around it: overlaps that were not there before, objects that rest on nothing. An
//! object is the subtree of a root node.

use crate::measured::{affordable, body, fix, four_digits, is_joint};
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
    /// Objects that rested on something before, in id order.
    pub(crate) lost_support: Vec<Floating>,
    /// Objects that float too but lost nothing: they floated before, or are newly made. In id order.
    pub(crate) floating: Vec<Floating>,
    /// There may be more than is listed.
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

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Floating {
    pub(crate) node: NodeId,
    pub(crate) name: String,
    /// To the nearest thing below; null where nothing is below.
    pub(crate) gap_m: Option<f64>,
}

/// `changed` is where the two scenes differ (`difference::reshaped`). O(triangles), and as much measuring as
/// `Tolerances` allows.
pub(crate) fn consequences(before: &Scene, after: &Scene, changed: &BTreeSet<NodeId>) -> Consequences {
    if changed.is_empty() {
        return Consequences::default();
    }
    let tolerances = Tolerances::default();
    let measures = tolerances.measures();
    let (then, now) = (Objects::of(before, tolerances.near_m), Objects::of(after, tolerances.near_m));
    let region: Vec<Aabb> = [&then, &now].iter().flat_map(|objects| objects.around(changed)).collect();
    let near = Measured::near(&now, &region, |mesh| body(mesh, &measures));

    let (mut new_overlaps, unmeasured) = new_overlaps(&then, &now, &near, changed);
    let mut lost_support = Vec::new();
    let mut floating = Vec::new();
    let too_much = near.contact_triangles() > tolerances.support_triangles;
    if !too_much {
        let unsupported = near.floating(&measures);
        let could_lose = unsupported.keys().any(|root| then.meshes.contains_key(root));
        let floated = if could_lose {
            let build = |mesh: &BakedMesh| match near.part(mesh.node).filter(|_| !changed.contains(&mesh.node)) {
                Some(unchanged) => unchanged.body.clone(),
                None => body(mesh, &measures),
            };
            Measured::near(&then, &region, build).floating(&measures)
        } else {
            BTreeMap::new()
        };
        for (root, gap_m) in unsupported {
            let name = after.node(root).map(|node| node.name.clone()).unwrap_or_default();
            let found = Floating { node: root, name, gap_m: gap_m.map(four_digits) };
            let lost = then.meshes.contains_key(&root) && !floated.contains_key(&root);
            let list = if lost { &mut lost_support } else { &mut floating };
            list.push(found);
        }
    }
    let most = new_overlaps.len().max(lost_support.len()).max(floating.len());
    new_overlaps.truncate(LISTED);
    lost_support.truncate(LISTED);
    floating.truncate(LISTED);
    Consequences { new_overlaps, lost_support, floating, truncated: unmeasured || too_much || most > LISTED }
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

    /// Of the box around an object's grown bounds; 0 for an unknown one.
    fn volume_m3(&self, root: NodeId) -> f64 {
        let boxes = self.meshes.get(&root).into_iter().flatten().map(|(_, near)| *near);
        boxes.reduce(|whole, part| whole.union(&part)).map_or(0.0, |whole| whole.extents().product())
    }

    /// Root and mesh of these nodes, of those that have one.
    fn find(&self, nodes: &BTreeSet<NodeId>) -> Vec<(NodeId, &BakedMesh)> {
        let all = self.meshes.iter().flat_map(|(root, meshes)| meshes.iter().map(move |(mesh, _)| (*root, mesh)));
        all.filter(|(_, mesh)| nodes.contains(&mesh.node)).collect()
    }
}

/// The objects that are linked to a region by a chain of objects, each close to the next: all that can touch, carry or
/// be carried there.
struct Measured<'a> {
    /// By root.
    nodes: Vec<(NodeId, &'a BakedMesh, Aabb)>,
    bodies: Vec<Body>,
    /// Root and indices into `bodies`, by root id.
    groups: Vec<(NodeId, Vec<usize>)>,
    /// Roots of the objects that reach into the region itself.
    touched: BTreeSet<NodeId>,
}

impl<'a> Measured<'a> {
    fn near(objects: &'a Objects, region: &[Aabb], build: impl Fn(&BakedMesh) -> Body + Sync) -> Self {
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
            nodes.extend(meshes.iter().map(|(mesh, near)| (*root, mesh, *near)));
        }
        let bodies = nodes.par_iter().map(|(_, mesh, _)| build(mesh)).collect();
        Self { nodes, bodies, groups, touched }
    }

    fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.nodes.iter().zip(&self.bodies).map(|((root, mesh, _), body)| Part { root: *root, mesh, body })
    }

    fn part(&self, node: NodeId) -> Option<Part<'_>> {
        self.parts().find(|part| part.mesh.node == node)
    }

    /// Triangles of all pairs of nearby meshes of different objects: what support costs to measure.
    fn contact_triangles(&self) -> u64 {
        let mut sum = 0;
        for (index, (root, mesh, near)) in self.nodes.iter().enumerate() {
            let later = self.nodes.iter().skip(index + 1).filter(|(other, ..)| other != root);
            let close = later.filter(|(_, _, other)| near.intersects(other));
            sum += close.map(|(_, other, _)| (mesh.triangles.len() + other.triangles.len()) as u64).sum::<u64>();
        }
        sum
    }

    /// Objects in the region without support, with the gap below them.
    fn floating(&self, measures: &geometry_checks::Tolerances) -> BTreeMap<NodeId, Option<f64>> {
        let groups: Vec<Vec<usize>> = self.groups.iter().map(|(_, indices)| indices.clone()).collect();
        let supports: Vec<Support> = support(&self.bodies, &groups, 0.0, measures);
        let roots = self.groups.iter().map(|(root, _)| *root).zip(supports);
        roots
            .filter(|(root, support)| support.value <= 0.0 && self.touched.contains(root))
            .map(|(root, support)| (root, support.gap_m))
            .collect()
    }
}

#[derive(Clone, Copy)]
struct Part<'a> {
    root: NodeId,
    mesh: &'a BakedMesh,
    body: &'a Body,
}

/// Their overlap where it is a fault: it counts and is not a joint of one object.
fn fault(a: Part<'_>, b: Part<'_>, measures: &geometry_checks::Tolerances) -> Option<Overlap> {
    let found = overlap(a.body, b.body, measures)?;
    let joint = a.root == b.root && is_joint(&found, a.body, b.body, measures);
    (found.counts && !joint).then_some(found)
}

/// The faults between a changed node and any other that were not there before, and whether some pairs were left out.
fn new_overlaps(
    then: &Objects,
    now: &Objects,
    near: &Measured<'_>,
    changed: &BTreeSet<NodeId>,
) -> (Vec<NewOverlap>, bool) {
    let tolerances = Tolerances::default();
    let measures = tolerances.measures();
    let parts: Vec<Part<'_>> = near.parts().collect();
    let mut pairs: Vec<(Part<'_>, Part<'_>)> = parts
        .iter()
        .filter(|a| changed.contains(&a.mesh.node))
        .flat_map(|a| parts.iter().map(move |b| (*a, *b)))
        .filter(|(a, b)| !changed.contains(&b.mesh.node) || a.mesh.node < b.mesh.node)
        .filter(|(a, b)| a.body.aabb().intersects(b.body.aabb()))
        .collect();
    pairs.sort_by_key(|(a, b)| (a.mesh.node, b.mesh.node));
    let triangles = |(a, b): &(Part<'_>, Part<'_>)| a.mesh.triangles.len() + b.mesh.triangles.len();
    let (pairs, truncated) = affordable(pairs, triangles, tolerances.consequences);
    let faults: Vec<(Part<'_>, Part<'_>, Overlap)> =
        pairs.into_par_iter().filter_map(|(a, b)| Some((a, b, fault(a, b, &measures)?))).collect();

    let nodes: BTreeSet<NodeId> = faults.iter().flat_map(|(a, b, _)| [a.mesh.node, b.mesh.node]).collect();
    let earlier = then.find(&nodes);
    let moved: BTreeMap<NodeId, Body> = earlier
        .par_iter()
        .filter(|(_, mesh)| changed.contains(&mesh.node))
        .map(|(_, mesh)| (mesh.node, body(mesh, &measures)))
        .collect();
    let before = |part: Part<'_>| {
        let (root, mesh) = earlier.iter().find(|(_, mesh)| mesh.node == part.mesh.node)?;
        Some((*root, *mesh, moved.get(&mesh.node)))
    };
    let was_there = |a: Part<'_>, b: Part<'_>| {
        let (Some((root_a, mesh_a, moved_a)), Some((root_b, mesh_b, moved_b))) = (before(a), before(b)) else {
            return false;
        };
        let a = Part { root: root_a, mesh: mesh_a, body: moved_a.unwrap_or(a.body) };
        let b = Part { root: root_b, mesh: mesh_b, body: moved_b.unwrap_or(b.body) };
        fault(a, b, &measures).is_some()
    };
    let mut found: Vec<NewOverlap> = faults
        .par_iter()
        .filter(|(a, b, _)| !was_there(*a, *b))
        .map(|(a, b, overlap)| NewOverlap {
            a: a.mesh.node,
            b: b.mesh.node,
            a_name: a.mesh.name.clone(),
            b_name: b.mesh.name.clone(),
            volume_m3: four_digits(overlap.volume_m3),
            thickness_m: four_digits(overlap.thickness_m),
            fix: fix(overlap, a.mesh.node, [a.root, b.root], [a.root, b.root].map(|root| now.volume_m3(root))),
        })
        .collect();
    found.sort_by(|x, y| y.volume_m3.total_cmp(&x.volume_m3).then_with(|| (x.a, x.b).cmp(&(y.a, y.b))));
    (found, truncated)
}

fn grown(bounds: &Aabb, margin_m: f64) -> Aabb {
    Aabb { min: bounds.min.map(|part| part - margin_m), max: bounds.max.map(|part| part + margin_m) }
}
