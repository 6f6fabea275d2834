//! Images made from a few numbers: the same pixels on every machine, by whole numbers, f64 sums and products.

use crate::{Image, ImageError};
use png::{BitDepth, ColorType, Encoder, EncodingError};

const SIZE_PX_MAX: u32 = 1024;

/// Of noise, each twice as fine and half as strong as the one before.
const OCTAVES: u32 = 4;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recipe {
    pub pattern: Pattern,
    /// Of each side: a power of two, 1 to 1024.
    pub size_px: u32,
    /// Red, green and blue as stored, each in [0, 1]: sRGB-encoded for a base colour or an emission, plain numbers
    /// elsewhere.
    pub colors: [[f64; 3]; 2],
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pattern {
    /// So many squares along each side, the first colour in the corner u = v = 0.
    Checker { squares: u32 },
    /// From the first colour to the second as u grows, or as v grows (downwards).
    Gradient { along_v: bool },
    /// Mixed by value noise on a lattice of so many cells along each side, without a seam where the image repeats.
    Noise { cells: u32, seed: u32 },
}

impl Recipe {
    /// A PNG of three 8-bit channels.
    ///
    /// # Errors
    /// `OutOfRange`.
    pub fn image(&self) -> Result<Image, ImageError> {
        self.check()?;
        let size = self.size_px;
        let pixels: Vec<[u8; 3]> =
            (0..size).flat_map(|y| (0..size).map(move |x| (x, y))).map(|(x, y)| self.pixel(x, y)).collect();
        let file = encoded(size, pixels.as_flattened())
            .map_err(|error| ImageError::Broken { media_type: crate::MediaType::Png, what: error.to_string() })?;
        Image::new(file)
    }

    fn check(&self) -> Result<(), ImageError> {
        let out = |what, given, allowed| Err(ImageError::OutOfRange { what, given, allowed });
        let size = self.size_px;
        if !size.is_power_of_two() || size > SIZE_PX_MAX {
            return out("size_px", f64::from(size), "a power of two, 1 to 1024");
        }
        for (what, color) in ["color_a", "color_b"].into_iter().zip(self.colors) {
            if let Some(part) = color.into_iter().find(|part| !(0.0..=1.0).contains(part)) {
                return out(what, part, "0 to 1 each");
            }
        }
        match self.pattern {
            Pattern::Checker { squares } if squares == 0 || squares > size => {
                out("squares", f64::from(squares), "1 to size_px")
            }
            Pattern::Noise { cells, .. } if cells == 0 || cells > size => {
                out("cells", f64::from(cells), "1 to size_px")
            }
            Pattern::Checker { .. } | Pattern::Gradient { .. } | Pattern::Noise { .. } => Ok(()),
        }
    }

    fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        let size = self.size_px;
        let share = match self.pattern {
            Pattern::Checker { squares } => {
                let square = |at: u32| at * squares / size;
                f64::from((square(x) + square(y)) % 2)
            }
            Pattern::Gradient { along_v } => f64::from(if along_v { y } else { x }) / f64::from((size - 1).max(1)),
            Pattern::Noise { cells, seed } => {
                noise(seed, cells, [x, y].map(|at| (f64::from(at) + 0.5) / f64::from(size)))
            }
        };
        let [first, second] = self.colors;
        let channel = |from: f64, to: f64| ((from + (to - from) * share) * 255.0).round() as u8;
        [channel(first[0], second[0]), channel(first[1], second[1]), channel(first[2], second[2])]
    }
}

/// In [0, 1].
fn noise(seed: u32, cells: u32, place: [f64; 2]) -> f64 {
    let (mut sum, mut total, mut strength) = (0.0, 0.0, 1.0);
    for octave in 0..OCTAVES {
        let cells = cells << octave;
        let [u, v] = place.map(|part| part * f64::from(cells));
        let [column, row] = [u, v].map(|part| part.floor() as u32);
        let [right, down] = [u - f64::from(column), v - f64::from(row)].map(eased);
        let value = |step_u: u32, step_v: u32| {
            lattice(seed.wrapping_add(octave), (column + step_u) % cells, (row + step_v) % cells)
        };
        let mixed = |from: f64, to: f64, share: f64| from + (to - from) * share;
        let above = mixed(value(0, 0), value(1, 0), right);
        let below = mixed(value(0, 1), value(1, 1), right);
        sum += strength * mixed(above, below, down);
        total += strength;
        strength /= 2.0;
    }
    sum / total
}

/// Flat at both ends.
fn eased(share: f64) -> f64 {
    share * share * (3.0 - 2.0 * share)
}

/// A number in [0, 1] for each point of the lattice; the last steps are those of MurmurHash3.
fn lattice(seed: u32, column: u32, row: u32) -> f64 {
    let mut bits = seed
        .wrapping_mul(0x9E37_79B1)
        .wrapping_add(column.wrapping_mul(0x85EB_CA77))
        .wrapping_add(row.wrapping_mul(0xC2B2_AE3D));
    bits = (bits ^ (bits >> 16)).wrapping_mul(0x85EB_CA6B);
    bits = (bits ^ (bits >> 13)).wrapping_mul(0xC2B2_AE35);
    f64::from(bits ^ (bits >> 16)) / f64::from(u32::MAX)
}

fn encoded(size: u32, samples: &[u8]) -> Result<Vec<u8>, EncodingError> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, size, size);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(samples)?;
    writer.finish()?;
    Ok(file)
}
