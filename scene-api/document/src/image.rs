//! Image files that textures show: PNG and JPEG, their bytes kept as they were given.

use serde::Serialize;
use std::fmt;

/// Of images that edits bring; files that are read may hold larger ones.
const SIDE_PX_MAX: u32 = 2048;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum MediaType {
    #[serde(rename = "image/png")]
    Png,
    #[serde(rename = "image/jpeg")]
    Jpeg,
}

impl MediaType {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
        }
    }
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ImageError {
    #[error("neither a PNG nor a JPEG file")]
    UnknownFormat,
    #[error("not a whole {} file: {what}", .media_type.name())]
    Broken { media_type: MediaType, what: String },
    #[error("a kind of {} file that is not read: {what}", .media_type.name())]
    Unsupported { media_type: MediaType, what: String },
    #[error("the image has {width} × {height} pixels; at most {most} a side are allowed")]
    TooLarge { width: u32, height: u32, most: u32 },
    /// Of a recipe; `what` is its member.
    #[error("{what} is {given}; allowed: {allowed}")]
    OutOfRange { what: &'static str, given: f64, allowed: &'static str },
}

/// An image file, with the size that its header says.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    media_type: MediaType,
    size_px: [u32; 2],
    bytes: Vec<u8>,
    digest: [u8; 32],
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [width, height] = self.size_px;
        write!(f, "Image({}, {width} × {height}, {} bytes)", self.media_type.name(), self.bytes.len())
    }
}

impl Image {
    /// The file is decoded to its end.
    ///
    /// # Errors
    /// `UnknownFormat`, `Broken`, `Unsupported`, and `TooLarge` for more than 2048 pixels a side.
    pub fn new(bytes: Vec<u8>) -> Result<Self, ImageError> {
        let image = Self::by_header(bytes)?;
        let [width, height] = image.size_px;
        if width.max(height) > SIDE_PX_MAX {
            return Err(ImageError::TooLarge { width, height, most: SIDE_PX_MAX });
        }
        image.rgba8()?;
        Ok(image)
    }

    /// Of any size; what comes after the header is looked at when its pixels are wanted.
    pub(crate) fn by_header(bytes: Vec<u8>) -> Result<Self, ImageError> {
        let (media_type, size) = header(&bytes).ok_or(ImageError::UnknownFormat)?;
        let size_px = size.map_err(|what| ImageError::Broken { media_type, what: what.into() })?;
        let digest = *blake3::hash(&bytes).as_bytes();
        Ok(Self { media_type, size_px, bytes, digest })
    }

    #[must_use]
    pub fn media_type(&self) -> MediaType {
        self.media_type
    }

    /// Width and height.
    #[must_use]
    pub fn size_px(&self) -> [u32; 2] {
        self.size_px
    }

    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// BLAKE3 of the bytes.
    #[must_use]
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }
}

/// The file ended too early.
pub(crate) const CUT: &str = "it ends too early";

/// What an image file says at its beginning: its format, and its width and height or why they are not there. `None` for
/// other formats than PNG and JPEG.
pub(crate) fn header(bytes: &[u8]) -> Option<(MediaType, Result<[u32; 2], &'static str>)> {
    if bytes.starts_with(b"\x89PNG\r\n\x1A\n") {
        Some((MediaType::Png, png_size(bytes).and_then(not_empty)))
    } else if bytes.starts_with(b"\xFF\xD8") {
        Some((MediaType::Jpeg, jpeg_size(bytes).and_then(not_empty)))
    } else {
        None
    }
}

fn not_empty(size_px: [u32; 2]) -> Result<[u32; 2], &'static str> {
    if size_px.contains(&0) { Err("it has no pixels") } else { Ok(size_px) }
}

/// PNG 3rd edition §11.2.1: IHDR comes first, width and height in it.
fn png_size(bytes: &[u8]) -> Result<[u32; 2], &'static str> {
    let word = |at: usize| bytes.get(at..)?.first_chunk::<4>().map(|word| u32::from_be_bytes(*word));
    let (Some(width), Some(height)) = (word(16), word(20)) else { return Err(CUT) };
    if bytes.get(12..16) == Some(b"IHDR") { Ok([width, height]) } else { Err("its first chunk is not IHDR") }
}

/// ITU-T T.81 §B.1.1: segments up to the frame header, which has height and width.
fn jpeg_size(bytes: &[u8]) -> Result<[u32; 2], &'static str> {
    let mut rest = bytes.get(2..).unwrap_or_default();
    loop {
        let [mark, kind, after @ ..] = rest else { return Err(CUT) };
        if *mark != 0xFF {
            return Err("a marker is missing");
        }
        match *kind {
            // A fill byte.
            0xFF => rest = rest.get(1..).unwrap_or_default(),
            // Markers without a segment.
            0x01 | 0xD0..=0xD8 => rest = after,
            0xD9 | 0xDA => return Err("it has no frame header"),
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                let Some([_, _, _, height @ .., width_high, width_low]) = after.first_chunk::<7>() else {
                    return Err(CUT);
                };
                let side = |bytes: [u8; 2]| u32::from(u16::from_be_bytes(bytes));
                return Ok([side([*width_high, *width_low]), side(*height)]);
            }
            _ => {
                let length = after.first_chunk::<2>().map(|length| usize::from(u16::from_be_bytes(*length)));
                rest = after.get(length.filter(|length| *length >= 2).ok_or(CUT)?..).ok_or(CUT)?;
            }
        }
    }
}
