//! The pixels of each pass from the bytes of the target, as `material.wgsl` and Bevy write them.

use crate::WHITE_CD_M2;
use crate::picture::Pixels;
use crate::shot::Pass;
use scene_probe::RenderError;

/// The shader's alpha of a fact. The background has 1, and what was never drawn has 0.
const FACT_ALPHA: f32 = 2.0;
/// The largest half float.
const LARGEST: f32 = 65504.0;

/// `bytes` are RGBA, row-major without padding: sRGB bytes for beauty, f32 for the other passes.
///
/// # Errors
/// `Device` where a pixel was never drawn.
pub(crate) fn decode(pass: Pass, bytes: &[u8]) -> Result<Pixels, RenderError> {
    if pass == Pass::Beauty {
        let (pixels, _) = bytes.as_chunks::<4>();
        drawn(pixels.iter().all(|[.., alpha]| *alpha > 0))?;
        return Ok(Pixels::Srgb(pixels.iter().map(|[red, green, blue, _]| [*red, *green, *blue]).collect()));
    }
    let values: Vec<f32> = bytemuck::pod_collect_to_vec(bytes);
    let (pixels, _) = values.as_chunks::<4>();
    drawn(pixels.iter().all(|[.., alpha]| *alpha > 0.0))?;
    Ok(match pass {
        Pass::Beauty | Pass::Hdr => Pixels::Linear(pixels.iter().map(rgb_cd_m2).collect()),
        Pass::Albedo | Pass::Normal => Pixels::Linear(pixels.iter().map(|[x, y, z, _]| [*x, *y, *z]).collect()),
        Pass::Depth => {
            let depth_m = |bits: Option<u32>| bits.map_or(f32::INFINITY, f32::from_bits);
            Pixels::DepthM(pixels.iter().map(|pixel| depth_m(bits(pixel))).collect())
        }
        Pass::Id => Pixels::Ids(pixels.iter().map(|pixel| bits(pixel).unwrap_or(0)).collect()),
    })
}

fn drawn(everywhere: bool) -> Result<(), RenderError> {
    if everywhere { Ok(()) } else { Err(RenderError::Device { what: "nothing was drawn".to_owned() }) }
}

/// Of exposed light, whose 1.0 is white. Bevy adds it up in half floats, where too much of it is infinite and infinite
/// light times 0 is not a number.
fn rgb_cd_m2([red, green, blue, _]: &[f32; 4]) -> [f32; 3] {
    [*red, *green, *blue].map(|part| if part.is_nan() { 0.0 } else { part.clamp(0.0, LARGEST) * WHITE_CD_M2 as f32 })
}

/// 32 bits from three digits to the base 2048, lowest first; `None` where nothing is.
fn bits([low, middle, high, alpha]: &[f32; 4]) -> Option<u32> {
    (*alpha == FACT_ALPHA).then_some(*low as u32 | (*middle as u32) << 11 | (*high as u32) << 22)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the shader writes 32 bits.
    fn digits(bits: u32) -> [f32; 4] {
        [(bits & 2047) as f32, ((bits >> 11) & 2047) as f32, (bits >> 22) as f32, FACT_ALPHA]
    }

    #[test]
    fn digits_are_read_back_whole() {
        let background = [0.0, 0.0, 0.0, 1.0];
        let bits = [1, 2047, 2048, 0x7f7f_ffff, u32::MAX];
        let pixels: Vec<[f32; 4]> = bits.iter().map(|bits| digits(*bits)).chain([background]).collect();
        let ids = decode(Pass::Id, bytemuck::cast_slice(&pixels)).unwrap();
        assert_eq!(ids, Pixels::Ids(bits.into_iter().chain([0]).collect()));
        let pixels = [digits(1.25_f32.to_bits()), background];
        let depth = decode(Pass::Depth, bytemuck::cast_slice(&pixels)).unwrap();
        assert_eq!(depth, Pixels::DepthM(vec![1.25, f32::INFINITY]));
    }

    #[test]
    fn what_was_never_drawn_is_no_picture() {
        for pass in Pass::ALL {
            assert!(matches!(decode(pass, &[0; 64]), Err(RenderError::Device { .. })), "{pass}");
        }
    }

    #[test]
    fn light_is_finite_and_in_candela_per_square_metre() {
        let pixels = [[0.5, f32::INFINITY, f32::NAN, 1.0]];
        let light = decode(Pass::Hdr, bytemuck::cast_slice(&pixels)).unwrap();
        assert_eq!(light, Pixels::Linear(vec![[50.0, 6_550_400.0, 0.0]]));
    }
}
