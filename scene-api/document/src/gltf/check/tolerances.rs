//! Every tolerance of the file check.

/// The first three are the Khronos validator's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tolerances {
    /// |‖n‖ − 1| of normals and tangents; quantised to 8 bits they still pass.
    pub(crate) unit_vector: f64,
    /// |‖q‖ − 1| of rotations.
    pub(crate) unit_quaternion: f64,
    /// |Σ weights − 1| allowed per non-zero influence.
    pub(crate) weight: f64,
    /// Largest difference between a matrix and its translation, rotation and scale put together again, as a share of
    /// its largest scale. Matrices written with five digits pass.
    pub(crate) shear: f64,
}

pub(crate) const TOLERANCES: Tolerances =
    Tolerances { unit_vector: 0.00674, unit_quaternion: 0.00769, weight: 2e-7, shear: 1e-4 };
