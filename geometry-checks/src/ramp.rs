//! Grades that fall without a cliff.

/// 1 up to `full`, 0 from `none` on, linear between the two.
pub(crate) fn ramp(value: f64, full: f64, none: f64) -> f64 {
    (1.0 - (value - full) / (none - full)).clamp(0.0, 1.0)
}
