//! How bright a picture's pixels are, as lighting is scored.

use super::thresholds::Thresholds;
use scene_document::View;
use scene_raster::{Frame, RasterScene};
use std::f64::consts::PI;

/// cd/m² of some pixels of a picture.
#[derive(Default)]
pub(crate) struct Luminance {
    /// Ascending.
    pub(crate) reflected: Vec<f64>,
    /// What a white matt surface in their place would reflect, ascending; empty without an environment.
    pub(crate) arriving: Vec<f64>,
    /// A light other than the environment reaches one of them.
    pub(crate) is_directed: bool,
    /// With emission, in the order of the pixels.
    pub(crate) whole: Vec<f64>,
    /// There is more light than can be evaluated.
    pub(crate) over_budget: bool,
}

/// What is read from them: exposure and contrast of reflected light, clipping of all of it.
pub(crate) struct Reading {
    pub(crate) median_cd_m2: f64,
    /// Of the median, from middle grey.
    pub(crate) exposure_ev: f64,
    /// Shares of the pixels that are clipped.
    pub(crate) too_dark: f64,
    pub(crate) too_bright: f64,
    /// log2 of the 90th over the 10th percentile; under an environment no more than that of the light that arrives,
    /// which differs by shape and not by colour.
    pub(crate) contrast_log2: f64,
}

impl Luminance {
    /// Of the pixels of `frame`, taken with `view`, that count.
    pub(crate) fn of(raster: &RasterScene, view: &View, frame: &Frame, counts: impl Fn(usize) -> bool) -> Self {
        let lit = raster.light(view, frame);
        let shade = raster.shade(view, frame);
        let mut found = Self { over_budget: lit.over_budget, ..Self::default() };
        for (pixel, (whole, emissive)) in lit.luminance.iter().zip(&shade.emissive).enumerate() {
            if !counts(pixel) {
                continue;
            }
            let lux = || lit.by_light.iter().filter_map(move |lux| lux.get(pixel));
            let is_directed = lux().any(|lux| *lux > 0.0);
            found.is_directed |= is_directed;
            if lit.environment_cd_m2 > 0.0 {
                found.arriving.push(lit.environment_cd_m2 + lux().sum::<f64>() / PI);
            }
            // Where no light arrives, rounding must leave none.
            let reached = is_directed || lit.environment_cd_m2 > 0.0;
            let reflected = if reached { (whole - relative_luminance(emissive.map(f64::from))).max(0.0) } else { 0.0 };
            found.reflected.push(reflected);
            found.whole.push(*whole);
        }
        found.reflected.sort_by(f64::total_cmp);
        found.arriving.sort_by(f64::total_cmp);
        found
    }

    /// `None` without pixels.
    pub(crate) fn reading(&self, t: &Thresholds) -> Option<Reading> {
        let black = t.black * t.white_cd_m2;
        let median_cd_m2 = percentile(&self.reflected, t.median_rank)?;
        let contrast_log2 = |sorted: &[f64]| {
            let of = |rank: f64| percentile(sorted, rank).unwrap_or(0.0).max(black);
            libm::log2(of(t.bright_rank) / of(t.dark_rank))
        };
        let most = if self.arriving.is_empty() { f64::INFINITY } else { contrast_log2(&self.arriving) };
        Some(Reading {
            median_cd_m2,
            exposure_ev: libm::log2(median_cd_m2.max(black) / (t.grey * t.white_cd_m2)),
            too_dark: share(&self.whole, |value| value < t.clip_dark * t.white_cd_m2),
            too_bright: share(&self.whole, |value| value > t.clip_bright * t.white_cd_m2),
            contrast_log2: contrast_log2(&self.reflected).min(most),
        })
    }
}

/// Of linear RGB with Rec. 709 primaries.
pub(crate) fn relative_luminance([red, green, blue]: [f64; 3]) -> f64 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn share(values: &[f64], counts: impl Fn(f64) -> bool) -> f64 {
    values.iter().filter(|value| counts(**value)).count() as f64 / values.len() as f64
}

/// Nearest rank from below.
fn percentile(sorted: &[f64], rank: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let index = (rank * last as f64) as usize;
    sorted.get(index).copied()
}
