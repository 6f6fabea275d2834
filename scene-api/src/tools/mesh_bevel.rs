//! `mesh.bevel`: edges cut off or rounded.

use super::arguments::typed;
use super::edits::edited;
use super::mesh_on_node::{SMOOTH_ANGLE_DEG, changed, mesh_of};
use super::schema::schema_of;
use super::solid::{has, solid};
use super::{Group, Outcome, ToolInfo};
use crate::limits::Blame;
use crate::modelling::{NoBevel, Surface, beveled, shaded};
use crate::tolerances::Tolerances;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use geometry_checks::FaultKind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "mesh.bevel",
    group: Group::Mesh,
    description: "Cuts off the edges of a convex solid, or rounds them: with planes that touch a ball as it rolls \
                  inside along each edge. One plane an edge is a chamfer, more are a rounding. Corners are where the \
                  planes of their edges meet. Texture coordinates are lost; normals are made anew.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

/// Where a call does not say how sharp an edge must be.
const SHARP_DEG: f64 = 30.0;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a closed, convex mesh, e.g. `n_3`.
    node: String,
    /// Radius of the ball: how far from an edge of 90° the rounding begins. Metres in the node's frame, 0.00001 to 100.
    #[schemars(range(min = 1e-5, max = 100))]
    width_m: f64,
    /// Planes an edge, 1 to 8; default 1.
    #[schemars(range(min = 1, max = 8))]
    segments: Option<u32>,
    /// Edges are cut at which the two sides differ by more than this, 1 to 179; default 30.
    #[schemars(range(min = 1, max = 179))]
    angle_deg: Option<f64>,
    /// Edges of up to this angle are shaded smooth, 0 (flat) to 90; default 30.
    #[schemars(range(min = 0, max = 90))]
    smooth_angle_deg: Option<f64>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, mesh) = mesh_of(scene, &args.node)?;
    let whole = solid("/node", node, &Surface::of(mesh))?;
    let (segments, angle_deg) = (args.segments.unwrap_or(1), args.angle_deg.unwrap_or(SHARP_DEG));
    let made = beveled(&whole, args.width_m, segments, angle_deg).and_then(|(surface, edges)| {
        let is_clean = !has(&surface, FaultKind::DegenerateFace);
        if is_clean { Ok((surface, edges)) } else { Err(NoBevel::TooNarrow) }
    });
    let (surface, edges) = made.map_err(|why| match why {
        NoBevel::NotConvex => {
            let message = format!("the mesh of {node} is not convex: it is dented, or in several parts");
            ToolError::new(ErrorCode::Unsupported, "/node", message)
                .given(args.node.as_str())
                .allowed("a convex mesh: a box, a wedge, a cylinder; bevel parts before mesh.boolean joins them")
        }
        NoBevel::NothingSharp => {
            let message = format!("no edge of {node} is sharper than {angle_deg} degrees");
            ToolError::new(ErrorCode::Degenerate, "/angle_deg", message)
                .given(angle_deg)
                .allowed("less than the angle between two sides")
        }
        NoBevel::TooWide => {
            let message = format!("with {} m a side of {node} would be gone, or too narrow to be stored", args.width_m);
            ToolError::new(ErrorCode::OutOfRange, "/width_m", message)
                .given(args.width_m)
                .allowed("a width that leaves something of each side")
        }
        NoBevel::TooNarrow => {
            let message = format!("with {} m sides of {node} would be too narrow to be stored", args.width_m);
            ToolError::new(ErrorCode::OutOfRange, "/width_m", message)
                .given(args.width_m)
                .allowed("a width well above 0.00001 of the mesh's size, more with more segments")
        }
        NoBevel::Crowded { cuts } => {
            ToolError::limit("/segments", "cuts", cuts as u64, Tolerances::default().bevel_cuts as u64)
        }
    })?;
    let parts = shaded(&surface, args.smooth_angle_deg.unwrap_or(SMOOTH_ANGLE_DEG));
    let (applied, mut result) = changed(scene, (node, mesh), parts)?;
    result["edges"] = json!(edges);
    Ok(edited(applied, result).blaming(Blame { triangles: "/node", place: "/node" }))
}
