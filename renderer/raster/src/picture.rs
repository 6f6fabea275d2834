//! Planes as pictures for people. They are the reference rasteriser's, and say so in the PNG.

use crate::frame::Frame;
use crate::light::Lit;
use crate::shade::Shade;

#[derive(Debug, thiserror::Error)]
pub enum PngError {
    #[error("{given} pixels were given for a picture of {width} × {height}")]
    PixelCount { given: usize, width: u32, height: u32 },
    #[error("the picture could not be encoded: {0}")]
    Encode(#[from] png::EncodingError),
}

/// An 8-bit sRGB PNG; `pixels` row-major from the top-left. Fails on a picture without pixels.
pub fn png_rgb(width: u32, height: u32, pixels: &[[u8; 3]]) -> Result<Vec<u8>, PngError> {
    if pixels.len() as u64 != u64::from(width) * u64::from(height) {
        return Err(PngError::PixelCount { given: pixels.len(), width, height });
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.add_text_chunk("Software".into(), "Maquette reference rasteriser".into())?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels.as_flattened())?;
    writer.finish()?;
    Ok(bytes)
}

/// A grey that no object is likely to have and no light explains.
const NOTHING: [u8; 3] = [96; 3];

/// The light of a frame as a camera of fixed exposure shows it: linear up to `white_cd_m2`, clipped there, then the
/// sRGB curve. Grey is nothing.
#[must_use]
pub fn tonemapped(lit: &Lit, frame: &Frame, white_cd_m2: f64) -> Vec<[u8; 3]> {
    let channel = |value: f32| byte(srgb((f64::from(value) / white_cd_m2).clamp(0.0, 1.0)));
    let colour = |(rgb, mesh): (&[f32; 3], &u32)| if *mesh == 0 { NOTHING } else { rgb.map(channel) };
    lit.rgb.iter().zip(&frame.mesh).map(colour).collect()
}

/// One colour per mesh, none of them dark; black is nothing.
#[must_use]
pub fn id_picture(frame: &Frame) -> Vec<[u8; 3]> {
    let colour = |id: &u32| {
        // Knuth's multiplicative hash: neighbouring ids get distant colours.
        let [red, green, blue, _] = id.wrapping_mul(2_654_435_769).to_be_bytes();
        if *id == 0 { [0; 3] } else { [red, green, blue].map(|value| 64 + value / 4 * 3) }
    };
    frame.mesh.iter().map(colour).collect()
}

/// The nearest pixel is white, the farthest dark grey; black is nothing.
#[must_use]
pub fn depth_picture(frame: &Frame) -> Vec<[u8; 3]> {
    let seen = || frame.depth_m.iter().copied().filter(|depth| depth.is_finite());
    let nearest = seen().fold(f64::INFINITY, f64::min);
    let range = seen().fold(0.0, f64::max) - nearest;
    let grey = |depth: &f64| {
        if !depth.is_finite() {
            return [0; 3];
        }
        [byte(if range > 0.0 { 1.0 - 0.8 * (depth - nearest) / range } else { 1.0 }); 3]
    };
    frame.depth_m.iter().map(grey).collect()
}

/// World normals, −1…1 to 0…255 per axis; black is nothing.
#[must_use]
pub fn normal_picture(shade: &Shade) -> Vec<[u8; 3]> {
    let colour = |normal: &[f32; 3]| {
        if *normal == [0.0; 3] { [0; 3] } else { normal.map(|value| byte(f64::from(value) * 0.5 + 0.5)) }
    };
    shade.normal.iter().map(colour).collect()
}

/// IEC 61966-2-1.
fn srgb(linear: f64) -> f64 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * libm::pow(linear, 1.0 / 2.4) - 0.055 }
}

fn byte(value: f64) -> u8 {
    (value * 255.0).round() as u8
}
