//! `place.drop`: lets a thing fall until it meets what is below it.

use super::arguments::typed;
use super::edits::edited;
use super::extent::meshless;
use super::schema::schema_of;
use super::shift::{moved, shifted};
use super::{Group, Outcome, ToolInfo, references};
use crate::measured::{affordable, body, four_digits, is_joint, move_by};
use crate::tolerances::Tolerances;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use geometry_checks::{Aabb, Body, Fall, Overlap, fall, overlap};
use nalgebra::Vector3;
use rayon::prelude::*;
use scene_document::{BakedMesh, NodeId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "place.drop",
    group: Group::Place,
    description: "Moves a node, with all below it, straight down to the first thing that its surface meets, or to the \
                  ground. It goes by the meshes and is exact to rounding; what is sunk in no deeper than a joint (a \
                  tenth of the thinner body), or in the ground, is lifted. The node is not turned: it may tip.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of the node to drop, e.g. `n_7`.
    node: String,
    /// Height of the ground, metres; default 0.
    #[schemars(range(min = -1000, max = 1000))]
    ground_y_m: Option<f64>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, _) = references::node(scene, "/node", &args.node)?;
    let tolerances = Tolerances::default();
    let measures = tolerances.measures();
    let meshes = scene.bake().meshes;
    let (own, others): (Vec<&BakedMesh>, Vec<&BakedMesh>) =
        meshes.iter().partition(|mesh| scene.is_within(mesh.node, node));
    let around = own.iter().filter_map(|mesh| bounds(mesh)).reduce(|whole, part| whole.union(&part));
    let around = around.ok_or_else(|| meshless(scene, "/node", node))?;
    let under: Vec<&BakedMesh> =
        others.into_iter().filter(|mesh| bounds(mesh).is_some_and(|other| is_under(&other, &around))).collect();
    let bodies = |meshes: &[&BakedMesh]| meshes.par_iter().map(|mesh| body(mesh, &measures)).collect::<Vec<Body>>();
    let (falling, below) = (bodies(&own), bodies(&under));
    free_to_fall(&own, &falling, &under, &below)?;

    let Fall { landing, truncated } = fall(&falling, &below, tolerances.nearest_pairs, &measures);
    if truncated {
        let most = tolerances.nearest_pairs;
        let message = format!("more than {most} pairs of triangles lie over each other; place.on goes by boxes");
        return Err(ToolError::new(ErrorCode::LimitExceeded, "/node", message)
            .given(node.to_string())
            .allowed("meshes with fewer triangles, or place.on"));
    }
    let to_ground_m = around.min.y - args.ground_y_m.unwrap_or(0.0);
    let landing = landing.filter(|landing| landing.drop_m <= to_ground_m);
    let (drop_m, on) = landing.map_or((to_ground_m, None), |landing| (landing.drop_m, under.get(landing.on)));
    let by_m = Vector3::new(0.0, -drop_m, 0.0);
    let applied = shifted(scene, &[(node, by_m)])?;
    let mut result = moved(&applied.scene, node, &by_m);
    result["rests_on"] = on.map_or_else(|| json!("ground"), |mesh| json!(mesh.node));
    Ok(edited(applied, result))
}

fn bounds(mesh: &BakedMesh) -> Option<Aabb> {
    Aabb::around(mesh.positions.iter().copied())
}

/// Whether the falling box could meet something of the other.
fn is_under(other: &Aabb, falling: &Aabb) -> bool {
    let share = |axis: usize| other.min[axis] <= falling.max[axis] && falling.min[axis] <= other.max[axis];
    share(0) && share(2) && other.min.y <= falling.max.y
}

/// # Errors
/// `Degenerate` where a mesh that falls is inside one that does not, deeper than a joint: it would fall through.
fn free_to_fall(own: &[&BakedMesh], falling: &[Body], under: &[&BakedMesh], below: &[Body]) -> Result<(), ToolError> {
    let tolerances = Tolerances::default();
    let measures = tolerances.measures();
    let mut pairs: Vec<[(NodeId, &Body); 2]> = Vec::new();
    for (fixed, other) in under.iter().zip(below) {
        let near = own.iter().zip(falling).filter(|(_, body)| body.aabb().intersects(other.aabb()));
        pairs.extend(near.map(|(mover, body)| [(mover.node, body), (fixed.node, other)]));
    }
    let triangles =
        |pair: &[(NodeId, &Body); 2]| pair.iter().map(|(_, body)| body.mesh().triangles.len()).sum::<usize>();
    let (pairs, _) = affordable(pairs, triangles, tolerances.consequences);
    for [(mover, body), (fixed, other)] in pairs {
        let deep = |found: &Overlap| found.counts && !is_joint(found, body, other, &measures);
        let Some(found) = overlap(body, other, &measures).filter(deep) else { continue };
        let (depth_m, fix) = (four_digits(found.thickness_m), move_by(mover, found.separate_a_m.iter().copied()));
        let message = format!("{mover} is {depth_m} m inside {fixed}, so it cannot fall from there; {fix} frees it");
        return Err(ToolError::new(ErrorCode::Degenerate, "/node", message)
            .given(mover.to_string())
            .allowed("a node that is inside nothing that stays"));
    }
    Ok(())
}
