//! A node's matrix as translation, rotation and scale.

use super::tolerances::TOLERANCES;
use crate::Trs;
use nalgebra::{Matrix3, Matrix4, Rotation3, UnitQuaternion, Vector3};

/// `columns`: column-major, as glTF writes it. A mirroring matrix gets a negative x scale. `None` where the matrix
/// shears, projects, or has a zero scale.
pub(crate) fn decompose(columns: &[f64; 16]) -> Option<Trs> {
    let matrix = Matrix4::from_column_slice(columns);
    if matrix.row(3) != Matrix4::<f64>::identity().row(3) {
        return None;
    }
    let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    let mut scale = Vector3::from_fn(|axis, _| linear.column(axis).norm());
    if linear.determinant() < 0.0 {
        scale.x = -scale.x;
    }
    if scale.iter().any(|part| *part == 0.0 || !part.is_finite()) {
        return None;
    }
    let axes = Matrix3::from_fn(|row, column| linear[(row, column)] / scale[column]);
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
    let rotation = UnitQuaternion::new_normalize(rotation.into_inner());
    let again = rotation.to_rotation_matrix().into_inner() * Matrix3::from_diagonal(&scale);
    let difference = (again - linear).abs().max();
    let trs = Trs {
        translation: [matrix[(0, 3)], matrix[(1, 3)], matrix[(2, 3)]],
        rotation: [rotation.i, rotation.j, rotation.k, rotation.w],
        scale: scale.into(),
    };
    (difference <= TOLERANCES.shear * scale.abs().max()).then_some(trs)
}
