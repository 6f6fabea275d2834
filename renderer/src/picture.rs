//! What was drawn: planes for those who compute, a PNG for people.

use crate::WHITE_CD_M2;
use crate::shot::Pass;
use scene_document::Baked;
use scene_probe::{AdapterInfo, RenderError};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// Row-major from the top-left pixel.
#[derive(Debug, Clone, PartialEq)]
pub enum Pixels {
    /// Beauty.
    Srgb(Vec<[u8; 3]>),
    /// Hdr: cd/m², 0 where nothing is. Albedo: linear, 0 to 1. Normal: world space, −1 to 1, zero where nothing is.
    Linear(Vec<[f32; 3]>),
    /// Metres along the view axis; +∞ where nothing is.
    DepthM(Vec<f32>),
    /// 0 where nothing is, else 1 + index into the baked meshes.
    Ids(Vec<u32>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LitBy {
    /// Its own lights.
    Scene,
    /// The scene has no light, so it is lit by those of a studio, fixed to the camera.
    Studio,
}

#[derive(Debug, Clone)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub pass: Pass,
    pub pixels: Pixels,
    pub lit_by: LitBy,
    pub adapter: Arc<AdapterInfo>,
    /// What could not be drawn, such as lights past a limit.
    pub notes: Vec<String>,
}

impl LitBy {
    pub(crate) fn of(scene: &Baked) -> Self {
        if scene.lights.is_empty() { Self::Studio } else { Self::Scene }
    }
}

impl fmt::Display for LitBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scene => "by the scene's lights",
            Self::Studio => "by studio lights: the scene has none",
        })
    }
}

/// Alpha where a fact is shown; the background has 1, and what was never drawn 0.
const SHOWN: f32 = 2.0;

impl Pixels {
    /// # Errors
    /// `Device` where nothing was drawn at all.
    pub(crate) fn read(pass: Pass, bytes: &[u8]) -> Result<Self, RenderError> {
        if pass == Pass::Beauty {
            let (pixels, _) = bytes.as_chunks::<4>();
            drawn(pixels.iter().all(|[.., alpha]| *alpha > 0))?;
            return Ok(Self::Srgb(pixels.iter().map(|[red, green, blue, _]| [*red, *green, *blue]).collect()));
        }
        let values: Vec<f32> = bytemuck::pod_collect_to_vec(bytes);
        let (pixels, _) = values.as_chunks::<4>();
        drawn(pixels.iter().all(|[.., alpha]| *alpha > 0.0))?;
        Ok(match pass {
            Pass::Beauty | Pass::Hdr => Self::Linear(pixels.iter().map(luminance_cd_m2).collect()),
            Pass::Albedo | Pass::Normal => Self::Linear(pixels.iter().map(|[x, y, z, _]| [*x, *y, *z]).collect()),
            Pass::Depth => {
                let depth_m = |bits: Option<u32>| bits.map_or(f32::INFINITY, f32::from_bits);
                Self::DepthM(pixels.iter().map(|pixel| depth_m(bits(pixel))).collect())
            }
            Pass::Id => Self::Ids(pixels.iter().map(|pixel| bits(pixel).unwrap_or(0)).collect()),
        })
    }
}

fn drawn(everywhere: bool) -> Result<(), RenderError> {
    if everywhere { Ok(()) } else { Err(RenderError::Device { what: "nothing was drawn".to_owned() }) }
}

/// Half floats end at 65504; brighter is infinite, and no light is not a number.
fn luminance_cd_m2([red, green, blue, _]: &[f32; 4]) -> [f32; 3] {
    const MOST: f32 = 65504.0;
    [*red, *green, *blue].map(|value| if value.is_nan() { 0.0 } else { value.clamp(0.0, MOST) * WHITE_CD_M2 as f32 })
}

/// 32 bits of three digits to the base 2048, lowest first; `None` where nothing is.
fn bits([low, middle, high, alpha]: &[f32; 4]) -> Option<u32> {
    (*alpha == SHOWN).then_some(*low as u32 | (*middle as u32) << 11 | (*high as u32) << 22)
}

impl Picture {
    /// For people: light is clipped at the white of the exposure, each id has a colour, the nearest depth is white.
    #[must_use]
    pub fn rgb(&self) -> Vec<[u8; 3]> {
        match &self.pixels {
            Pixels::Srgb(pixels) => pixels.clone(),
            Pixels::Linear(pixels) => pixels.iter().map(|pixel| self.linear_rgb(*pixel)).collect(),
            Pixels::DepthM(depth_m) => depth_rgb(depth_m),
            Pixels::Ids(ids) => ids.iter().map(|id| id_rgb(*id)).collect(),
        }
    }

    fn linear_rgb(&self, pixel: [f32; 3]) -> [u8; 3] {
        match self.pass {
            Pass::Normal if pixel == [0.0; 3] => [0; 3],
            Pass::Normal => pixel.map(|part| byte(f64::from(part) / 2.0 + 0.5)),
            Pass::Hdr => pixel.map(|part| byte(srgb(f64::from(part) / WHITE_CD_M2))),
            _ => pixel.map(|part| byte(srgb(f64::from(part)))),
        }
    }

    /// A PNG of `rgb`, with the adapter and the lighting in its text.
    ///
    /// # Errors
    /// As the encoder's.
    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let software = concat!("Maquette ", env!("CARGO_PKG_VERSION"), ", Bevy 0.19.1");
        let (pass, adapter, lit) = (self.pass.to_string(), self.adapter.to_string(), self.lit_by.to_string());
        let text = [("Software", software), ("Pass", &pass), ("Adapter", &adapter), ("Lit", &lit)];
        png_rgb(self.width, self.height, &self.rgb(), &text)
    }
}

/// The nearest is white, the farthest dark grey; black is nothing.
fn depth_rgb(depth_m: &[f32]) -> Vec<[u8; 3]> {
    let seen = || depth_m.iter().copied().filter(|depth_m| depth_m.is_finite());
    let nearest = seen().fold(f32::INFINITY, f32::min);
    let range = (seen().fold(0.0, f32::max) - nearest).max(f32::MIN_POSITIVE);
    let grey = |depth_m: f32| byte(1.0 - 0.8 * f64::from((depth_m - nearest) / range));
    depth_m.iter().map(|depth_m| if depth_m.is_finite() { [grey(*depth_m); 3] } else { [0; 3] }).collect()
}

/// None of the colours is dark; black is nothing.
fn id_rgb(id: u32) -> [u8; 3] {
    // Knuth's multiplicative hash: neighbours get distant colours.
    let [red, green, blue, _] = id.wrapping_mul(2_654_435_769).to_be_bytes();
    if id == 0 { [0; 3] } else { [red, green, blue].map(|part| 64 + part / 4 * 3) }
}

/// IEC 61966-2-1.
fn srgb(linear: f64) -> f64 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * libm::pow(linear, 1.0 / 2.4) - 0.055 }
}

fn byte(share: f64) -> u8 {
    (share.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// An 8-bit sRGB PNG, `pixels` row-major from the top-left; `text` are keywords and Latin-1 texts.
///
/// # Errors
/// As the encoder's, among them another number of pixels than `width` · `height`.
pub fn png_rgb(
    width: u32,
    height: u32,
    pixels: &[[u8; 3]],
    text: &[(&str, &str)],
) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    for (keyword, text) in text {
        encoder.add_text_chunk((*keyword).to_owned(), (*text).to_owned())?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels.as_flattened())?;
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use scene_probe::AdapterKind;

    fn picture(pass: Pass, pixels: Pixels) -> Picture {
        let adapter = AdapterInfo {
            name: "a card".to_owned(),
            kind: AdapterKind::Gpu,
            backend: "Vulkan".to_owned(),
            driver: String::new(),
            driver_info: String::new(),
        };
        let adapter = Arc::new(adapter);
        Picture { width: 2, height: 1, pass, pixels, lit_by: LitBy::Studio, adapter, notes: vec![] }
    }

    /// As the shader writes 32 bits.
    fn digits(bits: u32) -> [f32; 4] {
        [(bits & 2047) as f32, ((bits >> 11) & 2047) as f32, (bits >> 22) as f32, SHOWN]
    }

    #[test]
    fn digits_are_read_back_whole() {
        let background = [0.0, 0.0, 0.0, 1.0];
        let bits = [1, 2047, 2048, 0x7f7f_ffff, u32::MAX];
        let pixels: Vec<[f32; 4]> = bits.iter().map(|bits| digits(*bits)).chain([background]).collect();
        let ids = Pixels::read(Pass::Id, bytemuck::cast_slice(&pixels)).unwrap();
        assert_eq!(ids, Pixels::Ids(bits.into_iter().chain([0]).collect()));
        let pixels = [digits(1.25_f32.to_bits()), background];
        let depth = Pixels::read(Pass::Depth, bytemuck::cast_slice(&pixels)).unwrap();
        assert_eq!(depth, Pixels::DepthM(vec![1.25, f32::INFINITY]));
    }

    #[test]
    fn what_was_never_drawn_is_no_picture() {
        for pass in Pass::ALL {
            assert!(matches!(Pixels::read(pass, &[0; 64]), Err(RenderError::Device { .. })), "{pass}");
        }
    }

    #[test]
    fn light_is_finite_and_in_candela_per_square_metre() {
        let pixels = [[0.5, f32::INFINITY, f32::NAN, 1.0]];
        let light = Pixels::read(Pass::Hdr, bytemuck::cast_slice(&pixels)).unwrap();
        assert_eq!(light, Pixels::Linear(vec![[50.0, 6_550_400.0, 0.0]]));
    }

    #[test]
    fn people_see_white_where_light_is_white_and_where_depth_is_nearest() {
        let hdr = picture(Pass::Hdr, Pixels::Linear(vec![[1e6, 100.0, 0.0], [21.22; 3]]));
        assert_eq!(hdr.rgb(), [[255, 255, 0], [127; 3]]);
        let depth = picture(Pass::Depth, Pixels::DepthM(vec![2.0, f32::INFINITY]));
        assert_eq!(depth.rgb(), [[255; 3], [0; 3]]);
        let normal = picture(Pass::Normal, Pixels::Linear(vec![[0.0, 0.0, 1.0], [0.0; 3]]));
        assert_eq!(normal.rgb(), [[128, 128, 255], [0; 3]]);
        let ids = picture(Pass::Id, Pixels::Ids(vec![1, 2])).rgb();
        assert!(ids[0] != ids[1] && ids.iter().flatten().all(|part| *part >= 64));
    }

    #[test]
    fn the_file_says_what_drew_it() {
        let file = picture(Pass::Beauty, Pixels::Srgb(vec![[1, 2, 3], [4, 5, 6]])).png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        let text = |keyword: &str| {
            let found = reader.info().uncompressed_latin1_text.iter().find(|text| text.keyword == keyword);
            found.unwrap().text.clone()
        };
        assert!(text("Software").starts_with("Maquette "));
        assert_eq!(text("Adapter"), "a card, Vulkan, GPU");
        assert!(text("Lit").contains("studio"));
        let mut pixels = [0; 6];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, [1, 2, 3, 4, 5, 6]);
        assert!(png_rgb(2, 2, &[[0; 3]; 3], &[]).is_err());
    }
}
