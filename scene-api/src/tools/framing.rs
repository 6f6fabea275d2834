//! Where a camera that looks one way must stand so that a box is just in its picture.

use geometry_checks::Aabb;
use nalgebra::{Matrix4, Point3, Vector3};
use scene_document::Projection;

/// Least distance between the camera and the box, as a share of the box's diagonal: with a wide lens all of the box may
/// be in the picture from a corner of it.
const NEAREST_SHARE: f64 = 0.1;
/// How far from a parallel view's near plane the box is put, in diagonals: what stands before it is in the way.
const PARALLEL_SHARE: f64 = 1.0;
/// Half the side of the smallest parallel view.
const LEAST_MAG_M: f64 = 0.001;

/// A camera's axes in world space: unit, perpendicular, right-handed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axes {
    pub(super) right: Vector3<f64>,
    pub(super) up: Vector3<f64>,
    /// Against the way it looks.
    pub(super) back: Vector3<f64>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Fitted {
    pub(super) eye_m: Point3<f64>,
    /// As given, but for clip planes that would cut the box, and the extents of a parallel view.
    pub(super) projection: Projection,
    /// Share of the picture's width and height from the middle that the box reaches, each in [0, 1].
    pub(super) reach: [f64; 2],
    /// From the camera to the middle of the box, along the view.
    pub(super) distance_m: f64,
}

impl Axes {
    /// Scale and shear removed; the way it looks is kept.
    pub(super) fn of(world_from_node: &Matrix4<f64>) -> Self {
        let axis = |column: usize| world_from_node.fixed_view::<3, 1>(0, column).into_owned();
        let back = axis(2).normalize();
        let up = (axis(1) - back * back.dot(&axis(1))).normalize();
        Self { right: up.cross(&back), up, back }
    }
}

/// Every corner of the box is in the picture, `margin` (share of its half width and half height) away from its
/// border, between the clip planes; no nearer place along the axes does that. `aspect` is width / height.
pub(super) fn fitted(bounds: &Aabb, axes: Axes, projection: Projection, aspect: f64, margin: f64) -> Fitted {
    let corners = corners(bounds, &axes);
    let nearest = corners.iter().map(|corner| corner.z).fold(f64::NEG_INFINITY, f64::max);
    let farthest = corners.iter().map(|corner| corner.z).fold(f64::INFINITY, f64::min);
    let free = 1.0 - margin;
    let ([x, y], distance_m, projection, reach) = match projection {
        Projection::Perspective { yfov_rad, aspect: own_aspect, znear_m, zfar_m } => {
            let tangent = libm::tan(yfov_rad / 2.0);
            let slopes = [tangent * aspect, tangent];
            let across = narrowest(&corners, |corner| corner.x, slopes[0] * free);
            let upright = narrowest(&corners, |corner| corner.y, slopes[1] * free);
            let apart_m = nearest + NEAREST_SHARE * bounds.diagonal();
            let distance_m = across.distance_m.max(upright.distance_m).max(apart_m);
            let (znear_m, zfar_m) = planes(znear_m, zfar_m, distance_m - nearest, distance_m - farthest);
            let projection = Projection::Perspective { yfov_rad, aspect: own_aspect, znear_m, zfar_m };
            let reach = |part: fn(&Vector3<f64>) -> f64, middle_m: f64, slope: f64| {
                let seen = |corner: &Vector3<f64>| (part(corner) - middle_m).abs() / (slope * (distance_m - corner.z));
                corners.iter().map(seen).fold(0.0, f64::max)
            };
            let reach = [
                reach(|corner| corner.x, across.middle_m, slopes[0]),
                reach(|corner| corner.y, upright.middle_m, slopes[1]),
            ];
            ([across.middle_m, upright.middle_m], distance_m, projection, reach)
        }
        Projection::Orthographic { znear_m, zfar_m, .. } => {
            let half =
                |part: fn(&Vector3<f64>) -> f64| corners.iter().map(|corner| part(corner).abs()).fold(0.0, f64::max);
            let (half_width, half_height) = (half(|corner| corner.x), half(|corner| corner.y));
            let ymag_m = (half_height / free).max(half_width / free / aspect).max(LEAST_MAG_M / aspect.min(1.0));
            let xmag_m = ymag_m * aspect;
            let distance_m = nearest + znear_m + PARALLEL_SHARE * bounds.diagonal();
            let (_, zfar) = planes(znear_m, Some(zfar_m), distance_m - nearest, distance_m - farthest);
            let zfar_m = zfar.unwrap_or(zfar_m);
            let projection = Projection::Orthographic { xmag_m, ymag_m, znear_m, zfar_m };
            ([0.0; 2], distance_m, projection, [half_width / xmag_m, half_height / ymag_m])
        }
    };
    let eye_m = bounds.centre() + axes.right * x + axes.up * y + axes.back * distance_m;
    Fitted { eye_m, projection, reach, distance_m }
}

/// Right, up and back of each corner, from the middle of the box.
fn corners(bounds: &Aabb, axes: &Axes) -> [Vector3<f64>; 8] {
    let half = bounds.extents() / 2.0;
    std::array::from_fn(|corner| {
        let side = |bit: usize, half: f64| if (corner >> bit) & 1 == 1 { half } else { -half };
        let corner = Vector3::new(side(0, half.x), side(1, half.y), side(2, half.z));
        Vector3::new(corner.dot(&axes.right), corner.dot(&axes.up), corner.dot(&axes.back))
    })
}

/// Where the camera stands across one axis of the picture, and how far back at least.
struct Narrowest {
    middle_m: f64,
    distance_m: f64,
}

/// A corner at `p` across and `z` back is in a picture of slope k, seen from `m` across and `d` back, where
/// |p − m| ≤ k · (d − z): that is, p + k·z ≤ k·d + m and −p + k·z ≤ k·d − m. The largest left sides are met at once.
fn narrowest(corners: &[Vector3<f64>; 8], part: fn(&Vector3<f64>) -> f64, slope: f64) -> Narrowest {
    let most = |sign: f64| {
        corners.iter().map(|corner| sign * part(corner) + slope * corner.z).fold(f64::NEG_INFINITY, f64::max)
    };
    let (above, below) = (most(1.0), most(-1.0));
    Narrowest { middle_m: (above - below) / 2.0, distance_m: (above + below) / (2.0 * slope) }
}

/// The clip planes, moved where they would cut what lies between the two depths.
fn planes(znear_m: f64, zfar_m: Option<f64>, from_m: f64, to_m: f64) -> (f64, Option<f64>) {
    let near = if znear_m < from_m { znear_m } else { from_m / 2.0 };
    (near, zfar_m.map(|far| if far > to_m { far } else { 2.0 * to_m }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM_THE_FRONT: Axes =
        Axes { right: Vector3::new(1.0, 0.0, 0.0), up: Vector3::new(0.0, 1.0, 0.0), back: Vector3::new(0.0, 0.0, 1.0) };

    fn cube() -> Aabb {
        Aabb { min: Point3::new(-1.0, -1.0, -1.0), max: Point3::new(1.0, 1.0, 1.0) }
    }

    fn right_angle(znear_m: f64, zfar_m: Option<f64>) -> Projection {
        Projection::Perspective { yfov_rad: std::f64::consts::FRAC_PI_2, aspect: None, znear_m, zfar_m }
    }

    #[test]
    fn a_cube_is_as_far_as_its_front_needs() {
        // The front face, 1 m before the middle, is 1 m high on either side: 45° see it from 1 m.
        let tight = fitted(&cube(), FROM_THE_FRONT, right_angle(0.05, None), 1.0, 0.0);
        assert!((tight.eye_m - Point3::new(0.0, 0.0, 2.0)).norm() < 1e-12, "{tight:?}");
        // Half of the picture left free: from 2 m. A picture twice as wide does not matter, one half as wide does.
        for (aspect, margin, distance_m) in [(1.0, 0.5, 3.0), (2.0, 0.5, 3.0), (0.5, 0.5, 5.0)] {
            let fit = fitted(&cube(), FROM_THE_FRONT, right_angle(0.05, None), aspect, margin);
            assert!((fit.distance_m - distance_m).abs() < 1e-12, "{fit:?}");
            assert!((fit.reach[0].max(fit.reach[1]) - (1.0 - margin)).abs() < 1e-12, "{fit:?}");
        }
    }

    #[test]
    fn clip_planes_that_would_cut_are_moved() {
        // The cube is between 1 and 3 m away.
        let planes = |znear_m, zfar_m| {
            let fit = fitted(&cube(), FROM_THE_FRONT, right_angle(znear_m, zfar_m), 1.0, 0.0);
            let Projection::Perspective { znear_m, zfar_m, .. } = fit.projection else { panic!("{fit:?}") };
            (znear_m, zfar_m)
        };
        assert_eq!(planes(0.05, Some(4.0)), (0.05, Some(4.0)));
        let (near, far) = planes(2.0, Some(2.5));
        assert!((near - 0.5).abs() < 1e-9 && (far.unwrap() - 6.0).abs() < 1e-9, "{near} {far:?}");
    }

    #[test]
    fn a_parallel_view_is_as_large_as_the_box() {
        let flat = Projection::Orthographic { xmag_m: 7.0, ymag_m: 7.0, znear_m: 0.1, zfar_m: 1.0 };
        let fit = fitted(&cube(), FROM_THE_FRONT, flat, 2.0, 0.5);
        let Projection::Orthographic { xmag_m, ymag_m, zfar_m, .. } = fit.projection else { panic!("{fit:?}") };
        assert!((xmag_m - 4.0).abs() < 1e-12 && (ymag_m - 2.0).abs() < 1e-12, "{fit:?}");
        assert!(zfar_m > fit.distance_m + 1.0 && fit.distance_m > 1.1, "{fit:?}");
    }

    #[test]
    fn a_camera_is_never_in_the_box() {
        let wide = Projection::Perspective { yfov_rad: 2.8, aspect: None, znear_m: 0.05, zfar_m: None };
        let half = 0.5_f64.sqrt();
        let across = Axes {
            right: Vector3::new(half, 0.0, -half),
            up: Vector3::new(0.0, 1.0, 0.0),
            back: Vector3::new(half, 0.0, half),
        };
        let plate = Aabb { min: Point3::new(-1.0, 0.0, -1.0), max: Point3::new(1.0, 0.0, 1.0) };
        let fit = fitted(&plate, across, wide, 1.0, 0.0);
        assert!(fit.eye_m.x > 1.0 && fit.eye_m.z > 1.0, "{fit:?}");
    }
}
