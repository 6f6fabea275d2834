//! An image and its smaller versions, each half as wide and high: what is seen from afar is sampled from them.

/// Of an image of this size, down to one texel.
pub(crate) fn levels(width: u32, height: u32) -> u32 {
    u32::BITS - width.max(height).leading_zeros()
}

/// Of all levels.
pub(crate) fn texel_count(width: u32, height: u32) -> usize {
    let side = |length: u32, level: u32| (length >> level).max(1) as usize;
    (0..levels(width, height)).map(|level| side(width, level) * side(height, level)).sum()
}

/// All levels one after the other, row by row, a word of RGBA bytes a texel, red lowest. A texel is the mean of those
/// that it stands for; colours that are sRGB-encoded are averaged as light. `None` unless `rgba` has four bytes for each
/// of at least one pixel.
pub(crate) fn mip_chain([width, height]: [u32; 2], rgba: &[u8], is_srgb: bool) -> Option<Vec<u32>> {
    let mut size = [width as usize, height as usize];
    let (pixels, rest) = rgba.as_chunks::<4>();
    if pixels.is_empty() || pixels.len() != size[0] * size[1] || !rest.is_empty() {
        return None;
    }
    let light: Vec<f32> = (0..=u8::MAX).map(|byte| decoded(byte, is_srgb)).collect();
    let mut chain = Vec::with_capacity(texel_count(width, height));
    chain.extend(pixels.iter().map(|pixel| u32::from_le_bytes(*pixel)));
    let linear = |[red, green, blue, alpha]: [u8; 4]| {
        let [red, green, blue] = [red, green, blue].map(|byte| light[usize::from(byte)]);
        [red, green, blue, decoded(alpha, false)]
    };
    let mut level: Vec<[f32; 4]> = pixels.iter().map(|pixel| linear(*pixel)).collect();
    while size != [1, 1] {
        (size, level) = halved(size, &level);
        chain.extend(level.iter().map(|[red, green, blue, alpha]| {
            let [red, green, blue] = [*red, *green, *blue].map(|part| encoded(part, is_srgb));
            u32::from_le_bytes([red, green, blue, encoded(*alpha, false)])
        }));
    }
    Some(chain)
}

/// Where a side is odd, neighbours share the texels between them.
fn halved([width, height]: [usize; 2], level: &[[f32; 4]]) -> ([usize; 2], Vec<[f32; 4]>) {
    let half = [width, height].map(|side| (side / 2).max(1));
    let span = |at: usize, side: usize, half: usize| at * side / half..((at + 1) * side).div_ceil(half);
    let mut texels = Vec::with_capacity(half[0] * half[1]);
    for row in 0..half[1] {
        for column in 0..half[0] {
            let (rows, columns) = (span(row, height, half[1]), span(column, width, half[0]));
            let count = (rows.len() * columns.len()) as f32;
            let mut sum = [0.0; 4];
            for texel in rows.flat_map(|row| &level[row * width + columns.start..row * width + columns.end]) {
                for (sum, part) in sum.iter_mut().zip(texel) {
                    *sum += part;
                }
            }
            texels.push(sum.map(|part| part / count));
        }
    }
    (half, texels)
}

/// IEC 61966-2-1.
fn decoded(byte: u8, is_srgb: bool) -> f32 {
    let part = f32::from(byte) / 255.0;
    match is_srgb {
        false => part,
        true if part <= 0.04045 => part / 12.92,
        true => libm::powf((part + 0.055) / 1.055, 2.4),
    }
}

fn encoded(part: f32, is_srgb: bool) -> u8 {
    let part = match is_srgb {
        false => part,
        true if part <= 0.003_130_8 => part * 12.92,
        true => 1.055 * libm::powf(part, 1.0 / 2.4) - 0.055,
    };
    (part * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_averaged_as_light_and_numbers_as_they_are() {
        let black_and_white = [0, 0, 0, 0, 255, 255, 255, 255];
        let coarsest = |is_srgb: bool| mip_chain([2, 1], &black_and_white, is_srgb).unwrap()[2].to_le_bytes();
        // Half of white's light is 188 in sRGB; alpha is never encoded.
        assert_eq!(coarsest(true), [188, 188, 188, 128]);
        assert_eq!(coarsest(false), [128; 4]);
    }

    #[test]
    fn levels_of_any_size_end_with_one_texel() {
        for (width, height, expected) in [(1, 1, 1), (8, 8, 64 + 16 + 4 + 1), (5, 2, 10 + 2 + 1), (1, 4, 4 + 2 + 1)] {
            let grey = vec![77; (width * height * 4) as usize];
            let chain = mip_chain([width, height], &grey, true).unwrap();
            assert_eq!((chain.len(), texel_count(width, height)), (expected, expected));
            assert!(chain.iter().all(|texel| texel.to_le_bytes() == [77; 4]), "{width} × {height}");
        }
        assert_eq!(mip_chain([2, 2], &[0; 15], false), None);
        assert_eq!(mip_chain([0, 2], &[], false), None);
    }

    #[test]
    fn every_texel_of_an_odd_side_counts() {
        let three = [0, 0, 0, 255, 0, 0, 0, 255, 90, 0, 0, 255];
        assert_eq!(mip_chain([3, 1], &three, false).unwrap()[3].to_le_bytes(), [30, 0, 0, 255]);
    }
}
