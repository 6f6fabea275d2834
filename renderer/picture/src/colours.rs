//! A colour for each value.

/// A colour for each id, none of them dark; id 0 is nothing.
#[must_use]
pub fn ids(ids: &[u32]) -> Vec<[u8; 3]> {
    let colour = |id: &u32| {
        // Knuth's multiplicative hash: neighbouring ids get distant colours.
        let [red, green, blue, _] = id.wrapping_mul(2_654_435_769).to_be_bytes();
        if *id == 0 { [0; 3] } else { [red, green, blue].map(|part| 64 + part / 4 * 3) }
    };
    ids.iter().map(colour).collect()
}

/// The ids themselves as 24-bit numbers, red the highest byte. For programs; ids from 2^24 on lose their highest byte.
#[must_use]
pub fn exact_ids(ids: &[u32]) -> Vec<[u8; 3]> {
    let bytes = |id: &u32| {
        let [_, red, green, blue] = id.to_be_bytes();
        [red, green, blue]
    };
    ids.iter().map(bytes).collect()
}

/// The nearest depth is white, the farthest dark grey; +∞ is nothing.
#[must_use]
pub fn depths(depth_m: &[f32]) -> Vec<[u8; 3]> {
    let seen = || depth_m.iter().copied().filter(|depth_m| depth_m.is_finite());
    let nearest = seen().fold(f32::INFINITY, f32::min);
    // Where all is equally deep, all is nearest.
    let range = (seen().fold(0.0, f32::max) - nearest).max(f32::MIN_POSITIVE);
    let grey = |depth_m: f32| byte(1.0 - 0.8 * f64::from((depth_m - nearest) / range));
    depth_m.iter().map(|depth_m| if depth_m.is_finite() { [grey(*depth_m); 3] } else { [0; 3] }).collect()
}

/// Unit vectors, −1…1 to 0…255 per axis; the zero vector is nothing.
#[must_use]
pub fn normals(normals: &[[f32; 3]]) -> Vec<[u8; 3]> {
    let colour = |normal: &[f32; 3]| {
        if *normal == [0.0; 3] { [0; 3] } else { normal.map(|part| byte(f64::from(part) / 2.0 + 0.5)) }
    };
    normals.iter().map(colour).collect()
}

/// Linear light in cd/m² as a camera of fixed exposure shows it: clipped at `white_cd_m2`, then the sRGB curve.
#[must_use]
pub fn light(rgb_cd_m2: &[[f32; 3]], white_cd_m2: f64) -> Vec<[u8; 3]> {
    rgb_cd_m2.iter().map(|rgb| rgb.map(|part| byte(srgb(f64::from(part) / white_cd_m2)))).collect()
}

/// Linear base colours, 0 to 1, through the sRGB curve.
#[must_use]
pub fn albedo(rgb: &[[f32; 3]]) -> Vec<[u8; 3]> {
    light(rgb, 1.0)
}

/// IEC 61966-2-1.
fn srgb(linear: f64) -> f64 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * libm::pow(linear, 1.0 / 2.4) - 0.055 }
}

fn byte(share: f64) -> u8 {
    (share.clamp(0.0, 1.0) * 255.0).round() as u8
}
