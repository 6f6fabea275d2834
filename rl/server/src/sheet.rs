//! A contact sheet: pictures of one size in a grid, row by row.

use crate::size::Size;
use anyhow::{Result, ensure};

const GAP_PX: u32 = 8;
/// Of cells without a picture, and between pictures.
const BARE: [u8; 3] = [32; 3];
/// A sheet that most viewers still open.
const MAX_PIXELS: u64 = 100_000_000;

pub(crate) struct Sheet {
    cell: Size,
    columns: u32,
    rows: u32,
    pixels: Vec<[u8; 3]>,
}

impl Sheet {
    /// For `count` (≥ 1) pictures of the size `cell`, with about as many rows as columns.
    pub(crate) fn new(count: usize, cell: Size) -> Result<Self> {
        let count = u32::try_from(count.max(1)).unwrap_or(u32::MAX);
        let columns = f64::from(count).sqrt().ceil() as u32;
        let mut sheet = Self { cell, columns, rows: count.div_ceil(columns), pixels: Vec::new() };
        let [width, height] = sheet.sides();
        ensure!(
            width * height <= MAX_PIXELS,
            "{count} pictures of {cell} make a sheet of {width} × {height} pixels; {MAX_PIXELS} are allowed: choose a \
             smaller --size"
        );
        sheet.pixels = vec![BARE; (width * height) as usize];
        Ok(sheet)
    }

    /// Width and height in pixels.
    fn sides(&self) -> [u64; 2] {
        let side = |cells: u32, cell: u32| u64::from(cells) * u64::from(cell + GAP_PX) + u64::from(GAP_PX);
        [side(self.columns, self.cell.width), side(self.rows, self.cell.height)]
    }

    /// Row and column of a picture, from 0.
    pub(crate) fn cell(&self, index: usize) -> [usize; 2] {
        let columns = self.columns as usize;
        [index / columns, index % columns]
    }

    /// `pixels` are those of one whole cell, row-major.
    pub(crate) fn place(&mut self, index: usize, pixels: &[[u8; 3]]) {
        let [row, column] = self.cell(index);
        let [width, _] = self.sides().map(|side| side as usize);
        let [left, top] = [(column, self.cell.width), (row, self.cell.height)]
            .map(|(cells, side)| cells * (side + GAP_PX) as usize + GAP_PX as usize);
        for (line, source) in pixels.chunks_exact(self.cell.width as usize).enumerate() {
            let start = (top + line) * width + left;
            if let Some(target) = self.pixels.get_mut(start..start + source.len()) {
                target.copy_from_slice(source);
            }
        }
    }

    pub(crate) fn png(&self) -> Result<Vec<u8>> {
        let [width, height] = self.sides().map(|side| side as u32);
        Ok(scene_picture::png(width, height, &self.pixels, &[("Software", "Maquette contact sheet")])?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_stand_row_by_row_in_a_near_square() {
        let mut sheet = Sheet::new(5, Size { width: 2, height: 1 }).unwrap();
        assert_eq!((sheet.columns, sheet.rows, sheet.cell(4)), (3, 2, [1, 1]));
        sheet.place(4, &[[1; 3], [2; 3]]);
        let width = 3 * 10 + 8;
        let start = (8 + 9) * width + 8 + 10;
        assert_eq!(sheet.pixels.len(), width * (2 * 9 + 8));
        assert_eq!(sheet.pixels[start - 1..start + 3], [BARE, [1; 3], [2; 3], BARE]);
        assert_eq!(sheet.pixels.iter().filter(|pixel| **pixel != BARE).count(), 2);
    }

    #[test]
    fn a_sheet_that_nobody_could_open_is_refused() {
        let error = Sheet::new(4000, Size { width: 512, height: 384 }).err().unwrap();
        assert!(error.to_string().contains("--size"), "{error}");
    }
}
