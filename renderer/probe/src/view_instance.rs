//! A view as the shader takes it: an instance of the vertices.

use crate::{ProbeScene, RenderError};
use bytemuck::{Pod, Zeroable};
use nalgebra::{Matrix4, Vector3, Vector4};
use scene_document::{LEAST_NEAR_M, Projection, View};

/// Room that an orthographic view leaves before and behind the scene, as a share of the scene's size and of its
/// distance from the origin, so that rounding clips nothing.
const ROOM: f64 = 1e-3;

/// Computed in f64, rounded once. Clip space has z = w at the near plane and z = 0 at the far one: the precision of a
/// floating-point depth buffer is where it is needed.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub(crate) struct ViewInstance {
    /// Rows.
    clip_from_world: [[f32; 4]; 4],
    /// The row that gives metres along the view axis.
    depth_from_world: [f32; 4],
    /// The eye and 1; in an orthographic view the direction towards the viewer and 0.
    viewer: [f32; 4],
}

struct Lens {
    perspective: bool,
    /// Clip space per tangent (perspective) or per metre (orthographic), x and y.
    scale: [f64; 2],
    near_m: f64,
    far_m: f64,
    camera_from_world: Matrix4<f64>,
}

impl ViewInstance {
    /// `None` where nothing of the scene can be in the picture; `NoPixels` where the view does not see.
    pub(crate) fn new(view: &View, scene: &ProbeScene) -> Result<Option<Self>, RenderError> {
        let lens = Lens::new(view).ok_or(RenderError::NoPixels { width: view.width, height: view.height })?;
        if scene.indices.is_empty() {
            return Ok(None);
        }
        let row = |index: usize| lens.camera_from_world.row(index).transpose();
        let depth: Vector4<f64> = -row(2);
        let [near_m, far_m] = lens.depth_range(&depth, scene);
        let in_order = near_m < far_m;
        if !in_order {
            return Ok(None);
        }
        let [scale_x, scale_y] = lens.scale;
        let clip = if lens.perspective {
            [row(0) * scale_x, row(1) * scale_y, perspective_z(&depth, near_m, far_m), depth]
        } else {
            [row(0) * scale_x, row(1) * scale_y, (constant(far_m) - depth) / (far_m - near_m), constant(1.0)]
        };
        let (column, is_point) = if lens.perspective { (3, 1.0) } else { (2, 0.0) };
        let [x, y, z] = [0, 1, 2].map(|axis: usize| view.world_from_camera[(axis, column)]);
        Ok(Some(Self {
            clip_from_world: clip.map(|row| single(&row)),
            depth_from_world: single(&depth),
            viewer: single(&Vector4::new(x, y, z, is_point)),
        }))
    }
}

impl Lens {
    /// `None` where the view does not see.
    fn new(view: &View) -> Option<Self> {
        let camera_from_world = view.world_from_camera.try_inverse().filter(|_| view.sees())?;
        let (perspective, scale, near_m, far_m) = match view.projection {
            Projection::Perspective { yfov_rad, znear_m, zfar_m, .. } => {
                let scale = 1.0 / libm::tan(yfov_rad / 2.0);
                let height_per_width = f64::from(view.height) / f64::from(view.width);
                let far_m = zfar_m.unwrap_or(f64::INFINITY);
                (true, [scale * height_per_width, scale], znear_m.max(LEAST_NEAR_M), far_m)
            }
            Projection::Orthographic { xmag_m, ymag_m, znear_m, zfar_m } => {
                (false, [1.0 / xmag_m, 1.0 / ymag_m], znear_m, zfar_m)
            }
        };
        Some(Self { perspective, scale, near_m, far_m, camera_from_world })
    }

    /// Near and far plane, metres. The depths of an orthographic view are evenly fine from plane to plane, so its
    /// planes are moved up to the scene.
    fn depth_range(&self, depth: &Vector4<f64>, scene: &ProbeScene) -> [f64; 2] {
        let in_order = self.near_m < self.far_m;
        if self.perspective || !in_order {
            return [self.near_m, self.far_m];
        }
        let [least, most] = scene.bounds_m.map(|corner| Vector3::from(corner.map(f64::from)));
        let room_m = ROOM * ((most - least).norm() + least.amax().max(most.amax()));
        let (mut nearest_m, mut farthest_m) = (f64::INFINITY, f64::NEG_INFINITY);
        for bits in 0..8_usize {
            let [x, y, z] = [0, 1, 2].map(|axis: usize| if (bits >> axis) & 1 == 1 { most[axis] } else { least[axis] });
            let depth_m = depth.dot(&Vector4::new(x, y, z, 1.0));
            (nearest_m, farthest_m) = (nearest_m.min(depth_m), farthest_m.max(depth_m));
        }
        [self.near_m.max(nearest_m - room_m), self.far_m.min(farthest_m + room_m)]
    }
}

/// z/w is near · (far − depth) / (depth · (far − near)), which is near / depth without a far plane.
fn perspective_z(depth: &Vector4<f64>, near_m: f64, far_m: f64) -> Vector4<f64> {
    if far_m.is_infinite() {
        return constant(near_m);
    }
    (constant(far_m) - depth) * (near_m / (far_m - near_m))
}

fn constant(value: f64) -> Vector4<f64> {
    Vector4::new(0.0, 0.0, 0.0, value)
}

fn single(row: &Vector4<f64>) -> [f32; 4] {
    row.map(|value| value as f32).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Vertex;

    fn triangle() -> ProbeScene {
        let vertex = Vertex { position_m: [0.0; 3], normal: [0.0, 0.0, 1.0], mesh_id: 1, luma: 1.0 };
        ProbeScene { vertices: vec![vertex; 3], indices: vec![0, 1, 2], bounds_m: [[-1.0; 3], [1.0; 3]] }
    }

    /// A camera at (0, 0, 5).
    fn view(projection: Projection) -> View {
        let world_from_camera = Matrix4::new_translation(&Vector3::new(0.0, 0.0, 5.0));
        View { world_from_camera, projection, width: 200, height: 100 }
    }

    fn clip(instance: &ViewInstance, point: [f32; 3]) -> [f32; 4] {
        let [x, y, z] = point;
        instance.clip_from_world.map(|row| row[0] * x + row[1] * y + row[2] * z + row[3])
    }

    #[test]
    fn perspective_maps_near_to_one_far_to_zero_and_the_field_of_view_to_the_picture() {
        let half_rad = 0.5;
        for zfar_m in [None, Some(10.0)] {
            let projection = Projection::Perspective { yfov_rad: 2.0 * half_rad, aspect: None, znear_m: 0.25, zfar_m };
            let instance = ViewInstance::new(&view(projection), &triangle()).unwrap().unwrap();
            let [_, _, z, w] = clip(&instance, [0.0, 0.0, 4.75]);
            assert!((z / w - 1.0).abs() < 1e-6 && (w - 0.25).abs() < 1e-6, "{z} {w}");
            let top_right = [2.0 * libm::tan(half_rad) as f32, libm::tan(half_rad) as f32, 4.0];
            let [x, y, _, w] = clip(&instance, top_right);
            assert!((x / w - 1.0).abs() < 1e-6 && (y / w - 1.0).abs() < 1e-6, "{x} {y} {w}");
            if zfar_m.is_some() {
                assert!(clip(&instance, [0.0, 0.0, -5.0])[2].abs() < 1e-6);
            }
        }
    }

    #[test]
    fn orthographic_planes_are_moved_up_to_the_scene_and_never_apart() {
        let depths = |znear_m: f64, zfar_m: f64| {
            let projection = Projection::Orthographic { xmag_m: 2.0, ymag_m: 1.0, znear_m, zfar_m };
            let instance = ViewInstance::new(&view(projection), &triangle()).unwrap()?;
            // z is linear in depth: 1 at the near plane, 0 at the far one.
            let [at_4, at_6] = [1.0, -1.0].map(|z| clip(&instance, [0.0, 0.0, z])[2]);
            let per_metre = (at_4 - at_6) / 2.0;
            Some([4.0 - (1.0 - at_4) / per_metre, 6.0 + at_6 / per_metre])
        };
        let [near_m, far_m] = depths(0.0, f64::INFINITY).unwrap();
        assert!((3.9..4.0).contains(&near_m) && (6.0..6.1).contains(&far_m), "{near_m} {far_m}");
        let [near_m, far_m] = depths(4.5, 5.5).unwrap();
        assert!((near_m - 4.5).abs() < 1e-5 && (far_m - 5.5).abs() < 1e-5, "{near_m} {far_m}");
        assert_eq!(depths(7.0, 9.0), None);
        assert_eq!(depths(5.0, 5.0), None);
    }

    #[test]
    fn a_view_that_does_not_see_has_no_pixels() {
        let perspective =
            |yfov_rad: f64| Projection::Perspective { yfov_rad, aspect: None, znear_m: 0.1, zfar_m: None };
        let flat = View { world_from_camera: Matrix4::zeros(), ..view(perspective(1.0)) };
        let backwards = view(perspective(4.0));
        let narrow = View { width: 0, ..view(perspective(1.0)) };
        let wide = View { width: View::MAX_SIDE_PX + 1, ..view(perspective(1.0)) };
        for view in [flat, backwards, narrow, wide] {
            let no_pixels = RenderError::NoPixels { width: view.width, height: view.height };
            assert_eq!(ViewInstance::new(&view, &triangle()), Err(no_pixels));
        }
    }
}
