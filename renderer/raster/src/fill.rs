//! How much there is to draw, told without drawing it.

use crate::lens::Lens;
use crate::raster::clip_near;
use crate::tolerances::Tolerances;
use crate::window::Window;
use scene_document::{Baked, View};

/// Pixels of the boxes around the triangles, as far as they are in the picture, hidden or not: what any renderer's work
/// grows with. 0 for a view that sees nothing. O(triangles); the same on every machine.
#[must_use]
pub fn fill_px(scene: &Baked, view: &View) -> u64 {
    let Some(lens) = Lens::new(view, Tolerances::default().least_near_m) else { return 0 };
    let picture = Window::whole(&lens);
    let triangle_px = |corners: Option<[_; 3]>| {
        let Some(camera) = corners else { return 0 };
        let (polygon, count) = clip_near(&camera, lens.near_m);
        picture.around(polygon[..count].iter().map(|point| lens.to_pixel(point))).area_px() as u64
    };
    let of_mesh = |mesh: &scene_document::BakedMesh| {
        let at = |corner: u32| mesh.positions.get(corner as usize).map(|position| lens.to_camera(&position.coords));
        let triangles = mesh.triangles.iter().map(|[a, b, c]| Some([at(*a)?, at(*b)?, at(*c)?]));
        triangles.map(triangle_px).fold(0, u64::saturating_add)
    };
    scene.meshes.iter().map(of_mesh).fold(0, u64::saturating_add)
}
