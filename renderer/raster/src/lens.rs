//! The maps between world, camera and pixels.

use nalgebra::{Matrix3, Vector3};
use scene_document::{Projection, View};

/// What a view does to points. Depth is along the view axis, metres. "Nearness" grows towards the viewer and is linear
/// in pixel coordinates on every plane: 1 / depth in perspective, −depth in an orthographic view.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lens {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) near_m: f64,
    pub(crate) far_m: f64,
    perspective: bool,
    /// Pixels per unit of tangent (perspective) or per metre (orthographic), x and y.
    focal_px: [f64; 2],
    centre_px: [f64; 2],
    linear_camera_from_world: Matrix3<f64>,
    offset_camera_from_world: Vector3<f64>,
    linear_world_from_camera: Matrix3<f64>,
    eye: Vector3<f64>,
}

/// The world points seen at one pixel: `origin + depth_m * direction`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sight {
    origin: Vector3<f64>,
    direction: Vector3<f64>,
}

impl Sight {
    pub(crate) fn at(&self, depth_m: f64) -> Vector3<f64> {
        self.origin + self.direction * depth_m
    }
}

impl Lens {
    /// `None` where the view can show nothing.
    pub(crate) fn new(view: &View, least_near_m: f64) -> Option<Self> {
        let (width, height) = view.size();
        let centre_px = [f64::from(width) / 2.0, f64::from(height) / 2.0];
        let (perspective, focal_px, near_m, far_m) = match view.projection {
            Projection::Perspective { yfov_rad, znear_m, zfar_m, .. } => {
                let focal_px = centre_px[1] / libm::tan(yfov_rad / 2.0);
                (true, [focal_px; 2], znear_m.max(least_near_m), zfar_m.unwrap_or(f64::INFINITY))
            }
            Projection::Orthographic { xmag_m, ymag_m, znear_m, zfar_m } => {
                (false, [centre_px[0] / xmag_m, centre_px[1] / ymag_m], znear_m, zfar_m)
            }
        };
        let camera_from_world = view.world_from_camera.try_inverse()?;
        let sees = focal_px.iter().all(|focal| *focal > 0.0 && focal.is_finite());
        sees.then(|| Self {
            width,
            height,
            near_m,
            far_m,
            perspective,
            focal_px,
            centre_px,
            linear_camera_from_world: camera_from_world.fixed_view::<3, 3>(0, 0).into_owned(),
            offset_camera_from_world: camera_from_world.fixed_view::<3, 1>(0, 3).into_owned(),
            linear_world_from_camera: view.world_from_camera.fixed_view::<3, 3>(0, 0).into_owned(),
            eye: view.world_from_camera.fixed_view::<3, 1>(0, 3).into_owned(),
        })
    }

    pub(crate) fn to_camera(self, world: &Vector3<f64>) -> Vector3<f64> {
        self.linear_camera_from_world * world + self.offset_camera_from_world
    }

    /// Meaningful in front of the camera only.
    pub(crate) fn to_pixel(self, camera: &Vector3<f64>) -> [f64; 2] {
        let scale = if self.perspective { -1.0 / camera.z } else { 1.0 };
        [
            self.centre_px[0] + self.focal_px[0] * camera.x * scale,
            self.centre_px[1] - self.focal_px[1] * camera.y * scale,
        ]
    }

    pub(crate) fn nearness(&self, depth_m: f64) -> f64 {
        if self.perspective { 1.0 / depth_m } else { -depth_m }
    }

    pub(crate) fn depth_m(&self, nearness: f64) -> f64 {
        if self.perspective { 1.0 / nearness } else { -nearness }
    }

    /// Nearness on the plane through three camera-space points as `[per x, per y, constant]` of pixel coordinates;
    /// `None` for a plane seen edge-on. Taken from the plane n·p = d itself, not from the corners' pixels, which may be
    /// far outside the picture.
    pub(crate) fn nearness_plane(&self, [a, b, c]: &[Vector3<f64>; 3]) -> Option<[f64; 3]> {
        let normal = (b - a).cross(&(c - a));
        let distance = normal.dot(a);
        let [x, y, constant] = if self.perspective {
            [normal.x / distance, normal.y / distance, -normal.z / distance]
        } else {
            [-normal.x / normal.z, -normal.y / normal.z, distance / normal.z]
        };
        let (per_x, per_y) = (x / self.focal_px[0], -y / self.focal_px[1]);
        let plane = [per_x, per_y, constant - per_x * self.centre_px[0] - per_y * self.centre_px[1]];
        plane.iter().all(|coefficient| coefficient.is_finite()).then_some(plane)
    }

    /// Through the centre of a pixel.
    pub(crate) fn sight(&self, column: u32, row: u32) -> Sight {
        let x = (f64::from(column) + 0.5 - self.centre_px[0]) / self.focal_px[0];
        let y = (self.centre_px[1] - f64::from(row) - 0.5) / self.focal_px[1];
        let (origin, direction) = if self.perspective {
            (Vector3::zeros(), Vector3::new(x, y, -1.0))
        } else {
            (Vector3::new(x, y, 0.0), Vector3::new(0.0, 0.0, -1.0))
        };
        Sight {
            origin: self.linear_world_from_camera * origin + self.eye,
            direction: self.linear_world_from_camera * direction,
        }
    }

    /// Whether the side of a world plane is seen that its normal points away from.
    pub(crate) fn shows_back(&self, on_plane: &Vector3<f64>, normal: &Vector3<f64>) -> bool {
        let backward = self.linear_world_from_camera.column(2).into_owned();
        let direction = if self.perspective { on_plane - self.eye } else { -backward };
        normal.dot(&direction) > 0.0
    }

    /// Whether a world point is between the near and far planes and projects into the picture.
    pub(crate) fn frames(&self, world: &Vector3<f64>) -> bool {
        let camera = self.to_camera(world);
        let [x, y] = self.to_pixel(&camera);
        (self.near_m..=self.far_m).contains(&-camera.z)
            && (0.0..=f64::from(self.width)).contains(&x)
            && (0.0..=f64::from(self.height)).contains(&y)
    }
}
