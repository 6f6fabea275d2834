//! Views of a scene from all sides.

use crate::size::Size;
use nalgebra::Vector3;
use scene_document::{Baked, View};
use std::f64::consts::{PI, TAU};

pub(super) const FRAMES: u32 = 12;
pub(super) const SIZE: Size = Size { width: 384, height: 288 };
const YFOV_RAD: f64 = 40.0 * PI / 180.0;
/// Height of the eye above the centre, as a share of its distance in the plane.
const RISE: f64 = 0.5;

/// From the front (+Z), then to the right and all round.
pub(super) fn view(baked: &Baked, frame: u32) -> View {
    let (centre, radius_m) = baked.sphere();
    let (sin, cos) = libm::sincos(TAU * f64::from(frame) / f64::from(FRAMES));
    View::framing(centre, radius_m, Vector3::new(sin, RISE, cos), YFOV_RAD, SIZE.width, SIZE.height)
}

/// Of the frame's picture: its angle in degrees.
pub(super) fn name(frame: u32) -> String {
    format!("turntable-{:03}", 360 * frame / FRAMES)
}
