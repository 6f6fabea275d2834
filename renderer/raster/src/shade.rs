//! What the surfaces are like that a frame shows, for those who ask: most need ids and depth only.

use crate::frame::Frame;
use crate::scene::{Look, RasterScene};
use crate::view::{Lens, View};
use nalgebra::Vector3;

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
        let surfels = self.surfels(view, frame);
        Shade {
            normal: plane(&surfels, |surfel| [surfel.normal.x, surfel.normal.y, surfel.normal.z]),
            albedo: plane(&surfels, |surfel| surfel.look.albedo),
            emissive: plane(&surfels, |surfel| surfel.look.emissive),
        }
    }

    /// One per pixel.
    pub(crate) fn surfels(&self, view: &View, frame: &Frame) -> Vec<Option<Surfel<'_>>> {
        let Some(lens) = Lens::new(view, self.tolerances.least_near_m) else {
            return frame.triangle.iter().map(|_| None).collect();
        };
        let pixels = (0..frame.height).flat_map(|row| (0..frame.width).map(move |column| (column, row)));
        let seen = frame.triangle.iter().zip(&frame.depth_m).zip(&frame.from_behind);
        pixels
            .zip(seen)
            .map(|((column, row), ((id, depth_m), from_behind))| {
                let triangle = self.triangles.get(id.checked_sub(1)? as usize)?;
                let position = lens.sight(column, row).at(*depth_m);
                let toward_viewer = if *from_behind { -triangle.face_normal } else { triangle.face_normal };
                Some(Surfel {
                    position,
                    normal: self.shading_normal(triangle, &position, *from_behind),
                    lifted: position + toward_viewer * self.tolerances.shadow_offset_m,
                    look: self.look(triangle),
                })
            })
            .collect()
    }
}

fn plane(surfels: &[Option<Surfel>], value: impl Fn(&Surfel) -> [f64; 3]) -> Vec<[f32; 3]> {
    surfels.iter().map(|surfel| surfel.as_ref().map_or([0.0; 3], &value).map(|value| value as f32)).collect()
}
