//! Light that comes from all around a scene.

use serde::Serialize;

/// The same light from every direction, without an end and without shadow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Environment {
    /// Linear RGB in [0, 1].
    pub color: [f64; 3],
    /// cd/m² of a white one, 1e9 at most; each channel is this times its part of the colour.
    pub luminance_cd_m2: f64,
}

impl Environment {
    /// Linear RGB, cd/m²: what is seen of it in any direction. A matt surface of albedo ρ reflects ρ times as much.
    #[must_use]
    pub fn radiance_cd_m2(&self) -> [f64; 3] {
        self.color.map(|part| part * self.luminance_cd_m2)
    }
}

/// What a scene is surrounded by.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) enum Surroundings {
    #[default]
    Dark,
    Uniform(Environment),
    /// What the file that the scene was read from says of image-based lights: not evaluated, and written as it was
    /// read.
    Kept,
}
