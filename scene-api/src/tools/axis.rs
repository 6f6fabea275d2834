//! An axis as a model names it.

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Axis {
    X,
    Y,
    Z,
}

impl Axis {
    pub(super) fn index(self) -> usize {
        self as usize
    }

    /// So far along it.
    pub(super) fn by(self, length_m: f64) -> Vector3<f64> {
        let mut by_m = Vector3::zeros();
        by_m[self.index()] = length_m;
        by_m
    }
}
