//! PNG files.

use png::{BitDepth, ColorType, Encoder, EncodingError, SrgbRenderingIntent};

#[derive(Debug, thiserror::Error)]
pub enum PngError {
    #[error("{given} pixels were given for a picture of {width} × {height}")]
    PixelCount { given: usize, width: u32, height: u32 },
    #[error("the picture could not be encoded: {0}")]
    Encode(#[from] EncodingError),
}

/// 8-bit sRGB; `text` are keywords and Latin-1 texts.
///
/// # Errors
/// `PixelCount` for another number of pixels than `width` · `height`; `Encode` for a picture without pixels, and for a
/// text that PNG does not allow.
pub fn png(width: u32, height: u32, pixels: &[[u8; 3]], text: &[(&str, &str)]) -> Result<Vec<u8>, PngError> {
    count(width, height, pixels.len())?;
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    for (keyword, text) in text {
        encoder.add_text_chunk((*keyword).to_owned(), (*text).to_owned())?;
    }
    finish(encoder, pixels.as_flattened())?;
    Ok(file)
}

/// 16-bit grey: numbers rather than brightness.
///
/// # Errors
/// As `png`.
pub fn grey_png(width: u32, height: u32, pixels: &[u16]) -> Result<Vec<u8>, PngError> {
    count(width, height, pixels.len())?;
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Sixteen);
    finish(encoder, &pixels.iter().flat_map(|pixel| pixel.to_be_bytes()).collect::<Vec<u8>>())?;
    Ok(file)
}

fn count(width: u32, height: u32, given: usize) -> Result<(), PngError> {
    let fits = given as u64 == u64::from(width) * u64::from(height);
    if fits { Ok(()) } else { Err(PngError::PixelCount { given, width, height }) }
}

fn finish(encoder: Encoder<'_, &mut Vec<u8>>, samples: &[u8]) -> Result<(), EncodingError> {
    let mut writer = encoder.write_header()?;
    writer.write_image_data(samples)?;
    writer.finish()
}
