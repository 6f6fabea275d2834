//! Translation, rotation, scale: glTF's TRS, in f64.

use nalgebra::{Matrix3, Matrix4, Quaternion, UnitQuaternion, Vector3};
use serde::Serialize;

/// `parent_from_node`: scale first, then rotation, then translation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Trs {
    /// Metres.
    pub translation: [f64; 3],
    /// Unit quaternion, `[x, y, z, w]`.
    pub rotation: [f64; 4],
    pub scale: [f64; 3],
}

impl Default for Trs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Trs {
    pub const IDENTITY: Self = Self { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };

    #[must_use]
    pub fn from_translation(translation: [f64; 3]) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// The 4×4 matrix, column vectors; the quaternion is normalised first.
    #[must_use]
    pub fn matrix(&self) -> Matrix4<f64> {
        let linear =
            self.unit_rotation().to_rotation_matrix().into_inner() * Matrix3::from_diagonal(&Vector3::from(self.scale));
        let mut matrix = Matrix4::identity();
        matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&linear);
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&Vector3::from(self.translation));
        matrix
    }

    #[must_use]
    pub fn unit_rotation(&self) -> UnitQuaternion<f64> {
        let [x, y, z, w] = self.rotation;
        UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z))
    }
}
