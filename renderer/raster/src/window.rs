//! A rectangle of pixels.

use crate::lens::Lens;
use std::ops::Range;

/// Never reaches outside the picture; neither range runs backwards.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    pub(crate) columns: Range<usize>,
    pub(crate) rows: Range<usize>,
}

impl Window {
    pub(crate) fn whole(lens: &Lens) -> Self {
        Self { columns: 0..lens.width as usize, rows: 0..lens.height as usize }
    }

    /// The pixels of this window with their centres in the box around some points of the picture.
    pub(crate) fn around(&self, points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        let nowhere = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let (least, most) = points.into_iter().fold(nowhere, |(least, most), [x, y]| {
            ([least[0].min(x), least[1].min(y)], [most[0].max(x), most[1].max(y)])
        });
        Self {
            columns: centres_between(least[0], most[0], &self.columns),
            rows: centres_between(least[1], most[1], &self.rows),
        }
    }

    pub(crate) fn area_px(&self) -> usize {
        self.columns.len() * self.rows.len()
    }

    /// Indices into the planes of a picture so many pixels wide.
    pub(crate) fn pixels(&self, picture_width: usize) -> impl Iterator<Item = usize> + use<> {
        let Self { columns, rows } = self.clone();
        rows.flat_map(move |row| columns.clone().map(move |column| row * picture_width + column))
    }
}

fn centres_between(least: f64, most: f64, within: &Range<usize>) -> Range<usize> {
    let (first, last) = (within.start as f64, within.end as f64);
    let start = (least - 0.5).ceil().clamp(first, last) as usize;
    let end = (most + 0.5).clamp(first, last) as usize;
    start..end.max(start)
}
