//! Makes a golden, or replaces one, for a reason.

use super::check::digest;
use super::draw::draw;
use super::files::{Files, Piece, io, read, replace};
use super::planes::Pngs;
use super::scene::{Opened, SCENE_BYTES_MAX};
use super::sidecar::{Images, Sidecar, Tolerance, Versions};
use super::{GoldenError, PICTURE_BYTES_MAX};
use crate::{Renderer, TONEMAPPING, WHITE_CD_M2, ev100};
use scene_picture::PngError;
use std::path::Path;

/// Draws the scene `name` of `folder`, twice, and writes pictures and sidecar; nothing is replaced unless everything was
/// drawn and written.
///
/// The tolerance and the camera are those of the sidecar that is there, else the defaults and the scene's own camera.
/// The size in pixels is `size`, else the sidecar's, else that of the camera's aspect ratio within 256 × 192.
///
/// # Errors
/// Any `GoldenError`; `TooLarge` for a picture of more than 64 KiB: bless it smaller.
pub fn bless(
    renderer: &Renderer,
    folder: &Path,
    name: &str,
    reason: &str,
    size: Option<(u32, u32)>,
) -> Result<Sidecar, GoldenError> {
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(GoldenError::NoReason);
    }
    let files = Files::new(folder, name)?;
    let path = files.scene()?;
    let bytes = read(Piece::Scene, &path, SCENE_BYTES_MAX)?;
    let before = match Sidecar::read(&files) {
        Ok(sidecar) => Some(sidecar),
        Err(GoldenError::Missing { .. }) => None,
        Err(other) => return Err(other),
    };
    let opened = Opened::new(&path, &bytes)?;
    let camera = before.as_ref().and_then(|before| before.camera.clone()).or_else(|| opened.camera());
    let (width, height) =
        size.or(before.as_ref().map(|before| (before.width, before.height))).unwrap_or_else(|| opened.size());
    let view = opened.view(camera.as_deref(), width, height)?;

    let (planes, adapter) = draw(renderer, &opened.baked, view)?;
    let not_encoded = |error: PngError| GoldenError::Io { path: files.path(Piece::Beauty), what: error.to_string() };
    let pictures = planes.encode().map_err(not_encoded)?;
    let images =
        Images { beauty: digest(&pictures.beauty), ids: digest(&pictures.ids), depth: digest(&pictures.depth) };
    let sidecar = Sidecar {
        scene_blake3: digest(&bytes),
        camera,
        width: planes.width,
        height: planes.height,
        adapter,
        versions: Versions::current(),
        ev100: ev100(),
        white_cd_m2: WHITE_CD_M2,
        tonemapping: TONEMAPPING.into(),
        tolerance: before.as_ref().map_or_else(Tolerance::default, |before| before.tolerance),
        reason: reason.into(),
        images,
        previous: before.map(|before| before.images.beauty),
    };
    write(&files, pictures, &sidecar)?;
    Ok(sidecar)
}

/// The sidecar last: it vouches for the pictures.
fn write(files: &Files<'_>, pictures: Pngs, sidecar: &Sidecar) -> Result<(), GoldenError> {
    let Pngs { beauty, ids, depth } = pictures;
    let path = files.path(Piece::Sidecar);
    let json = sidecar.to_json().map_err(|error| io(&path, &error.into()))?;
    let pieces = [(Piece::Beauty, beauty), (Piece::Ids, ids), (Piece::Depth, depth), (Piece::Sidecar, json)];
    let written = pieces.map(|(piece, bytes)| (files.path(piece), bytes));
    if let Some((path, bytes)) = written.iter().find(|(_, bytes)| bytes.len() as u64 > PICTURE_BYTES_MAX) {
        let bytes = bytes.len() as u64;
        return Err(GoldenError::TooLarge { path: path.clone(), bytes, allowed: PICTURE_BYTES_MAX });
    }
    replace(&written)
}
