//! Whether a picture is worth a renderer's time: one lane draws for everyone, and a submit cannot be taken back.

use crate::tolerances::Tolerances;
use scene_document::{Baked, View};
use scene_raster::fill_px;

/// Pixels to fill, and how many are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooHeavy {
    pub(crate) given_px: u64,
    pub(crate) allowed_px: u64,
}

/// `lit` pictures shade what they fill.
///
/// # Errors
/// The triangles cover the picture too often, one behind another.
pub(crate) fn within_reach(scene: &Baked, view: &View, lit: bool) -> Result<(), TooHeavy> {
    let t = Tolerances::default();
    let (width, height) = view.size();
    let layers = if lit { t.lit_layers } else { t.unlit_layers };
    let allowed_px = (u64::from(width) * u64::from(height) * layers).max(t.picture_fill_px);
    let given_px = fill_px(scene, view);
    if given_px <= allowed_px { Ok(()) } else { Err(TooHeavy { given_px, allowed_px }) }
}
