//! Every tolerance of the tools.

/// Geometric tolerances of tools and consequences; those of the measures themselves are `geometry_checks::Tolerances`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tolerances {
    /// Metres around a change within which objects may have lost their support (0.010).
    pub(crate) near_m: f64,
    /// Metres below which two points are the same, so that no direction leads from one to the other (1e-6).
    pub(crate) coincident_m: f64,
    /// |cos| of two axes below which they count as perpendicular (1e-9).
    pub(crate) perpendicular: f64,
    /// Sine of the angle to the up axis below which a view looks straight up or down (1e-6).
    pub(crate) vertical: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self { near_m: 0.010, coincident_m: 1e-6, perpendicular: 1e-9, vertical: 1e-6 }
    }
}
