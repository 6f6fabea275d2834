//! The rotation that makes a camera or a light look at a point.

use super::placement::{flat_parent, quaternion};
use super::ranges::each_within;
use crate::measured::subtree_aabb;
use crate::tolerances::Tolerances;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use nalgebra::{Matrix3, Matrix4, Point3, Vector3};
use scene_document::{NodeId, Scene, Trs};
use serde_json::json;

/// Local rotation of a node at `translation` (parent's frame) that points its −Z at `target` (world space) with
/// world +Y up in the view, world −Z where it looks straight up or down. The direction is found in the parent's
/// frame, so that it is exact under any scale of the parent.
///
/// # Errors
/// `Degenerate` where the target is where the node is.
fn rotation_towards(
    world_from_parent: &Matrix4<f64>,
    translation: [f64; 3],
    target: [f64; 3],
) -> Result<[f64; 4], ToolError> {
    let tolerances = Tolerances::default();
    let eye = Point3::from(translation);
    let target_world = Point3::from(target);
    if (target_world - world_from_parent.transform_point(&eye)).norm() < tolerances.coincident_m {
        let message = "the target is where the viewer is, so there is no direction to it";
        return Err(ToolError::new(ErrorCode::Degenerate, "/target", message)
            .given(json!(target))
            .allowed("a point elsewhere"));
    }
    let parent_from_world = world_from_parent.try_inverse().ok_or_else(flat_parent)?;
    let backward = (eye - parent_from_world.transform_point(&target_world)).normalize();
    let up = |world: Vector3<f64>| parent_from_world.transform_vector(&world).normalize();
    let mut right = up(Vector3::y()).cross(&backward);
    if right.norm() < tolerances.vertical {
        right = up(-Vector3::z()).cross(&backward);
    }
    let right = right.normalize();
    Ok(quaternion(Matrix3::from_columns(&[right, backward.cross(&right), backward])))
}

/// The transform turned towards `target` (world space), or as it is without one.
pub(super) fn aimed(
    workspace: &Workspace,
    parent: Option<NodeId>,
    transform: Trs,
    target: Option<[f64; 3]>,
) -> Result<Trs, ToolError> {
    let Some(target) = target else { return Ok(transform) };
    let most = workspace.limits.coordinate_m;
    let target = each_within("/target", target, -most, most)?;
    let from_parent = world_from_parent(&workspace.scene, parent);
    Ok(Trs { rotation: rotation_towards(&from_parent, transform.translation, target)?, ..transform })
}

/// Identity for a root.
pub(super) fn world_from_parent(scene: &Scene, parent: Option<NodeId>) -> Matrix4<f64> {
    parent.map_or_else(Matrix4::identity, |parent| scene.world_from_node(parent))
}

/// Middle of the bounds of the node and all below it, or its origin where there is no mesh. World space.
pub(super) fn centre(scene: &Scene, id: NodeId) -> [f64; 3] {
    let centre = match subtree_aabb(scene, id) {
        Some(whole) => whole.centre(),
        None => scene.world_from_node(id).transform_point(&Point3::origin()),
    };
    centre.coords.into()
}
