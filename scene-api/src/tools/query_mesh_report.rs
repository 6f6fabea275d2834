//! `query.mesh_report`: whether a mesh is a clean surface.

use super::arguments::typed;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::measured::{body, four_digits, four_digits_each};
use crate::tolerances::Tolerances;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use geometry_checks::{FaultKind, Integrity, Mesh, NormalFault, NormalFaultKind, integrity, normals};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "query.mesh_report",
    group: Group::Query,
    description: "Checks the mesh of one node, in world space: triangles, area, volume if it is watertight, and its \
                  faults: open and non-manifold edges, degenerate, duplicate and self-intersecting faces, faces and \
                  normals that look the wrong way, each with its count and first place.",
    read_only: true,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a mesh, e.g. `n_3`.
    node: String,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (node, _) = references::node_with("mesh", |node| node.mesh.is_some(), scene, "/node", &args.node)?;
    let baked = scene.bake().meshes.into_iter().find(|mesh| mesh.node == node).ok_or_else(|| {
        ToolError::new(ErrorCode::NotFound, "/node", format!("{node} is hidden, so it has no place to be measured"))
            .given(args.node)
            .allowed("a node that is shown")
    })?;
    let measures = Tolerances::default().measures();
    let solid = body(&baked, &measures);
    let surface = integrity(solid.mesh(), false, &measures);
    let looks = normals(solid.mesh(), false, &measures);
    let has = |kind: FaultKind| surface.faults.iter().any(|fault| fault.kind == kind);
    let some = !baked.triangles.is_empty();
    let watertight = some && solid.closed() && !has(FaultKind::OpenEdge);
    let faults: Vec<Value> = of_surface(&surface).chain(looks.faults.iter().map(of_normals)).collect();
    Ok(Outcome::Answer(json!({
        "node": node,
        "triangles": baked.triangles.len(),
        "vertices": baked.positions.len(),
        "area_m2": four_digits(area_m2(solid.mesh())),
        "volume_m3": watertight.then(|| four_digits(solid.volume_m3())),
        "watertight": watertight,
        "manifold": some && !has(FaultKind::NonManifoldEdge) && !has(FaultKind::NonFanVertex),
        "faces_outwards": some && !looks.faults.iter().any(turns_faces),
        "outward_share": four_digits(looks.outward),
        "faults": faults,
        "truncated": surface.truncated,
    })))
}

/// Whether some face looks the wrong way; shading normals may.
fn turns_faces(fault: &NormalFault) -> bool {
    use NormalFaultKind::{Inconsistent, InsideOut, SeenFromBehind};
    matches!(fault.kind, Inconsistent | InsideOut | SeenFromBehind)
}

fn area_m2(mesh: &Mesh) -> f64 {
    let corners = (0..mesh.triangles.len()).filter_map(|triangle| mesh.corners(triangle));
    corners.map(|[a, b, c]| (b - a).cross(&(c - a)).norm() / 2.0).sum()
}

fn of_surface(integrity: &Integrity) -> impl Iterator<Item = Value> + '_ {
    integrity.faults.iter().map(|fault| {
        let kind = match fault.kind {
            FaultKind::OpenEdge => "open_edges",
            FaultKind::NonManifoldEdge => "non_manifold_edges",
            FaultKind::NonFanVertex => "non_manifold_vertices",
            FaultKind::DegenerateFace => "degenerate_faces",
            FaultKind::DuplicateFace => "duplicate_faces",
            FaultKind::SelfIntersection => "self_intersecting_faces",
        };
        json!({
            "kind": kind,
            "count": fault.count,
            "first_triangle": fault.triangle,
            "position_m": four_digits_each(fault.position.iter().copied()),
        })
    })
}

fn of_normals(fault: &NormalFault) -> Value {
    let kind = match fault.kind {
        NormalFaultKind::Inconsistent => "edges_of_flipped_faces",
        NormalFaultKind::InsideOut => "closed_parts_with_inward_faces",
        NormalFaultKind::SeenFromBehind => "open_parts_that_show_their_backs",
        NormalFaultKind::NotUnit => "normals_not_of_unit_length",
        NormalFaultKind::Opposed => "normals_on_the_wrong_side",
        NormalFaultKind::Grazing => "normals_along_their_faces",
    };
    json!({
        "kind": kind,
        "count": fault.count,
        "first_triangle": fault.triangle,
        "position_m": four_digits_each(fault.position.iter().copied()),
    })
}
