//! What is compared, as numbers and as PNG files: colours, node ids (24-bit RGB) and depths (16-bit grey).

use super::GoldenError;
use png::{BitDepth, ColorType};
use scene_picture::{PngError, exact_ids, grey_png, png};
use std::io::Cursor;
use std::path::Path;

/// Row-major from the top left, `width` · `height` values each.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Planes {
    pub(super) width: u32,
    pub(super) height: u32,
    /// sRGB.
    pub(super) rgb: Vec<[u8; 3]>,
    /// 0 nothing, else 1 + index into the baked scene's meshes.
    pub(super) ids: Vec<u32>,
    /// See [`depth_code`].
    pub(super) depth: Vec<u16>,
}

/// The depth of code 1.
const LEAST_DEPTH_M: f64 = 1e-3;
/// Decades from code 1 to the last.
const DEPTH_DECADES: f64 = 8.0;
const LAST_STEP: f64 = 65534.0;
/// By how much a depth is greater than that of the code before it, relative.
pub(super) const DEPTH_STEP_RELATIVE: f64 = DEPTH_DECADES * std::f64::consts::LN_10 / LAST_STEP;

/// Logarithmic, so that a code means the same relative accuracy near and far: 1 is a millimetre or less, 65535 is
/// 100 km or more, 0 is nothing (+∞).
pub(super) fn depth_code(depth_m: f32) -> u16 {
    if !depth_m.is_finite() {
        return 0;
    }
    let decades = libm::log10(f64::from(depth_m).max(LEAST_DEPTH_M) / LEAST_DEPTH_M);
    1 + (LAST_STEP * (decades / DEPTH_DECADES).min(1.0)).round() as u16
}

/// The three files: colours, ids, depths.
pub(super) struct Pngs {
    pub(super) beauty: Vec<u8>,
    pub(super) ids: Vec<u8>,
    pub(super) depth: Vec<u8>,
}

impl Planes {
    pub(super) fn encode(&self) -> Result<Pngs, PngError> {
        let (width, height) = (self.width, self.height);
        Ok(Pngs {
            beauty: png(width, height, &self.rgb, &[])?,
            ids: png(width, height, &exact_ids(&self.ids), &[])?,
            depth: grey_png(width, height, &self.depth)?,
        })
    }
}

type Format = (ColorType, BitDepth);
const RGB: Format = (ColorType::Rgb, BitDepth::Eight);
const GREY: Format = (ColorType::Grayscale, BitDepth::Sixteen);

/// `path` is for the errors: `Undecodable`, `WrongSize`.
pub(super) fn decode_rgb(path: &Path, file: &[u8], size: (u32, u32)) -> Result<Vec<[u8; 3]>, GoldenError> {
    Ok(samples(path, file, RGB, size)?.as_chunks::<3>().0.to_vec())
}

pub(super) fn decode_ids(path: &Path, file: &[u8], size: (u32, u32)) -> Result<Vec<u32>, GoldenError> {
    let pixels = decode_rgb(path, file, size)?;
    Ok(pixels.into_iter().map(|[high, middle, low]| u32::from_be_bytes([0, high, middle, low])).collect())
}

pub(super) fn decode_depth(path: &Path, file: &[u8], size: (u32, u32)) -> Result<Vec<u16>, GoldenError> {
    let pixels = samples(path, file, GREY, size)?;
    Ok(pixels.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect())
}

/// The size is compared before anything of that size is allocated.
fn samples(path: &Path, file: &[u8], format: Format, size: (u32, u32)) -> Result<Vec<u8>, GoldenError> {
    let undecodable = |what: String| GoldenError::Undecodable { path: path.into(), what };
    let mut decoder = png::Decoder::new(Cursor::new(file));
    let given = decoder.read_header_info().map_err(|error| undecodable(error.to_string()))?.size();
    if given != size {
        return Err(GoldenError::WrongSize { path: path.into(), given, wanted: size });
    }
    let mut reader = decoder.read_info().map_err(|error| undecodable(error.to_string()))?;
    let found = reader.output_color_type();
    if found != format {
        return Err(undecodable(format!("its pixels are {found:?} instead of {format:?}")));
    }
    let mut samples = vec![0; reader.output_buffer_size().unwrap_or(0)];
    reader.next_frame(&mut samples).map_err(|error| undecodable(error.to_string()))?;
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planes() -> Planes {
        Planes {
            width: 3,
            height: 2,
            rgb: vec![[1, 2, 3], [255, 0, 7], [0; 3], [9, 8, 7], [4, 5, 6], [200, 100, 50]],
            ids: vec![0, 1, 255, 256, 70_000, 0x00ff_ffff],
            depth: vec![0, 1, 255, 256, 40_000, 65_535],
        }
    }

    #[test]
    fn files_give_back_what_they_were_made_of() {
        let (planes, path, size) = (planes(), Path::new("x.png"), (3, 2));
        let files = planes.encode().unwrap();
        assert_eq!(decode_rgb(path, &files.beauty, size).unwrap(), planes.rgb);
        assert_eq!(decode_ids(path, &files.ids, size).unwrap(), planes.ids);
        assert_eq!(decode_depth(path, &files.depth, size).unwrap(), planes.depth);
    }

    #[test]
    fn a_picture_of_another_size_or_kind_is_told_from_a_broken_one() {
        let (files, path) = (planes().encode().unwrap(), Path::new("x.png"));
        let turned = decode_rgb(path, &files.beauty, (2, 3));
        assert!(matches!(turned, Err(GoldenError::WrongSize { given: (3, 2), wanted: (2, 3), .. })));
        let undecodable = |file: &[u8]| {
            let refused = decode_depth(path, file, (3, 2));
            assert!(matches!(refused, Err(GoldenError::Undecodable { .. })), "{refused:?}");
        };
        undecodable(&files.beauty);
        undecodable(&files.depth[..files.depth.len() - 20]);
        undecodable(b"not a picture");
        undecodable(&[]);
    }

    #[test]
    fn depth_codes_keep_order_and_a_third_of_a_thousandth() {
        assert_eq!([f32::INFINITY, f32::NAN].map(depth_code), [0, 0]);
        assert_eq!([-1.0, 0.0, 0.001, 1e5, 1e30].map(depth_code), [1, 1, 1, 65_535, 65_535]);
        for depth_m in [0.01_f32, 0.5, 3.0, 250.0, 40_000.0] {
            let code = depth_code(depth_m);
            assert_eq!(depth_code(depth_m * (1.0 + 3.0 * DEPTH_STEP_RELATIVE as f32)), code + 3);
        }
        const { assert!(DEPTH_STEP_RELATIVE < 1e-3 / 3.0) };
    }
}
