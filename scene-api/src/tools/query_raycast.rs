//! `query.raycast`: what lies in one direction.

use super::arguments::typed;
use super::ranges::{each_within, positive};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::measured::{four_digits, four_digits_each, placed_mesh};
use crate::tolerances::Tolerances;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use geometry_checks::{RayHit, first_hit};
use nalgebra::{Point3, Vector3};
use rayon::prelude::*;
use scene_document::BakedMesh;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "query.raycast",
    group: Group::Query,
    description: "Follows a ray from a point and gives the first surface that it meets, from either side: node, \
                  distance, point, the face's normal, and whether it is met from behind; null where it meets none.",
    read_only: true,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

/// A direction is of any length.
const DIRECTION_MOST: f64 = 1e6;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Where the ray starts, metres in world space.
    origin_m: [f64; 3],
    /// World direction, of any length above 0.
    direction: [f64; 3],
    /// Metres after which the ray ends; absent for never.
    #[schemars(transform = positive)]
    max_m: Option<f64>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let tolerances = Tolerances::default();
    let most = 2.0 * workspace.limits.coordinate_m;
    let origin = Point3::from(each_within("/origin_m", args.origin_m, -most, most)?);
    let direction = each_within("/direction", args.direction, -DIRECTION_MOST, DIRECTION_MOST)?;
    let direction = Vector3::from(direction).try_normalize(tolerances.coincident_m).ok_or_else(|| {
        ToolError::new(ErrorCode::Degenerate, "/direction", "the direction has no length")
            .given(json!(args.direction))
            .allowed("a vector of some length, such as [0, -1, 0]")
    })?;
    let max_m = args.max_m.unwrap_or(f64::INFINITY);
    let meshes = workspace.scene.bake().meshes;
    let met = |mesh: &BakedMesh| first_hit(&placed_mesh(mesh), origin, direction, max_m, tolerances.ray_edge_slack);
    let hits: Vec<Option<RayHit>> = meshes.par_iter().map(met).collect();
    let hits = meshes.iter().zip(hits).filter_map(|(mesh, hit)| Some((mesh, hit?)));
    let first = hits.min_by(|a, b| a.1.distance_m.total_cmp(&b.1.distance_m));
    let hit = first.map(|(mesh, hit)| described(mesh, &hit, origin, direction));
    Ok(Outcome::Answer(json!({"hit": hit})))
}

fn described(mesh: &BakedMesh, hit: &RayHit, origin: Point3<f64>, direction: Vector3<f64>) -> Value {
    let point = origin + direction * hit.distance_m;
    json!({
        "node": mesh.node,
        "name": mesh.name,
        "distance_m": four_digits(hit.distance_m),
        "point_m": four_digits_each(point.iter().copied()),
        "normal": four_digits_each(hit.normal.iter().copied()),
        "from_behind": hit.normal.dot(&direction) > 0.0,
    })
}
