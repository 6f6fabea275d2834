//! Is the picture still the one that was blessed?

use super::compare::{Compared, compare};
use super::draw::draw;
use super::files::{Files, Piece, read};
use super::planes::{Planes, decode_depth, decode_ids, decode_rgb};
use super::scene::{Opened, SCENE_BYTES_MAX};
use super::sidecar::Sidecar;
use super::{GoldenError, PICTURE_BYTES_MAX};
use crate::Renderer;
use std::path::{Path, PathBuf};

/// One golden of a folder, and what became of it.
#[derive(Debug, Clone)]
pub struct Checked {
    pub name: String,
    pub outcome: Result<Compared, GoldenError>,
}

/// Draws the scene of golden `name` as its sidecar says and compares; pictures that differ, and another scene file than
/// was blessed, are not an error but `Compared::passed == false`. All files are looked at before anything is drawn.
///
/// # Errors
/// Any `GoldenError` but `NoReason` and `Unchanged`.
pub fn check(renderer: &Renderer, folder: &Path, name: &str) -> Result<Compared, GoldenError> {
    let files = Files::new(folder, name)?;
    let path = files.scene()?;
    files.were_blessed()?;
    let bytes = read(Piece::Scene, &path, SCENE_BYTES_MAX)?;
    let sidecar = Sidecar::read(&files)?;
    let scene_changed = digest(&bytes) != sidecar.scene_blake3;
    let reference = blessed(&files, &sidecar)?;
    let opened = Opened::new(&path, &bytes)?;
    let view = opened.view(sidecar.camera.as_deref(), sidecar.width, sidecar.height)?;
    let (actual, adapter) = draw(renderer, &opened.baked, view)?;
    Ok(compare(sidecar, reference, actual, adapter, &opened.baked.meshes, scene_changed))
}

/// The pictures of a golden. All are decoded before a digest is compared: that a picture is broken says more than that
/// it is another.
pub(super) fn blessed(files: &Files<'_>, sidecar: &Sidecar) -> Result<Planes, GoldenError> {
    let size = (sidecar.width, sidecar.height);
    let open = |piece: Piece| -> Result<(PathBuf, Vec<u8>), GoldenError> {
        let path = files.path(piece);
        let bytes = read(piece, &path, PICTURE_BYTES_MAX)?;
        Ok((path, bytes))
    };
    let (beauty, ids, depth) = (open(Piece::Beauty)?, open(Piece::Ids)?, open(Piece::Depth)?);
    let planes = Planes {
        width: sidecar.width,
        height: sidecar.height,
        rgb: decode_rgb(&beauty.0, &beauty.1, size)?,
        ids: decode_ids(&ids.0, &ids.1, size)?,
        depth: decode_depth(&depth.0, &depth.1, size)?,
    };
    for ((path, bytes), blessed) in
        [(beauty, &sidecar.images.beauty), (ids, &sidecar.images.ids), (depth, &sidecar.images.depth)]
    {
        let found = digest(&bytes);
        if found != *blessed {
            return Err(GoldenError::PictureChanged { path, blessed: blessed.clone(), found });
        }
    }
    Ok(planes)
}

/// BLAKE3, hexadecimal.
pub(super) fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}
