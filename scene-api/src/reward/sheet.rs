//! Which open meshes are meant: a sheet has no inside, so it may be open.

use super::input::Input;
use scene_document::BakedMesh;

/// Double-sided throughout. Where a task scores there are none: it asks for closed solids.
pub(crate) fn is_sheet(input: &Input<'_>, mesh: &BakedMesh) -> bool {
    input.task.is_none() && mesh.surfaces.iter().all(|surface| surface.double_sided)
}
