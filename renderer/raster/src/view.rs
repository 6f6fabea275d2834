//! Where a picture is taken from, and the maps between world, camera and pixels.

use crate::tolerances::Tolerances;
use nalgebra::{Matrix3, Matrix4, Point3, Vector3};
use scene_document::Projection;

/// A camera (looks along its −Z, +Y is up) and the size of its picture in pixels.
///
/// The aspect ratio is always width / height; a perspective projection's own `aspect` is not used, as glTF allows.
/// An orthographic view volume is stretched to the picture. A side is at most `MAX_SIDE_PX`; if one is 0 the picture
/// has no pixels. A camera that cannot see (singular matrix, field of view outside (0, π)) gives an empty picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// Rigid.
    pub world_from_camera: Matrix4<f64>,
    pub projection: Projection,
    pub width: u32,
    pub height: u32,
}

impl View {
    pub const MAX_SIDE_PX: u32 = 4096;

    /// A perspective view of `target` with +Y up (+X to the right where it looks straight up or down); the near plane
    /// is at a thousandth of the distance, the far plane infinite.
    #[must_use]
    pub fn looking_at(eye: Point3<f64>, target: Point3<f64>, yfov_rad: f64, width: u32, height: u32) -> Self {
        let away = eye - target;
        let back = away.try_normalize(0.0).unwrap_or(Vector3::new(0.0, 0.0, 1.0));
        let right = Vector3::new(back.z, 0.0, -back.x).try_normalize(0.0).unwrap_or(Vector3::new(1.0, 0.0, 0.0));
        let up = back.cross(&right);
        #[rustfmt::skip]
        let world_from_camera = Matrix4::new(
            right.x, up.x, back.x, eye.x,
            right.y, up.y, back.y, eye.y,
            right.z, up.z, back.z, eye.z,
            0.0, 0.0, 0.0, 1.0,
        );
        let znear_m = away.norm() * Tolerances::default().near_share;
        let projection = Projection::Perspective { yfov_rad, aspect: None, znear_m, zfar_m: None };
        Self { world_from_camera, projection, width, height }
    }

    /// Width and height of the picture, (0, 0) if it has no pixels.
    pub(crate) fn size(&self) -> (u32, u32) {
        match (self.width.min(Self::MAX_SIDE_PX), self.height.min(Self::MAX_SIDE_PX)) {
            (0, _) | (_, 0) => (0, 0),
            size => size,
        }
    }
}

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
