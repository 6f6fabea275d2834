//! Images as edits bring them, whole and of a known kind, and those that recipes make.

use scene_document::{Image, ImageError, Pattern, Recipe};

const COLORS: [[f64; 3]; 2] = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];

pub(crate) fn checker() -> Image {
    Recipe { pattern: Pattern::Checker { squares: 2 }, size_px: 4, colors: COLORS }.image().unwrap()
}

/// Rows of a PNG of three 8-bit channels.
fn pixels(image: &Image) -> Vec<[u8; 3]> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(image.bytes())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    bytes.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
}

/// A grey JPEG. Each of its two Huffman tables has one code, a zero bit: no difference, and the end of the block.
pub(crate) fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = b"\xFF\xD8\xFF\xE0\x00\x04ab\xFF\xDB\x00\x43\x00".to_vec();
    bytes.extend([1; 64]);
    bytes.extend(b"\xFF\xC0\x00\x0B\x08");
    bytes.extend(height.to_be_bytes());
    bytes.extend(width.to_be_bytes());
    bytes.extend(b"\x01\x01\x11\x00");
    for table in [0x00, 0x10] {
        bytes.extend(b"\xFF\xC4\x00\x14");
        bytes.extend([table, 1]);
        bytes.extend([0; 16]);
    }
    bytes.extend(b"\xFF\xDA\x00\x08\x01\x01\x00\x00\x3F\x00");
    let blocks = usize::from(width.div_ceil(8)) * usize::from(height.div_ceil(8));
    bytes.extend(vec![0; (2 * blocks).div_ceil(8)]);
    bytes.extend(b"\xFF\xD9");
    bytes
}

#[test]
fn images_are_whole_and_of_a_known_kind() {
    let png = checker().bytes().to_vec();
    for end in 0..png.len() {
        assert!(Image::new(png[..end].to_vec()).is_err(), "cut at {end}");
    }
    let mut vast = png.clone();
    vast[16..24].copy_from_slice(&[0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60]);
    assert_eq!(Image::new(vast), Err(ImageError::TooLarge { width: 60_000, height: 60_000, most: 2048 }));
    let mut flipped = png.clone();
    flipped[45] ^= 1;
    assert!(matches!(Image::new(flipped), Err(ImageError::Broken { .. })));
    assert_eq!(Image::new(b"GIF89a".to_vec()), Err(ImageError::UnknownFormat));
    assert_eq!(Image::new(jpeg(640, 480)).unwrap().size_px(), [640, 480]);
    for end in 2..jpeg(1, 1).len() {
        assert!(matches!(Image::new(jpeg(1, 1)[..end].to_vec()), Err(ImageError::Broken { .. })), "cut at {end}");
    }
    assert!(Image::new(jpeg(0, 1)).is_err());
}

#[test]
fn recipes_are_what_they_say() {
    let (red, blue) = ([255_u8, 0, 0], [0_u8, 0, 255]);
    let rows = [[red, red, blue, blue], [red, red, blue, blue], [blue, blue, red, red], [blue, blue, red, red]];
    assert_eq!(pixels(&checker()), rows.concat());
    let gradient = Recipe { pattern: Pattern::Gradient { along_v: false }, size_px: 2, colors: COLORS };
    assert_eq!(pixels(&gradient.image().unwrap()), [red, blue, red, blue]);

    let colors = [[0.0; 3], [1.0; 3]];
    let noise = |seed| Recipe { pattern: Pattern::Noise { cells: 4, seed }, size_px: 64, colors }.image().unwrap();
    assert_eq!(noise(1), noise(1));
    assert_ne!(noise(1), noise(2));
    let greys: Vec<f64> = pixels(&noise(1)).iter().map(|pixel| f64::from(pixel[0])).collect();
    let at = |x: usize, y: usize| greys[y % 64 * 64 + x % 64];
    // Its steepest octave has 32 cells of two pixels: a step across the edge is no larger than one inside.
    let steps = |x: usize| (0..64).map(|y| (at(x, y) - at(x + 1, y)).abs()).fold(0.0, f64::max);
    let inside = (0..63).map(steps).fold(0.0, f64::max);
    assert!(steps(63) <= inside, "a seam of {} where {inside} is usual", steps(63));
    let (low, high) =
        greys.iter().fold((255.0, 0.0), |(low, high): (f64, f64), grey| (low.min(*grey), high.max(*grey)));
    assert!(low < 100.0 && high > 155.0, "{low} to {high}");

    let refused = |pattern, size_px, colors| Recipe { pattern, size_px, colors }.image().unwrap_err();
    let checker = Pattern::Checker { squares: 8 };
    for (error, named) in [
        (refused(checker, 48, COLORS), "size_px"),
        (refused(checker, 2048, COLORS), "size_px"),
        (refused(checker, 0, COLORS), "size_px"),
        (refused(checker, 4, COLORS), "squares"),
        (refused(Pattern::Noise { cells: 0, seed: 0 }, 4, COLORS), "cells"),
        (refused(checker, 8, [[0.0; 3], [0.0, f64::NAN, 0.0]]), "color_b"),
    ] {
        assert!(matches!(error, ImageError::OutOfRange { what, .. } if what == named), "{error}");
    }
}
