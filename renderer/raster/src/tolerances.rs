//! Every tolerance of the rasteriser.

/// Typical values are the defaults.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tolerances {
    /// A blended surface with less alpha than this is not there: neither drawn nor casting a shadow.
    pub(crate) invisible_alpha: f64,
    /// A perspective near plane is never closer than this, metres.
    pub(crate) least_near_m: f64,
    /// A shadow ray starts this far above the surface, metres; absolute, so that nothing far away changes a shadow.
    pub(crate) shadow_offset_m: f64,
    /// How far outside a triangle, in barycentric units, a shadow ray still hits it, so that none slips through the
    /// edge that two triangles share.
    pub(crate) shadow_edge_slack: f64,
    /// The inverse-square law is not followed closer to a light than this, metres.
    pub(crate) least_light_distance_m: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self {
            invisible_alpha: 0.05,
            least_near_m: 1e-6,
            shadow_offset_m: 1e-6,
            shadow_edge_slack: 1e-9,
            least_light_distance_m: 1e-4,
        }
    }
}
