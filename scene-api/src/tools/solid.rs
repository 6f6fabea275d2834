//! Meshes as solids: closed, looking outward, and not through themselves.

use crate::modelling::{Closed, Surface};
use crate::tolerances::Tolerances;
use crate::tool_error::{ErrorCode, ToolError};
use geometry_checks::{FaultKind, Mesh, integrity};
use scene_document::NodeId;

/// # Errors
/// `Degenerate` where the surface is none.
pub(super) fn solid(pointer: &str, id: NodeId, surface: &Surface) -> Result<Closed, ToolError> {
    let fault = |what: &str, allowed: &str| {
        ToolError::new(ErrorCode::Degenerate, pointer, format!("the mesh of {id} {what}"))
            .given(id.to_string())
            .allowed(allowed)
    };
    let closed = Closed::of(surface).ok_or_else(|| {
        let allowed = "a closed mesh with two triangles on each edge, both looking outward; query.mesh_report tells \
                       where it is not, mesh.merge_by_distance closes cracks, mesh.recalculate_normals turns triangles";
        fault("is not a closed surface", allowed)
    })?;
    let volume_m3 = closed.volume_m3();
    if volume_m3 <= 0.0 || !volume_m3.is_finite() {
        let allowed = "a mesh whose triangles look outward; mesh.recalculate_normals turns them";
        return Err(fault("has no inside: it is flat, or its triangles look inward", allowed));
    }
    if has(surface, FaultKind::SelfIntersection) {
        let allowed = "a mesh whose triangles do not pass through each other; query.mesh_report tells where they do";
        return Err(fault("passes through itself", allowed));
    }
    Ok(closed)
}

/// By the measure of `query.mesh_report`.
pub(super) fn has(surface: &Surface, kind: FaultKind) -> bool {
    let index = |corner: usize| u32::try_from(corner).unwrap_or(u32::MAX);
    let mesh = Mesh {
        positions: surface.points.clone(),
        normals: None,
        triangles: surface.faces.iter().map(|face| face.corners.map(index)).collect(),
    };
    integrity(&mesh, false, &Tolerances::default().measures()).faults.iter().any(|fault| fault.kind == kind)
}
