//! `mesh.subdivide`: each triangle in four.

use super::arguments::typed;
use super::edits::edited;
use super::mesh_on_node::{SMOOTH_ANGLE_DEG, affordable, changed, mesh_of};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::limits::Blame;
use crate::modelling::{Rule, Surface, shaded, subdivided};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.subdivide",
    group: Group::Mesh,
    description: "Splits each triangle of a node's mesh in four, once or more. `loop` rounds the shape and shrinks it; \
                  `midpoint` keeps it. Normals are made anew.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a mesh, e.g. `n_3`.
    node: String,
    /// `loop` (edges of an open mesh stay edges) or `midpoint`; default `loop`.
    #[serde(default)]
    method: Method,
    /// How often, 1 to 3; default 1. Each time there are four times as many triangles.
    #[schemars(range(min = 1, max = 3))]
    levels: Option<u32>,
    /// Edges of up to this angle are shaded smooth, 0 to 90; default 30.
    #[schemars(range(min = 0, max = 90))]
    smooth_angle_deg: Option<f64>,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Method {
    #[default]
    Loop,
    Midpoint,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, mesh) = mesh_of(scene, &args.node)?;
    let levels = args.levels.unwrap_or(1);
    affordable(workspace, "/levels", mesh.triangle_count().saturating_mul(4_u64.saturating_pow(levels)))?;
    let rule = match args.method {
        Method::Loop => Rule::Loop,
        Method::Midpoint => Rule::Midpoint,
    };
    let finer = (0..levels).fold(Surface::of(mesh), |surface, _| subdivided(&surface, rule));
    let parts = shaded(&finer.welded(), args.smooth_angle_deg.unwrap_or(SMOOTH_ANGLE_DEG));
    let (applied, result) = changed(scene, (node, mesh), parts)?;
    Ok(edited(applied, result).blaming(Blame { triangles: "/levels", place: "/node" }))
}
