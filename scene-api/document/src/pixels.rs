//! The pixels of an image file.

use crate::{Image, ImageError, MediaType};
use jpeg_decoder::{CodingProcess, PixelFormat};
use png::{Limits, Transformations};
use std::io::Cursor;

/// Of images that are decoded, wherever they come from: it bounds the memory that one takes.
const SIDE_PX_MAX: u32 = 8192;

/// What the decoder of PNG may allocate beside the pixels.
const PNG_DECODER_BYTES: usize = 64 << 20;

impl Image {
    /// Row by row from the upper left, four bytes a pixel: red, green, blue and straight alpha as the file encodes them.
    /// Of 16 bits the upper 8 are taken; colour profiles are passed over.
    ///
    /// # Errors
    /// `Broken` for a file that is not whole, `Unsupported` for kinds of JPEG that are not read (arithmetic and lossless
    /// coding, 12 bits), `TooLarge` for more than 8192 pixels a side.
    pub fn rgba8(&self) -> Result<Vec<u8>, ImageError> {
        let [width, height] = self.size_px();
        if width.max(height) > SIDE_PX_MAX {
            return Err(ImageError::TooLarge { width, height, most: SIDE_PX_MAX });
        }
        match self.media_type() {
            MediaType::Png => of_png(self.bytes())
                .map_err(|error| ImageError::Broken { media_type: MediaType::Png, what: error.to_string() }),
            MediaType::Jpeg => of_jpeg(self.bytes(), self.size_px()),
        }
    }
}

fn of_png(bytes: &[u8]) -> Result<Vec<u8>, png::DecodingError> {
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: PNG_DECODER_BYTES });
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let mut pixels = vec![0; reader.output_buffer_size().unwrap_or(0)];
    let frame = reader.next_frame(&mut pixels)?;
    reader.finish()?;
    Ok(match frame.color_type.samples() {
        1 => each::<1>(&pixels, |[grey]| [grey, grey, grey, u8::MAX]),
        2 => each::<2>(&pixels, |[grey, alpha]| [grey, grey, grey, alpha]),
        3 => each::<3>(&pixels, |[red, green, blue]| [red, green, blue, u8::MAX]),
        _ => pixels,
    })
}

fn of_jpeg(bytes: &[u8], size_px: [u32; 2]) -> Result<Vec<u8>, ImageError> {
    let media_type = MediaType::Jpeg;
    let refused = |error: jpeg_decoder::Error| match error {
        jpeg_decoder::Error::Unsupported(feature) => {
            ImageError::Unsupported { media_type, what: format!("{feature:?}") }
        }
        error => ImageError::Broken { media_type, what: error.to_string() },
    };
    let mut decoder = jpeg_decoder::Decoder::new(bytes);
    decoder.read_info().map_err(refused)?;
    let info = decoder.info().filter(|info| [info.width, info.height].map(u32::from) == size_px);
    let Some(info) = info else {
        return Err(ImageError::Broken { media_type, what: "it has two sizes".into() });
    };
    if info.coding_process == CodingProcess::Lossless {
        return Err(ImageError::Unsupported { media_type, what: "lossless coding".into() });
    }
    let pixels = decoder.decode().map_err(refused)?;
    Ok(match info.pixel_format {
        PixelFormat::RGB24 => each::<3>(&pixels, |[red, green, blue]| [red, green, blue, u8::MAX]),
        PixelFormat::CMYK32 => each::<4>(&pixels, |[cyan, magenta, yellow, black]| {
            let [red, green, blue] = [cyan, magenta, yellow].map(|ink| unprinted(ink, black));
            [red, green, blue, u8::MAX]
        }),
        // Of 16 bits there are lossless ones only.
        PixelFormat::L8 | PixelFormat::L16 => each::<1>(&pixels, |[grey]| [grey, grey, grey, u8::MAX]),
    })
}

/// What two inks, one of them black, leave of white.
fn unprinted(ink: u8, black: u8) -> u8 {
    let product = u32::from(u8::MAX - ink) * u32::from(u8::MAX - black);
    // At most 255, so nothing is lost.
    ((product + 127) / 255) as u8
}

fn each<const N: usize>(pixels: &[u8], rgba: impl Fn([u8; N]) -> [u8; 4]) -> Vec<u8> {
    pixels.as_chunks::<N>().0.iter().flat_map(|pixel| rgba(*pixel)).collect()
}
