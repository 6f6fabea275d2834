//! The three pictures of a scene, each drawn twice.

use super::GoldenError;
use super::planes::{Planes, depth_code};
use crate::{AdapterInfo, Pass, Picture, Pixels, RenderError, Renderer, Shot};
use scene_document::{Baked, View};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// For one picture, waiting for others included.
const DRAWN_WITHIN: Duration = Duration::from_secs(120);

/// # Errors
/// `RenderError`, among them `Unsteady` where two frames of the scene differ.
pub(super) fn draw(renderer: &Renderer, scene: &Arc<Baked>, view: View) -> Result<(Planes, AdapterInfo), GoldenError> {
    let picture = |pass: Pass| -> Result<Picture, RenderError> {
        let shot = Shot { twice: true, ..Shot::new(Arc::clone(scene), view, pass) };
        renderer.picture(shot, Instant::now() + DRAWN_WITHIN)
    };
    let (beauty, ids, depth) = (picture(Pass::Beauty)?, picture(Pass::Id)?, picture(Pass::Depth)?);
    let adapter = AdapterInfo::clone(&beauty.adapter);
    let (Pixels::Srgb(rgb), Pixels::Ids(ids), Pixels::DepthM(depth_m)) = (beauty.pixels, ids.pixels, depth.pixels)
    else {
        let what = "a pass was answered with another one's pixels".into();
        return Err(RenderError::Device { what }.into());
    };
    let depth = depth_m.into_iter().map(depth_code).collect();
    Ok((Planes { width: view.width, height: view.height, rgb, ids, depth }, adapter))
}
