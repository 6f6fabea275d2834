//! Directions as azimuth and elevation: azimuth 0 is +Z, 90° is +X; elevation is from the ground towards +Y.

use nalgebra::Vector3;

/// Unit vector in world space.
pub(super) fn direction(azimuth_rad: f64, elevation_rad: f64) -> Vector3<f64> {
    let level = libm::cos(elevation_rad);
    Vector3::new(level * libm::sin(azimuth_rad), libm::sin(elevation_rad), level * libm::cos(azimuth_rad))
}

/// Azimuth and elevation, radians, of a vector of any length; azimuth 0 where it points straight up or down.
pub(super) fn bearing_rad(vector: &Vector3<f64>) -> (f64, f64) {
    (libm::atan2(vector.x, vector.z), libm::atan2(vector.y, libm::hypot(vector.x, vector.z)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn azimuth_goes_from_the_front_to_the_right() {
        for (azimuth_rad, elevation_rad, wanted) in [
            (0.0, 0.0, Vector3::z()),
            (FRAC_PI_2, 0.0, Vector3::x()),
            (-FRAC_PI_2, 0.0, -Vector3::x()),
            (0.0, FRAC_PI_2, Vector3::y()),
        ] {
            assert!((direction(azimuth_rad, elevation_rad) - wanted).norm() < 1e-12);
            let (azimuth, elevation) = bearing_rad(&(3.0 * wanted));
            assert!((azimuth - azimuth_rad).abs() < 1e-12 && (elevation - elevation_rad).abs() < 1e-12);
        }
    }
}
