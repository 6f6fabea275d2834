//! `query.overlaps`: what stands in what.

use super::arguments::parse;
use super::schema::schema_of;
use super::{Outcome, ToolInfo, references};
use crate::measured::{bodies, four_digits, is_joint, move_by};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use geometry_checks::{Aabb, Body, Method, Overlap, Tolerances, candidate_pairs, overlap};
use rayon::prelude::*;
use scene_document::{BakedMesh, NodeId, Scene};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "query.overlaps",
    description: "Lists pairs of mesh nodes that share volume, with volume, thickness and what would clear them; the \
                  worst first. A `joint` (parts of one object a little inside each other) is allowed.",
    read_only: true,
    schema: schema_of::<Args>,
    run: |workspace, json| run(workspace, parse(json)?),
};

const LISTED: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Only pairs with one of these nodes or something below them; absent for all.
    nodes: Option<Vec<String>>,
}

struct Pair {
    overlap: Overlap,
    a: usize,
    b: usize,
    joint: bool,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let asked = args.nodes.map(|given| references::nodes(scene, &given)).transpose()?;
    let baked = scene.bake();
    let meshes = &baked.meshes;
    let tolerances = Tolerances::default();
    let mut pairs = counted_pairs(scene, meshes, &bodies(&baked, &tolerances), &tolerances, |node| {
        asked.as_ref().is_none_or(|asked| scene.ancestry(node).any(|above| asked.contains(&above)))
    });
    pairs.sort_by(|x, y| {
        let by_volume = y.overlap.volume_m3.total_cmp(&x.overlap.volume_m3);
        x.joint.cmp(&y.joint).then(by_volume).then((x.a, x.b).cmp(&(y.a, y.b)))
    });
    let listed: Vec<Value> = pairs
        .iter()
        .take(LISTED)
        .filter_map(|pair| Some(described(pair, meshes.get(pair.a)?, meshes.get(pair.b)?)))
        .collect();
    let result = json!({"overlaps": listed, "total": pairs.len(), "truncated": pairs.len() > LISTED});
    Ok(Outcome::Answer(result))
}

fn counted_pairs(
    scene: &Scene,
    meshes: &[BakedMesh],
    bodies: &[Body],
    tolerances: &Tolerances,
    wanted: impl Fn(NodeId) -> bool + Sync,
) -> Vec<Pair> {
    let boxes: Vec<Aabb> = bodies.iter().map(|body| *body.aabb()).collect();
    let measured = |(a, b): (usize, usize)| {
        let (mesh_a, mesh_b) = (meshes.get(a)?, meshes.get(b)?);
        if !wanted(mesh_a.node) && !wanted(mesh_b.node) {
            return None;
        }
        let overlap = overlap(bodies.get(a)?, bodies.get(b)?, tolerances).filter(|overlap| overlap.counts)?;
        let one_object = scene.ancestry(mesh_a.node).last() == scene.ancestry(mesh_b.node).last();
        let joint = one_object && is_joint(&overlap, boxes.get(a)?, boxes.get(b)?, tolerances.joint_share);
        Some(Pair { overlap, a, b, joint })
    };
    candidate_pairs(&boxes).into_par_iter().filter_map(measured).collect()
}

fn described(pair: &Pair, a: &BakedMesh, b: &BakedMesh) -> Value {
    let overlap = &pair.overlap;
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
        "joint": pair.joint,
        "fix": move_by(a.node, overlap.separate_a_m.iter().copied()),
    })
}
