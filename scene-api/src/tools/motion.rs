//! Where a node comes to stand: moved, turned, mirrored, or where it is under another parent.

use super::axis::Axis;
use super::placement::{decomposed, flat_parent};
use crate::tool_error::{ErrorCode, ToolError};
use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};
use scene_document::Trs;

/// Moved by metres in world space.
///
/// # Errors
/// `Degenerate` where the parent's scale flattens space.
pub(super) fn moved(transform: Trs, world_from_parent: &Matrix4<f64>, by_m: &Vector3<f64>) -> Result<Trs, ToolError> {
    let parent_from_world = world_from_parent.try_inverse().ok_or_else(flat_parent)?;
    let translation = (Vector3::from(transform.translation) + parent_from_world.transform_vector(by_m)).into();
    Ok(Trs { translation, ..transform })
}

/// Turned about an axis of the parent through `centre_m` (parent's frame), counter-clockwise seen from the axis' end.
pub(super) fn turned(transform: Trs, axis: Axis, degrees: f64, centre_m: [f64; 3]) -> Trs {
    let half_rad = degrees.to_radians() / 2.0;
    let imaginary = axis.by(libm::sin(half_rad));
    let turn = UnitQuaternion::new_unchecked(Quaternion::from_parts(libm::cos(half_rad), imaginary));
    let centre = Vector3::from(centre_m);
    let translation = (centre + turn * (Vector3::from(transform.translation) - centre)).into();
    let rotation = turn * transform.unit_rotation();
    Trs { translation, rotation: [rotation.i, rotation.j, rotation.k, rotation.w], ..transform }
}

/// World space onto its image in the plane across `axis` at `at_m`.
pub(super) fn mirror(axis: Axis, at_m: f64) -> Matrix4<f64> {
    let mut mirror = Matrix4::identity();
    mirror[(axis.index(), axis.index())] = -1.0;
    mirror[(axis.index(), 3)] = 2.0 * at_m;
    mirror
}

/// The transform under a parent of a node that stands at `world_from_node`.
///
/// # Errors
/// At `pointer`: `Unsupported` where it would be a shear, `Degenerate` where the parent's scale flattens space.
pub(super) fn under(
    world_from_parent: &Matrix4<f64>,
    world_from_node: &Matrix4<f64>,
    pointer: &str,
) -> Result<Trs, ToolError> {
    let flat = || ToolError { pointer: pointer.into(), ..flat_parent() };
    let parent_from_world = world_from_parent.try_inverse().ok_or_else(flat)?;
    decomposed(&(parent_from_world * world_from_node)).ok_or_else(|| {
        let message = "scales that differ by axis, above a node that is turned, would shear it, and a node cannot hold \
                       a shear";
        ToolError::new(ErrorCode::Unsupported, pointer, message)
            .allowed("a node and parents with the same scale along all axes, or turned by right angles only")
    })
}
