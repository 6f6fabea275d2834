//! Which open meshes are meant: a sheet has no inside, so it may be open.

use super::input::Input;
use scene_document::BakedMesh;

/// Double-sided throughout; where a task scores, flat as well, so that a mark on the material excuses no open solid.
pub(crate) fn is_sheet(input: &Input<'_>, mesh: &BakedMesh) -> bool {
    mesh.surfaces.iter().all(|surface| surface.double_sided)
        && (input.task.is_none() || is_flat(mesh, input.thresholds.sheet_flatness))
}

/// All vertices on the plane of the first triangle with area, within a share of the mesh's size.
fn is_flat(mesh: &BakedMesh, flatness: f64) -> bool {
    let Some(origin) = mesh.positions.first() else { return false };
    let size_m = mesh.positions.iter().map(|position| (position - origin).norm()).fold(0.0, f64::max);
    let normal = mesh.triangles.iter().find_map(|corners| {
        let [a, b, c] = corners.map(|corner| mesh.positions.get(corner as usize));
        let (a, b, c) = (a?, b?, c?);
        (b - a).cross(&(c - a)).try_normalize(0.0)
    });
    normal.is_some_and(|normal| {
        mesh.positions.iter().all(|position| (position - origin).dot(&normal).abs() <= flatness * size_m)
    })
}
