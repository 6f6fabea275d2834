//! What the surfaces are like that a frame shows, for those who ask: most need ids and depth only.

use crate::frame::Frame;
use crate::lens::Lens;
use crate::scene::{Look, RasterScene};
use nalgebra::Vector3;
use rayon::prelude::*;
use scene_document::View;

/// Planes of one value per pixel of the frame; zero where nothing is seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Shade {
    /// Unit shading normal in world space: interpolated where the mesh has normals, else the face's; turned round where
    /// the triangle is seen from behind, so a face's normal points at the viewer.
    pub normal: Vec<[f32; 3]>,
    /// Linear RGB.
    pub albedo: Vec<[f32; 3]>,
    /// Linear RGB, nits.
    pub emissive: Vec<[f32; 3]>,
}

/// What one pixel shows.
pub(crate) struct Surfel<'a> {
    pub(crate) position: Vector3<f64>,
    /// Unit, for shading.
    pub(crate) normal: Vector3<f64>,
    /// Where shadow rays start: a little above the face, on the viewer's side.
    pub(crate) lifted: Vector3<f64>,
    pub(crate) look: &'a Look,
}

impl RasterScene {
    /// Normals and colours of what `frame` shows; `frame` is this scene's, taken with `view`.
    #[must_use]
    pub fn shade(&self, view: &View, frame: &Frame) -> Shade {
        // Not cloned: zeroed memory costs nothing where nothing is written.
        let [normal, albedo, emissive] = [(); 3].map(|()| vec![[0.0; 3]; frame.mesh.len()]);
        let mut shade = Shade { normal, albedo, emissive };
        let width = frame.width.max(1) as usize;
        let Shade { normal, albedo, emissive } = &mut shade;
        let rows = normal.par_chunks_mut(width).zip(albedo.par_chunks_mut(width)).zip(emissive.par_chunks_mut(width));
        rows.zip(self.surfels(view, frame)).for_each(|(((normal, albedo), emissive), surfels)| {
            for (column, surfel) in surfels.enumerate() {
                let Some(surfel) = surfel else { continue };
                normal[column] = surfel.normal.map(|value| value as f32).into();
                albedo[column] = surfel.look.albedo.map(|value| value as f32);
                emissive[column] = surfel.look.emissive.map(|value| value as f32);
            }
        });
        shade
    }

    /// One per pixel, row by row.
    pub(crate) fn surfels<'a>(
        &'a self,
        view: &View,
        frame: &'a Frame,
    ) -> impl IndexedParallelIterator<Item = impl Iterator<Item = Option<Surfel<'a>>>> {
        let lens = Lens::new(view, self.tolerances.least_near_m);
        let width = frame.width as usize;
        (0..frame.height as usize).into_par_iter().map(move |row| {
            (0..width).map(move |column| {
                let pixel = row * width + column;
                let triangle = self.triangles.get(frame.triangle[pixel].checked_sub(1)? as usize)?;
                let from_behind = frame.from_behind[pixel];
                let position = lens?.sight(column as u32, row as u32).at(frame.depth_m[pixel]);
                let toward_viewer = if from_behind { -triangle.face_normal } else { triangle.face_normal };
                Some(Surfel {
                    position,
                    normal: self.shading_normal(triangle, &position, from_behind),
                    lifted: position + toward_viewer * self.tolerances.shadow_offset_m,
                    look: self.look(triangle),
                })
            })
        })
    }
}
