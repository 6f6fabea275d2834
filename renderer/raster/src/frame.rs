//! What is seen at each pixel, before any light.

use crate::raster::rasterise;
use crate::scene::RasterScene;
use crate::view::{Lens, View};
use rayon::prelude::*;

/// Planes of `width * height` values, row-major from the top-left pixel. 0×0 for a view without pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    pub width: u32,
    pub height: u32,
    /// 0 is nothing, else 1 + index into the baked meshes.
    pub mesh: Vec<u32>,
    /// Metres along the view axis; +∞ is nothing.
    pub depth_m: Vec<f64>,
    /// Unit shading normal in world space: interpolated where the mesh has normals, else the face's; turned round where
    /// the triangle is seen from behind, so a face's normal points at the viewer. Zero is nothing.
    pub normal: Vec<[f32; 3]>,
    /// Linear RGB.
    pub albedo: Vec<[f32; 3]>,
    /// Linear RGB, nits.
    pub emissive: Vec<[f32; 3]>,
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
            normal: vec![[0.0; 3]; pixels],
            albedo: vec![[0.0; 3]; pixels],
            emissive: vec![[0.0; 3]; pixels],
            triangle: vec![0; pixels],
        }
    }
}

impl RasterScene {
    /// Ids, depth, normals and colours as seen by `view`.
    #[must_use]
    pub fn frame(&self, view: &View) -> Frame {
        let (width, height) = view.size();
        let mut frame = Frame::empty(width, height);
        let Some(lens) = Lens::new(view, self.tolerances.least_near_m) else { return frame };
        let raster = rasterise(self, &lens, &self.parts);
        let mut pixel = 0;
        for row in 0..height {
            for column in 0..width {
                if let Some(index) = raster.triangle[pixel].checked_sub(1) {
                    let triangle = &self.triangles[index as usize];
                    let depth_m = lens.depth_m(raster.nearness[pixel]);
                    let sight = lens.sight(column, row);
                    let normal = self.shading_normal(triangle, &sight.at(depth_m), &sight.direction);
                    let look = self.look(triangle);
                    frame.mesh[pixel] = triangle.part + 1;
                    frame.depth_m[pixel] = depth_m;
                    frame.normal[pixel] = [normal.x, normal.y, normal.z].map(|value| value as f32);
                    frame.albedo[pixel] = look.albedo.map(|value| value as f32);
                    frame.emissive[pixel] = look.emissive.map(|value| value as f32);
                }
                pixel += 1;
            }
        }
        frame.triangle = raster.triangle;
        frame
    }

    /// One frame per view, in order, on all threads; each the same as `frame` gives.
    #[must_use]
    pub fn frames(&self, views: &[View]) -> Vec<Frame> {
        views.par_iter().map(|view| self.frame(view)).collect()
    }
}
