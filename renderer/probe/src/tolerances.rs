//! Every tolerance of the probe; those that the reference rasteriser has too are the same.

/// Typical values are the defaults.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tolerances {
    /// A blended surface with less alpha than this is not there.
    pub(crate) invisible_alpha: f64,
    /// A perspective near plane is never closer than this, metres.
    pub(crate) least_near_m: f64,
    /// Room that an orthographic view leaves before and behind the scene, as a share of its size and of its distance
    /// from the origin, so that rounding clips nothing.
    pub(crate) room: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self { invisible_alpha: 0.05, least_near_m: 1e-6, room: 1e-3 }
    }
}
