//! `query.overlaps`: what stands in what.

use super::arguments::typed;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::measured::{affordable, body, fix, four_digits, is_joint};
use crate::tolerances::Tolerances;
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use geometry_checks::{Aabb, Body, Method, Overlap, candidate_pairs, overlap};
use rayon::prelude::*;
use scene_document::{BakedMesh, NodeId, Scene};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "query.overlaps",
    group: Group::Core,
    description: "Lists pairs of mesh nodes that share volume, with volume, thickness and what would clear them; the \
                  worst first. A `joint` (parts of one object a little inside each other) is allowed. `truncated` \
                  says that there may be more.",
    read_only: true,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

const LISTED: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Only pairs with one of these nodes or something below them; absent for all.
    nodes: Option<Vec<String>>,
}

struct Pair<'a> {
    overlap: Overlap,
    a: &'a BakedMesh,
    b: &'a BakedMesh,
    /// Of `a` and `b`.
    roots: [NodeId; 2],
    joint: bool,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let asked = args.nodes.map(|given| references::nodes(scene, &given)).transpose()?;
    let wanted = |mesh: &BakedMesh| references::is_among(asked.as_ref(), scene, mesh.node);
    let meshes = scene.bake().meshes;
    let (mut pairs, unmeasured) = counted_pairs(scene, &meshes, wanted);
    pairs.sort_by(|x, y| {
        let by_volume = y.overlap.volume_m3.total_cmp(&x.overlap.volume_m3);
        x.joint.cmp(&y.joint).then(by_volume).then((x.a.node, x.b.node).cmp(&(y.a.node, y.b.node)))
    });
    let boxes = object_boxes(scene, &meshes);
    let listed: Vec<Value> = pairs.iter().take(LISTED).map(|pair| described(pair, &boxes)).collect();
    let truncated = unmeasured || pairs.len() > LISTED;
    Ok(Outcome::Answer(json!({"overlaps": listed, "total": pairs.len(), "truncated": truncated})))
}

/// The pairs that count, with at least one wanted mesh, and whether some were too many to measure.
fn counted_pairs<'a>(
    scene: &Scene,
    meshes: &'a [BakedMesh],
    wanted: impl Fn(&BakedMesh) -> bool,
) -> (Vec<Pair<'a>>, bool) {
    let tolerances = Tolerances::default();
    let measures = tolerances.measures();
    let placed: Vec<(&BakedMesh, Aabb)> =
        meshes.iter().filter_map(|mesh| Some((mesh, Aabb::around(mesh.positions.iter().copied())?))).collect();
    let boxes: Vec<Aabb> = placed.iter().map(|(_, bounds)| *bounds).collect();
    let mesh_at = |index: usize| placed.get(index).map(|(mesh, _)| *mesh);
    let pairs: Vec<(usize, usize)> = candidate_pairs(&boxes)
        .into_iter()
        .filter(|(a, b)| [*a, *b].into_iter().filter_map(mesh_at).any(&wanted))
        .collect();
    let triangles = |(a, b): &(usize, usize)| {
        [*a, *b].into_iter().filter_map(mesh_at).map(|mesh| mesh.triangles.len()).sum::<usize>()
    };
    let (pairs, truncated) = affordable(pairs, triangles, tolerances.query);
    let used: BTreeSet<usize> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let bodies: BTreeMap<usize, Body> =
        used.par_iter().filter_map(|index| Some((*index, body(mesh_at(*index)?, &measures)))).collect();
    let measured = |(a, b): (usize, usize)| {
        let (mesh_a, mesh_b) = (mesh_at(a)?, mesh_at(b)?);
        let (body_a, body_b) = (bodies.get(&a)?, bodies.get(&b)?);
        let overlap = overlap(body_a, body_b, &measures).filter(|overlap| overlap.counts)?;
        let roots = [root(scene, mesh_a.node), root(scene, mesh_b.node)];
        let joint = roots[0] == roots[1] && is_joint(&overlap, body_a, body_b, &measures);
        Some(Pair { overlap, a: mesh_a, b: mesh_b, roots, joint })
    };
    (pairs.into_par_iter().filter_map(measured).collect(), truncated)
}

fn root(scene: &Scene, node: NodeId) -> NodeId {
    scene.ancestry(node).last().unwrap_or(node)
}

/// Around all meshes of each root.
fn object_boxes(scene: &Scene, meshes: &[BakedMesh]) -> BTreeMap<NodeId, Aabb> {
    let mut boxes: BTreeMap<NodeId, Aabb> = BTreeMap::new();
    for mesh in meshes {
        let Some(own) = Aabb::around(mesh.positions.iter().copied()) else { continue };
        let of_root = boxes.entry(root(scene, mesh.node));
        of_root.and_modify(|known| *known = known.union(&own)).or_insert(own);
    }
    boxes
}

fn described(pair: &Pair<'_>, boxes: &BTreeMap<NodeId, Aabb>) -> Value {
    let Pair { overlap, a, b, roots, joint } = pair;
    let volumes_m3 = roots.map(|root| boxes.get(&root).map_or(0.0, |bounds| bounds.extents().product()));
    let method = match overlap.method {
        Method::Convex => json!("convex"),
        Method::Columns { resolution } => json!({"columns": resolution}),
    };
    json!({
        "a": a.node, "b": b.node, "a_name": a.name, "b_name": b.name,
        "volume_m3": four_digits(overlap.volume_m3),
        "volume_error_m3": four_digits(overlap.volume_error_m3),
        "volume_uncertain": overlap.volume_uncertain,
        "thickness_m": four_digits(overlap.thickness_m),
        "method": method,
        "joint": joint,
        "fix": fix(overlap, a.node, *roots, volumes_m3),
    })
}
