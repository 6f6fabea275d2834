//! How much of one object a view shows.

use crate::frame::Frame;
use crate::lens::Lens;
use crate::raster::rasterise;
use crate::scene::{Part, RasterScene, Triangle};
use crate::window::Window;
use nalgebra::Vector3;
use scene_document::View;

/// All zero, but for the flag, where the frame is over budget.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Coverage {
    /// Pixels of the frame that show the object.
    pub visible_px: u32,
    /// Those of them that show the back of a triangle: of a closed body, its inside.
    pub behind_px: u32,
    /// Pixels that would show it if nothing else were there.
    pub alone_px: u32,
    /// visible / alone, in [0, 1]; 0 when `alone_px` is 0.
    pub unoccluded: f64,
    /// Share of the object's surface inside the view volume, in [0, 1], occluded or not: each triangle counts with its
    /// area at the centroids of its four midpoint sub-triangles.
    pub in_frame: f64,
    pub over_budget: bool,
}

impl RasterScene {
    /// Of the object made of `meshes` (indices into the baked meshes, others are ignored); `frame` is this scene's,
    /// taken with `view`. A frame within its budget has room for the object drawn alone.
    #[must_use]
    pub fn coverage(&self, view: &View, frame: &Frame, meshes: &[usize]) -> Coverage {
        if frame.over_budget {
            return Coverage { over_budget: true, ..Coverage::default() };
        }
        let mut chosen = vec![false; self.parts.len()];
        for mesh in meshes {
            if let Some(chosen) = chosen.get_mut(*mesh) {
                *chosen = true;
            }
        }
        let Some(lens) = Lens::new(view, self.tolerances.least_near_m) else { return Coverage::default() };
        let parts: Vec<&Part> =
            self.parts.iter().zip(&chosen).filter_map(|(part, chosen)| chosen.then_some(part)).collect();
        let window = self.window(&lens, &parts);
        let [mut visible_px, mut behind_px, mut others_px] = [0_u32; 3];
        for pixel in window.pixels(frame.width as usize) {
            let (Some(id), Some(from_behind)) = (frame.mesh.get(pixel), frame.from_behind.get(pixel)) else { break };
            let Some(mesh) = id.checked_sub(1) else { continue };
            let shown = chosen.get(mesh as usize) == Some(&true);
            visible_px += u32::from(shown);
            behind_px += u32::from(shown && *from_behind);
            others_px += u32::from(!shown);
        }
        // Where nothing else is seen, nothing can be in the way.
        let alone_px = if others_px == 0 {
            visible_px
        } else {
            let alone = rasterise(self, &lens, parts.iter().copied(), window);
            alone.triangle.iter().filter(|id| **id > 0).count() as u32
        };
        let unoccluded = if alone_px == 0 { 0.0 } else { f64::from(visible_px) / f64::from(alone_px) };
        let in_frame = self.in_frame(&lens, &parts);
        Coverage { visible_px, behind_px, alone_px, unoccluded, in_frame, over_budget: false }
    }

    /// The pixels that may show `parts`: all of them where a vertex is before the near plane and so has no pixel.
    fn window(&self, lens: &Lens, parts: &[&Part]) -> Window {
        let everywhere = [[0.0; 2], [f64::from(lens.width), f64::from(lens.height)]];
        let vertices = parts.iter().flat_map(|part| &self.vertices[part.vertices.clone()]);
        Window::whole(lens).around(vertices.flat_map(|vertex| {
            let camera = lens.to_camera(vertex);
            if -camera.z >= lens.near_m { [lens.to_pixel(&camera); 2] } else { everywhere }
        }))
    }

    fn in_frame(&self, lens: &Lens, parts: &[&Part]) -> f64 {
        let (mut inside_m2, mut whole_m2) = (0.0, 0.0);
        for triangle in parts.iter().flat_map(|part| &self.triangles[part.triangles.clone()]) {
            let (samples, quarter_m2) = self.samples(triangle);
            let inside = samples.iter().filter(|sample| lens.frames(sample)).count();
            inside_m2 += quarter_m2 * inside as f64;
            whole_m2 += quarter_m2 * 4.0;
        }
        if whole_m2 > 0.0 { inside_m2 / whole_m2 } else { 0.0 }
    }

    /// Centroids of the four midpoint sub-triangles, and the area of each.
    fn samples(&self, triangle: &Triangle) -> ([Vector3<f64>; 4], f64) {
        let [a, b, c] = self.positions(triangle);
        let sum = a + b + c;
        let samples = [sum / 3.0, (a * 3.0 + sum) / 6.0, (b * 3.0 + sum) / 6.0, (c * 3.0 + sum) / 6.0];
        (samples, (b - a).cross(&(c - a)).norm() / 8.0)
    }
}
