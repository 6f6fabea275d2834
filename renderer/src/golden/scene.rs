//! The scene of a golden: read from its file, and seen through the camera that the sidecar names.

use super::GoldenError;
use super::files::{Piece, read};
use scene_document::gltf::{self, Limits};
use scene_document::{Baked, Projection, View};
use std::path::Path;
use std::sync::Arc;

/// Of a scene file, and of all that it names together.
pub(super) const SCENE_BYTES_MAX: u64 = 64 << 20;

pub(super) struct Opened {
    pub(super) baked: Arc<Baked>,
}

impl Opened {
    /// `bytes` are those of the file at `path`; what it names is looked for in the same folder and below.
    pub(super) fn new(path: &Path, bytes: &[u8]) -> Result<Self, GoldenError> {
        let limits = Limits { bytes: SCENE_BYTES_MAX as usize, ..Limits::default() };
        let folder = path.parent().unwrap_or(Path::new(""));
        let import = gltf::read(bytes, &|uri| beside(folder, uri), &limits)
            .map_err(|error| GoldenError::BadScene { path: path.into(), error })?;
        Ok(Self { baked: Arc::new(import.scene.bake()) })
    }

    /// The name of the camera that is looked through where none is named.
    pub(super) fn camera(&self) -> Option<String> {
        self.baked.camera().map(|camera| camera.name.clone())
    }

    /// Through the camera of that name; where none is named, `Baked::view`.
    pub(super) fn view(&self, camera: Option<&str>, width: u32, height: u32) -> Result<View, GoldenError> {
        let Some(wanted) = camera else { return Ok(self.baked.view(width, height).0) };
        let missing = || {
            let found = self.baked.cameras.iter().map(|camera| camera.name.clone()).collect();
            GoldenError::NoCamera { camera: wanted.into(), found }
        };
        Ok(self.baked.camera_named(wanted).ok_or_else(missing)?.view(width, height))
    }

    /// Width and height of the largest picture within 256 × 192 that has the aspect ratio of `Baked::camera`.
    pub(super) fn size(&self) -> (u32, u32) {
        let aspect = match self.baked.camera().map(|camera| camera.projection) {
            Some(Projection::Perspective { aspect, .. }) => aspect,
            Some(Projection::Orthographic { xmag_m, ymag_m, .. }) => Some((xmag_m / ymag_m).abs()),
            None => None,
        };
        let aspect = aspect.filter(|aspect| aspect.is_finite() && *aspect > 0.0).unwrap_or(4.0 / 3.0);
        let side = |length: f64| (length.round() as u32).max(1);
        if aspect < 4.0 / 3.0 { (side(192.0 * aspect), 192) } else { (256, side(256.0 / aspect)) }
    }
}

/// A file that the scene names; `None` where it is outside of the folder, also by a link.
fn beside(folder: &Path, uri: &str) -> Option<Vec<u8>> {
    let folder = folder.canonicalize().ok()?;
    let path = folder.join(uri).canonicalize().ok()?;
    if path.starts_with(&folder) { read(Piece::Scene, &path, SCENE_BYTES_MAX).ok() } else { None }
}
