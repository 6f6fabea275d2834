//! Makes a golden, or replaces one, for a reason.

use super::check::{blessed, digest};
use super::compare::{Compared, compare};
use super::draw::draw;
use super::files::{Files, Piece, io, read, replace};
use super::planes::{Planes, Pngs};
use super::scene::{Opened, SCENE_BYTES_MAX};
use super::sidecar::{Images, Sidecar, Tolerance, Versions};
use super::{GoldenError, PICTURE_BYTES_MAX};
use crate::{Renderer, TONEMAPPING, WHITE_CD_M2, ev100};
use scene_picture::PngError;
use std::path::{Path, PathBuf};

/// What was made, and what it replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct Blessed {
    pub sidecar: Sidecar,
    /// The whole golden: the scene file, then what was written. Files that a `.gltf` names are not among them.
    pub files: Vec<PathBuf>,
    /// The golden before against this one; `None` where there was none, or one that is not whole or of another size.
    pub replaced: Option<Compared>,
}

/// Draws the scene `name` of `folder`, twice, and writes pictures and sidecar; nothing is replaced unless everything was
/// drawn and written.
///
/// The tolerance and the camera are those of the sidecar that is there, else the defaults and the scene's own camera.
/// The size in pixels is `size`, else the sidecar's, else that of the camera's aspect ratio within 256 × 192.
///
/// # Errors
/// Any `GoldenError`; `Unchanged` where it would be the golden that is there; `TooLarge` for a picture of more than
/// 64 KiB: bless it smaller.
pub fn bless(
    renderer: &Renderer,
    folder: &Path,
    name: &str,
    reason: &str,
    size: Option<(u32, u32)>,
) -> Result<Blessed, GoldenError> {
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(GoldenError::NoReason);
    }
    let files = Files::new(folder, name)?;
    let path = files.scene()?;
    let bytes = read(Piece::Scene, &path, SCENE_BYTES_MAX)?;
    let before = before(&files)?;
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
        previous: before.as_ref().and_then(|before| last_other(before, &images)),
        images,
    };
    let whole = before.and_then(|before| Some((blessed(&files, &before).ok()?, before)));
    if whole.as_ref().is_some_and(|(_, before)| says_the_same(before, &sidecar)) {
        return Err(GoldenError::Unchanged);
    }
    let written = write(&files, pictures, &sidecar)?;
    let replaced = whole.filter(|(reference, _)| size_of(reference) == size_of(&planes)).map(|(reference, before)| {
        let scene_changed = before.scene_blake3 != sidecar.scene_blake3;
        compare(before, reference, planes, sidecar.adapter.clone(), &opened.baked.meshes, scene_changed)
    });
    Ok(Blessed { sidecar, files: [vec![path], written].concat(), replaced })
}

/// The sidecar that is there.
fn before(files: &Files<'_>) -> Result<Option<Sidecar>, GoldenError> {
    match Sidecar::read(files) {
        Err(GoldenError::Missing { .. }) => Ok(None),
        sidecar => sidecar.map(Some),
    }
}

/// The last beauty picture that was another than the one of `images`.
fn last_other(before: &Sidecar, images: &Images) -> Option<String> {
    if before.images.beauty == images.beauty { before.previous.clone() } else { Some(before.images.beauty.clone()) }
}

/// But for the reason and what was replaced.
fn says_the_same(before: &Sidecar, after: &Sidecar) -> bool {
    let (reason, previous) = (before.reason.clone(), before.previous.clone());
    *before == Sidecar { reason, previous, ..after.clone() }
}

fn size_of(planes: &Planes) -> (u32, u32) {
    (planes.width, planes.height)
}

/// The sidecar last: it vouches for the pictures. Gives the paths.
fn write(files: &Files<'_>, pictures: Pngs, sidecar: &Sidecar) -> Result<Vec<PathBuf>, GoldenError> {
    let Pngs { beauty, ids, depth } = pictures;
    let path = files.path(Piece::Sidecar);
    let json = sidecar.to_json().map_err(|error| io(&path, &error.into()))?;
    let pieces = [(Piece::Beauty, beauty), (Piece::Ids, ids), (Piece::Depth, depth), (Piece::Sidecar, json)];
    let written = pieces.map(|(piece, bytes)| (files.path(piece), bytes));
    if let Some((path, bytes)) = written.iter().find(|(_, bytes)| bytes.len() as u64 > PICTURE_BYTES_MAX) {
        let bytes = bytes.len() as u64;
        return Err(GoldenError::TooLarge { path: path.clone(), bytes, allowed: PICTURE_BYTES_MAX });
    }
    replace(&written)?;
    Ok(written.map(|(path, _)| path).into())
}
