//! Where a node is put: translation, rotation and scale as a model writes them.

use super::ranges::each_within;
use crate::limits::Limits;
use crate::tolerances::Tolerances;
use crate::tool_error::{ErrorCode, ToolError};
use nalgebra::{Matrix3, Matrix4, Point3, Quaternion, Rotation3, UnitQuaternion, Vector3};
use scene_document::Trs;
use serde_json::json;

pub(super) const SCALE_MIN: f64 = 1e-4;
pub(super) const SCALE_MAX: f64 = 1e4;

/// As given; an absent part keeps what is there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Placement {
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) rotation_euler_deg: Option<[f64; 3]>,
    pub(super) scale: Option<[f64; 3]>,
}

/// Checked; the rotation is a unit quaternion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
}

impl Placement {
    /// # Errors
    /// `OutOfRange`; `InvalidArgument` for two rotations.
    pub(super) fn checked(self, limits: &Limits) -> Result<Parts, ToolError> {
        let most = limits.coordinate_m;
        let translation = self.translation.map(|given| each_within("/translation", given, -most, most)).transpose()?;
        let scale = self.scale.map(checked_scale).transpose()?;
        let rotation = match (self.rotation, self.rotation_euler_deg) {
            (Some(_), Some(_)) => {
                let message = "rotation and rotation_euler_deg exclude each other";
                return Err(ToolError::new(ErrorCode::InvalidArgument, "/rotation_euler_deg", message)
                    .given(json!(self.rotation_euler_deg))
                    .allowed("one of rotation, rotation_euler_deg"));
            }
            (Some(given), None) => Some(unit(given)?),
            (None, Some(given)) => Some(from_euler_xyz(each_within("/rotation_euler_deg", given, -3600.0, 3600.0)?)),
            (None, None) => None,
        };
        Ok(Parts { translation, rotation, scale })
    }
}

impl Parts {
    pub(super) fn is_empty(&self) -> bool {
        self.translation.is_none() && self.rotation.is_none() && self.scale.is_none()
    }

    pub(super) fn onto(&self, base: Trs) -> Trs {
        Trs {
            translation: self.translation.unwrap_or(base.translation),
            rotation: self.rotation.unwrap_or(base.rotation),
            scale: self.scale.unwrap_or(base.scale),
        }
    }

    /// The local transform of a node that these parts place in world space.
    ///
    /// # Errors
    /// `Unsupported` where the parent's scale would shear the node; `Degenerate` where it flattens it.
    pub(super) fn onto_in_world(&self, base: Trs, world_from_parent: &Matrix4<f64>) -> Result<Trs, ToolError> {
        let parent_from_world = world_from_parent.try_inverse().ok_or_else(flat_parent)?;
        let translation = self
            .translation
            .map_or(base.translation, |wanted| parent_from_world.transform_point(&Point3::from(wanted)).coords.into());
        if self.rotation.is_none() && self.scale.is_none() {
            return Ok(Trs { translation, ..base });
        }
        let world = decomposed(&(world_from_parent * base.matrix())).ok_or_else(sheared)?;
        let wanted = self.onto(world);
        let local = decomposed(&(parent_from_world * wanted.matrix())).ok_or_else(sheared)?;
        Ok(Trs { translation, ..local })
    }
}

/// `None` where the axes are not perpendicular, or one has no length. A mirror is put on the x axis.
pub(super) fn decomposed(matrix: &Matrix4<f64>) -> Option<Trs> {
    let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    let axes: [Vector3<f64>; 3] = [0, 1, 2].map(|axis| linear.column(axis).into_owned());
    let mut scale = [axes[0].norm(), axes[1].norm(), axes[2].norm()];
    if !scale.iter().all(|length| length.is_finite() && *length > 0.0) {
        return None;
    }
    let perpendicular = Tolerances::default().perpendicular;
    let skewed = |a: usize, b: usize| axes[a].dot(&axes[b]).abs() > perpendicular * scale[a] * scale[b];
    if skewed(0, 1) || skewed(1, 2) || skewed(0, 2) {
        return None;
    }
    if linear.determinant() < 0.0 {
        scale[0] = -scale[0];
    }
    let rotation = Matrix3::from_columns(&[axes[0] / scale[0], axes[1] / scale[1], axes[2] / scale[2]]);
    let translation = [matrix[(0, 3)], matrix[(1, 3)], matrix[(2, 3)]];
    Some(Trs { translation, rotation: quaternion(rotation), scale })
}

/// `[x, y, z, w]` of an orthonormal, right-handed matrix.
pub(super) fn quaternion(rotation: Matrix3<f64>) -> [f64; 4] {
    let unit = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
    let length = unit.quaternion().norm();
    [unit.i / length, unit.j / length, unit.k / length, unit.w / length]
}

pub(super) fn flat_parent() -> ToolError {
    ToolError::new(ErrorCode::Degenerate, "", "the parent's scale flattens space, so no place in it can be found")
        .allowed("a parent whose scale has no zero")
}

fn sheared() -> ToolError {
    let message =
        "the parent's non-uniform scale would shear the node, and a node cannot hold a shear; use space local";
    ToolError::new(ErrorCode::Unsupported, "/space", message).given("world").allowed("local")
}

fn checked_scale(given: [f64; 3]) -> Result<[f64; 3], ToolError> {
    for (axis, part) in given.into_iter().enumerate() {
        if !(SCALE_MIN..=SCALE_MAX).contains(&part.abs()) {
            let allowed = format!("{SCALE_MIN} to {SCALE_MAX}, or the negative of that to mirror");
            return Err(ToolError::out_of_range(format!("/scale/{axis}"), part, allowed));
        }
    }
    Ok(given)
}

/// Any quaternion whose length is near enough to 1 to be meant as a rotation.
fn unit(given: [f64; 4]) -> Result<[f64; 4], ToolError> {
    let length = each_within("/rotation", given, -1e3, 1e3)?.iter().map(|part| part * part).sum::<f64>().sqrt();
    if !(1e-3..=1e3).contains(&length) {
        let message = format!("the rotation has length {length:.3e}; a unit quaternion [x, y, z, w] is wanted");
        return Err(ToolError::new(ErrorCode::OutOfRange, "/rotation", message)
            .given(json!(given))
            .allowed("a unit quaternion [x, y, z, w]"));
    }
    Ok(given.map(|part| part / length))
}

/// Intrinsic: about x, then about the turned y, then about the twice turned z.
pub(super) fn from_euler_xyz(degrees: [f64; 3]) -> [f64; 4] {
    let [x, y, z] = degrees.map(|degrees| {
        let half_rad = degrees.to_radians() / 2.0;
        (libm::sin(half_rad), libm::cos(half_rad))
    });
    let product =
        Quaternion::new(x.1, x.0, 0.0, 0.0) * Quaternion::new(y.1, 0.0, y.0, 0.0) * Quaternion::new(z.1, 0.0, 0.0, z.0);
    let length = product.norm();
    [product.i / length, product.j / length, product.k / length, product.w / length]
}
