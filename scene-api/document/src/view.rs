//! Where a picture is taken from: a camera in world space and the size of its picture. Every renderer takes the same.

use crate::{Baked, BakedCamera, NodeId, Projection};
use nalgebra::{Matrix4, Point3, Vector3};
use std::f64::consts::PI;

/// A perspective near plane is never closer than this, whatever the camera says.
pub const LEAST_NEAR_M: f64 = 1e-6;
/// Near plane of a view that looks at something, as a share of the distance to it.
const NEAR_SHARE: f64 = 1e-3;
/// Vertical field of view of `Baked::view` where there is no camera.
const FRAMED_YFOV_RAD: f64 = 50.0 * PI / 180.0;
/// Three-quarter view from the front, the right and above; not of unit length.
const FRAMED_FROM: Vector3<f64> = Vector3::new(1.0, 0.8, 1.5);

/// A camera (looks along its −Z, +Y is up) and the size of its picture in pixels.
///
/// The aspect ratio is always width / height; a perspective projection's own `aspect` is not used, as glTF allows.
/// An orthographic view volume is stretched to the picture. A view that does not [see](View::sees) gives an empty
/// picture or is refused.
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
        let projection =
            Projection::Perspective { yfov_rad, aspect: None, znear_m: away.norm() * NEAR_SHARE, zfar_m: None };
        Self { world_from_camera, projection, width, height }
    }

    /// From the direction `towards_eye` (any length) and just far enough away that the whole sphere is in the picture.
    #[must_use]
    pub fn framing(
        centre: Point3<f64>,
        radius_m: f64,
        towards_eye: Vector3<f64>,
        yfov_rad: f64,
        width: u32,
        height: u32,
    ) -> Self {
        let half_rad = if width >= height {
            yfov_rad / 2.0
        } else {
            libm::atan(libm::tan(yfov_rad / 2.0) * f64::from(width) / f64::from(height))
        };
        let distance_m = radius_m / libm::sin(half_rad);
        let direction = towards_eye.try_normalize(0.0).unwrap_or(Vector3::new(0.0, 0.0, 1.0));
        Self::looking_at(centre + direction * distance_m, centre, yfov_rad, width, height)
    }

    /// Whether there can be a picture: each side has 1 to `MAX_SIDE_PX` pixels, the matrix has an inverse, and the view
    /// volume has a width and a height (field of view between 0 and π, half extents above 0).
    #[must_use]
    pub fn sees(&self) -> bool {
        let sides = 1..=Self::MAX_SIDE_PX;
        let has_pixels = sides.contains(&self.width) && sides.contains(&self.height);
        let camera_from_world = self.world_from_camera.try_inverse();
        let is_placed = camera_from_world.is_some_and(|matrix| matrix.iter().all(|value| value.is_finite()));
        has_pixels && is_placed && has_volume(&self.projection)
    }

    /// Width and height of the picture, (0, 0) if it has no pixels.
    #[must_use]
    pub fn size(&self) -> (u32, u32) {
        match (self.width.min(Self::MAX_SIDE_PX), self.height.min(Self::MAX_SIDE_PX)) {
            (0, _) | (_, 0) => (0, 0),
            size => size,
        }
    }
}

impl BakedCamera {
    #[must_use]
    pub fn view(&self, width: u32, height: u32) -> View {
        View { world_from_camera: self.world_from_camera, projection: self.projection, width, height }
    }
}

impl Baked {
    /// The camera to look through: the active one, else the first.
    #[must_use]
    pub fn camera(&self) -> Option<&BakedCamera> {
        self.cameras_in_order().next()
    }

    /// The camera whose node has this name; of several the active one, else the first.
    #[must_use]
    pub fn camera_named(&self, name: &str) -> Option<&BakedCamera> {
        self.cameras_in_order().find(|camera| camera.name == name)
    }

    /// The active one comes before all.
    fn cameras_in_order(&self) -> impl Iterator<Item = &BakedCamera> {
        self.active_camera.and_then(|index| self.cameras.get(index)).into_iter().chain(&self.cameras)
    }

    /// Through `camera`, and its node; where there is none, a three-quarter view of everything.
    #[must_use]
    pub fn view(&self, width: u32, height: u32) -> (View, Option<NodeId>) {
        match self.camera() {
            Some(camera) => (camera.view(width, height), Some(camera.node)),
            None => {
                let (centre, radius_m) = self.sphere();
                (View::framing(centre, radius_m, FRAMED_FROM, FRAMED_YFOV_RAD, width, height), None)
            }
        }
    }

    /// Centre and radius (metres, > 0) of a sphere around every mesh: that of the bounding box. The unit sphere where
    /// nothing has an extent.
    #[must_use]
    pub fn sphere(&self) -> (Point3<f64>, f64) {
        let mut min = Vector3::repeat(f64::INFINITY);
        let mut max = -min;
        for position in self.meshes.iter().flat_map(|mesh| &mesh.positions) {
            if position.iter().all(|value| value.is_finite()) {
                min = min.inf(&position.coords);
                max = max.sup(&position.coords);
            }
        }
        let radius_m = (max - min).norm() / 2.0;
        if radius_m > 0.0 && radius_m.is_finite() {
            (Point3::from((min + max) / 2.0), radius_m)
        } else {
            (Point3::origin(), 1.0)
        }
    }
}

/// Whether what it shows of the world has a width and a height.
fn has_volume(projection: &Projection) -> bool {
    let scales = match *projection {
        Projection::Perspective { yfov_rad, .. } if (0.0..PI).contains(&yfov_rad) => {
            [1.0 / libm::tan(yfov_rad / 2.0); 2]
        }
        Projection::Perspective { .. } => return false,
        Projection::Orthographic { xmag_m, ymag_m, .. } => [1.0 / xmag_m, 1.0 / ymag_m],
    };
    scales.iter().all(|scale| *scale > 0.0 && scale.is_finite())
}
