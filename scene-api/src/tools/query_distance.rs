//! `query.distance`: how near two things are.

use super::arguments::typed;
use super::extent::meshless;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::measured::{body, four_digits, four_digits_each};
use crate::tolerances::Tolerances;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use geometry_checks::{Body, distance};
use nalgebra::Point3;
use rayon::prelude::*;
use scene_document::BakedMesh;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "query.distance",
    group: Group::Query,
    description: "Gives the least distance between the surfaces of two nodes, each with all below it, and the two \
                  points where it is; 0 where they touch, cross or one is inside the other. `truncated` says that \
                  they may be nearer.",
    read_only: true,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node, e.g. `n_3`.
    a: String,
    /// Id of another, neither above nor below `a`.
    b: String,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (a, _) = references::node(scene, "/a", &args.a)?;
    let (b, _) = references::node(scene, "/b", &args.b)?;
    if scene.is_within(a, b) || scene.is_within(b, a) {
        let message = format!("{a} and {b} are the same or one is below the other");
        return Err(ToolError::new(ErrorCode::InvalidArgument, "/b", message)
            .given(args.b)
            .allowed(format!("a node neither above nor below {a}")));
    }
    let tolerances = Tolerances::default();
    let measures = tolerances.measures();
    let meshes = scene.bake().meshes;
    let of = |root| meshes.iter().filter(|mesh| scene.is_within(mesh.node, root)).collect::<Vec<&BakedMesh>>();
    let bodies = |meshes: &[&BakedMesh]| meshes.par_iter().map(|mesh| body(mesh, &measures)).collect::<Vec<Body>>();
    let (of_a, of_b) = (of(a), of(b));
    let (first, second) = (bodies(&of_a), bodies(&of_b));
    let found = distance(&first, &second, tolerances.nearest_pairs);
    let found =
        found.ok_or_else(|| if of_a.is_empty() { meshless(scene, "/a", a) } else { meshless(scene, "/b", b) })?;
    let distance_m = if found.distance_m < tolerances.coincident_m { 0.0 } else { four_digits(found.distance_m) };
    let shown = |point: Point3<f64>| four_digits_each(point.iter().copied());
    let [in_a, in_b] = found.bodies;
    Ok(Outcome::Answer(json!({
        "distance_m": distance_m,
        "points_m": found.points.map(|points| points.map(shown)),
        "nodes": [of_a.get(in_a).map(|mesh| mesh.node), of_b.get(in_b).map(|mesh| mesh.node)],
        "truncated": found.truncated,
    })))
}
