//! What is seen at each pixel, before any shade or light.

use crate::lens::Lens;
use crate::raster::rasterise;
use crate::scene::RasterScene;
use crate::window::Window;
use rayon::prelude::*;
use scene_document::View;

/// Planes of `width * height` values, row-major from the top-left pixel. 0×0 for a view without pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    pub width: u32,
    pub height: u32,
    /// 0 is nothing, else 1 + index into the baked meshes.
    pub mesh: Vec<u32>,
    /// Metres along the view axis; +∞ is nothing.
    pub depth_m: Vec<f64>,
    /// Whether the triangle shows its back, as a closed body does to a camera inside; false where nothing is seen.
    pub from_behind: Vec<bool>,
    /// The triangles cover too many pixels, one behind another: those past the fill budget are missing.
    pub over_budget: bool,
    /// 0 is nothing, else 1 + index into the scene's triangles.
    pub(crate) triangle: Vec<u32>,
}

impl Frame {
    fn empty(width: u32, height: u32) -> Self {
        let pixels = width as usize * height as usize;
        Self {
            width,
            height,
            mesh: vec![0; pixels],
            depth_m: vec![f64::INFINITY; pixels],
            from_behind: vec![false; pixels],
            over_budget: false,
            triangle: vec![0; pixels],
        }
    }
}

impl RasterScene {
    /// Ids and depth as seen by `view`.
    #[must_use]
    pub fn frame(&self, view: &View) -> Frame {
        let (width, height) = view.size();
        let Some(lens) = Lens::new(view, self.tolerances.least_near_m) else { return Frame::empty(width, height) };
        let raster = rasterise(self, &lens, &self.parts, Window::whole(&lens));
        let pixels = raster.triangle.len();
        let (mut mesh, mut from_behind) = (Vec::with_capacity(pixels), Vec::with_capacity(pixels));
        for run in raster.triangle.chunk_by(|a, b| a == b) {
            let triangle = run[0].checked_sub(1).map(|index| &self.triangles[index as usize]);
            let (id, behind) = triangle.map_or((0, false), |triangle| {
                let [corner, _, _] = self.positions(triangle);
                (triangle.part + 1, lens.shows_back(&corner, &triangle.face_normal))
            });
            mesh.resize(mesh.len() + run.len(), id);
            from_behind.resize(mesh.len(), behind);
        }
        let depth_m = |(id, nearness): (&u32, &f64)| if *id == 0 { f64::INFINITY } else { lens.depth_m(*nearness) };
        Frame {
            width,
            height,
            mesh,
            depth_m: raster.triangle.iter().zip(&raster.nearness).map(depth_m).collect(),
            from_behind,
            over_budget: raster.over_budget(),
            triangle: raster.triangle,
        }
    }

    /// One frame per view, in order, on all threads; each the same as `frame` gives.
    #[must_use]
    pub fn frames(&self, views: &[View]) -> Vec<Frame> {
        views.par_iter().map(|view| self.frame(view)).collect()
    }
}
