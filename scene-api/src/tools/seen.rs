//! The picture that a question is answered from: as large as the one that visibility and lighting are scored by.

use super::render_still;
use crate::measured::body;
use crate::picture_work::within_reach;
use crate::reward::{Thresholds, picture_size, visible_part};
use crate::tolerances::Tolerances;
use crate::tool_error::{ErrorCode, ToolError};
use scene_document::{Baked, BakedMesh, NodeId, Scene, View};
use scene_raster::{Frame, RasterScene};

pub(super) struct Seen {
    pub(super) camera: NodeId,
    /// Only triangles that count as seen.
    pub(super) baked: Baked,
    pub(super) raster: RasterScene,
    pub(super) view: View,
    pub(super) frame: Frame,
}

impl Seen {
    /// Through the camera given, else the active one, else the first. `lit` pictures cost more.
    ///
    /// # Errors
    /// `NotFound` without a camera; `LimitExceeded` where the triangles cover the picture too often.
    pub(super) fn through(scene: &Scene, given: Option<&str>, lit: bool) -> Result<Self, ToolError> {
        let camera = render_still::camera(scene, given)?;
        let thresholds = Thresholds::default();
        let baked = scene.bake();
        let part = |mesh: BakedMesh| visible_part(mesh, thresholds.alpha_visible_min);
        let baked = Baked { meshes: baked.meshes.into_iter().filter_map(part).collect(), ..baked };
        let eye =
            baked.cameras.iter().find(|baked| baked.node == camera).ok_or_else(|| {
                ToolError::new(ErrorCode::NotFound, "/camera", format!("{camera} is not in the scene"))
            })?;
        let (width, height) = picture_size(eye, &thresholds);
        let view = eye.view(width, height);
        within_reach(&baked, &view, lit).map_err(|heavy| {
            let what = "pixels to fill, triangles behind each other included";
            ToolError::limit("", what, heavy.given_px, heavy.allowed_px)
        })?;
        let raster = RasterScene::new(&baked);
        let frame = raster.frame(&view);
        Ok(Self { camera, baked, raster, view, frame })
    }

    /// Of each mesh, whether its back is its inside: a closed body that is looked at from behind is not seen.
    pub(super) fn has_inside(&self, mesh: usize) -> bool {
        let measures = Tolerances::default().measures();
        self.baked.meshes.get(mesh).is_some_and(|mesh| body(mesh, &measures).closed())
    }
}
