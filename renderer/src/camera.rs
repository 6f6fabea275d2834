//! A view as Bevy takes it, and what each pass asks of the camera.

use crate::extent::Extent;
use crate::lights::Lighting;
use crate::shot::Pass;
use crate::{WHITE_CD_M2, ev100};
use bevy::asset::Handle;
use bevy::camera::{
    Camera, Camera3d, CameraProjection, ClearColorConfig, Exposure, Hdr, Projection, RenderTarget, ShadowLodOrigin,
    SubCameraView,
};
use bevy::color::Color;
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::ecs::entity::Entity;
use bevy::ecs::world::World;
use bevy::image::Image;
use bevy::light::AmbientLight;
use bevy::light::cluster::{ClusterConfig, ClusterFarZMode, ClusterZConfig};
use bevy::math::{Mat4, UVec3, Vec3A};
use bevy::render::view::Msaa;
use bevy::transform::components::Transform;
use nalgebra::{Matrix4, Point3};
use scene_document::{LEAST_NEAR_M, View};

/// What an orthographic view shows in front of and behind the sphere around the scene, as a share of its radius.
const ROOM: f64 = 0.01;
/// In Bevy's units: a near plane here leaves nothing to see.
const NOWHERE: f64 = 1e20;
/// In Bevy's units: beyond all scenes, because Bevy leaves out lights whose range begins behind the far plane.
const FARTHEST: f32 = 1e12;
/// Linear; in sRGB it is the grey 96.
const BEAUTY_BACKGROUND: f32 = 0.117;

/// Where a picture is taken from, in Bevy's units.
#[derive(Debug, Clone)]
pub(crate) struct CameraSetup {
    transform: Transform,
    lens: Lens,
    /// Distance along the view axis to the far side of the scene.
    reach: f32,
}

/// The projection, computed in double precision. z/w is 1 at the near plane and 0 at the far one: single precision is
/// finest around 0, which makes up for what perspective loses far away.
#[derive(Debug, Clone)]
struct Lens {
    clip_from_view: Mat4,
    /// Corners of a cube around the scene, in view space.
    scene: [Vec3A; 8],
}

impl CameraSetup {
    /// `None` where the view does not see, or not in single precision.
    pub(crate) fn new(view: &View, extent: &Extent) -> Option<Self> {
        if !view.sees() {
            return None;
        }
        let view_from_world = view.world_from_camera.try_inverse()?;
        let centre = view_from_world.transform_point(&Point3::from(extent.centre_m)).coords;
        let radius_m = f64::from(extent.radius) / extent.units_per_metre;
        let clip_from_view = clip_from_view(view, extent.units_per_metre, -centre.z, radius_m);
        let is_finite = view_from_world.iter().chain(clip_from_view.iter()).all(|value| (*value as f32).is_finite());
        let mut world_from_view = view.world_from_camera;
        for axis in 0..3 {
            world_from_view[(axis, 3)] *= extent.units_per_metre;
        }
        let corner = |x: f32, y: f32, z: f32| Vec3A::from(extent.point(&centre)) + extent.radius * Vec3A::new(x, y, z);
        let face = |z: f32| [corner(1.0, -1.0, z), corner(1.0, 1.0, z), corner(-1.0, 1.0, z), corner(-1.0, -1.0, z)];
        let ([a, b, c, d], [e, f, g, h]) = (face(1.0), face(-1.0));
        is_finite.then(|| Self {
            transform: Transform::from_matrix(single(&world_from_view)),
            lens: Lens { clip_from_view: single(&clip_from_view), scene: [a, b, c, d, e, f, g, h] },
            reach: (extent.units(-centre.z) + extent.radius).max(1.0),
        })
    }

    /// A new camera for each picture, so that nothing is left of the one before.
    pub(crate) fn spawn(&self, world: &mut World, pass: Pass, lighting: &Lighting, target: Handle<Image>) -> Entity {
        let ([red, green, blue], msaa) = match pass {
            Pass::Beauty => (beauty_background(lighting), Msaa::Sample4),
            Pass::Hdr | Pass::Albedo | Pass::Normal | Pass::Depth | Pass::Id => ([0.0; 3], Msaa::Off),
        };
        let background = Color::linear_rgba(red, green, blue, 1.0);
        let exposure = Exposure { ev100: ev100() as f32 };
        // Bevy sorts lights into clusters of the view volume. With only one, every pixel has all lights, in one order.
        let lights = ClusterConfig::XYZ {
            dimensions: UVec3::ONE,
            z_config: ClusterZConfig {
                first_slice_depth: self.reach,
                far_z_mode: ClusterFarZMode::Constant(self.reach),
            },
            dynamic_resizing: false,
        };
        let camera = world.spawn((
            Camera3d::default(),
            Camera { clear_color: ClearColorConfig::Custom(background), ..Default::default() },
            RenderTarget::Image(target.into()),
            Projection::custom(self.lens.clone()),
            self.transform,
            Hdr,
            exposure,
            // The scorer's: linear to white, clipped there. What the measure calls white is white in the picture.
            Tonemapping::None,
            DebandDither::Disabled,
            // Else Bevy warns that it looks for one.
            ShadowLodOrigin,
            msaa,
            AmbientLight { brightness: lighting.ambient_cd_m2, ..Default::default() },
            lights,
        ));
        camera.id()
    }
}

/// The environment as it would be seen, else grey.
fn beauty_background(lighting: &Lighting) -> [f32; 3] {
    let shown = |part: f32| (part / WHITE_CD_M2 as f32).clamp(0.0, 1.0);
    lighting.environment_cd_m2.map_or([BEAUTY_BACKGROUND; 3], |light| light.to_array().map(shown))
}

/// The projection of a view that sees, in Bevy's units. The scene is a sphere whose centre is at `depth_m` along the
/// view axis.
fn clip_from_view(view: &View, units_per_metre: f64, depth_m: f64, radius_m: f64) -> Matrix4<f64> {
    let (x, y, near, far, perspective) = match view.projection {
        scene_document::Projection::Perspective { yfov_rad, znear_m, zfar_m, .. } => {
            let y = 1.0 / libm::tan(yfov_rad / 2.0);
            let x = y * f64::from(view.height) / f64::from(view.width);
            (x, y, znear_m.max(LEAST_NEAR_M), zfar_m.unwrap_or(f64::INFINITY), true)
        }
        scene_document::Projection::Orthographic { xmag_m, ymag_m, znear_m, zfar_m } => {
            // Here all depths are equally fine, so none are spent on what is in front of the scene or behind it.
            let room_m = radius_m * (1.0 + ROOM) + depth_m.abs() * f64::from(f32::EPSILON);
            let (near, far) = (znear_m.max(depth_m - room_m), zfar_m.min(depth_m + room_m));
            (1.0 / (xmag_m * units_per_metre), 1.0 / (ymag_m * units_per_metre), near, far, false)
        }
    };
    let (near, far) =
        if near < far { (near * units_per_metre, far * units_per_metre) } else { (NOWHERE, 2.0 * NOWHERE) };
    let (per_depth, constant) = match (perspective, far.is_finite()) {
        (true, false) => (0.0, near),
        (true, true) => (near / (far - near), near * far / (far - near)),
        (false, _) => (1.0 / (far - near), far / (far - near)),
    };
    let (w_per_depth, w) = if perspective { (-1.0, 0.0) } else { (0.0, 1.0) };
    #[rustfmt::skip]
    let rows = [
        x, 0.0, 0.0, 0.0,
        0.0, y, 0.0, 0.0,
        0.0, 0.0, per_depth, constant,
        0.0, 0.0, w_per_depth, w,
    ];
    Matrix4::from_row_slice(&rows)
}

fn single(matrix: &Matrix4<f64>) -> Mat4 {
    Mat4::from_cols_array_2d(&matrix.map(|value| value as f32).into())
}

impl CameraProjection for Lens {
    fn get_clip_from_view(&self) -> Mat4 {
        self.clip_from_view
    }

    fn get_clip_from_view_for_sub(&self, _: &SubCameraView) -> Mat4 {
        self.clip_from_view
    }

    /// The lens was made for the size of its picture, which does not change.
    fn update(&mut self, _: f32, _: f32) {}

    fn far(&self) -> f32 {
        FARTHEST
    }

    /// Bevy fits the shadow maps of directional lights to these. What is outside the picture throws shadows into it, so
    /// they are fitted to the scene, whatever the camera sees of it.
    fn get_frustum_corners(&self, _: f32, _: f32) -> [Vec3A; 8] {
        self.scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::math::Vec3;
    use nalgebra::Vector3;
    use scene_document::Projection;

    /// Around the origin; a unit is a metre.
    const EXTENT: Extent = Extent { units_per_metre: 1.0, centre_m: Vector3::new(0.0, 0.0, 0.0), radius: 8.0 };

    /// From (0, 0, 20).
    fn view(projection: Projection) -> View {
        let world_from_camera = Matrix4::new_translation(&Vector3::new(0.0, 0.0, 20.0));
        View { world_from_camera, projection, width: 200, height: 100 }
    }

    fn perspective(znear_m: f64, zfar_m: Option<f64>) -> View {
        view(Projection::Perspective { yfov_rad: 1.0, aspect: None, znear_m, zfar_m })
    }

    fn orthographic(znear_m: f64, zfar_m: f64) -> View {
        view(Projection::Orthographic { xmag_m: 4.0, ymag_m: 3.0, znear_m, zfar_m })
    }

    /// z/w at a depth.
    fn nearness(view: &View, depth: f32) -> f32 {
        let setup = CameraSetup::new(view, &EXTENT).unwrap();
        setup.lens.clip_from_view.project_point3(Vec3::new(0.0, 0.0, -depth)).z
    }

    #[test]
    fn near_is_one_and_far_is_zero() {
        for view in [perspective(0.5, None), perspective(0.5, Some(15.0)), orthographic(14.0, 15.0)] {
            let near = if view.projection == orthographic(14.0, 15.0).projection { 14.0 } else { 0.5 };
            assert!((nearness(&view, near) - 1.0).abs() < 1e-5, "{view:?}");
            assert!(nearness(&view, near * 0.9) > 1.0);
        }
        for view in [perspective(0.5, Some(15.0)), orthographic(14.0, 15.0)] {
            assert!(nearness(&view, 15.0).abs() < 1e-5, "{view:?}");
            assert!(nearness(&view, 16.0) < 0.0);
        }
        assert!(nearness(&perspective(0.5, None), 1e6) > 0.0);
    }

    #[test]
    fn orthographic_depths_are_spent_on_the_scene() {
        let wide = orthographic(0.0, 1e9);
        assert!((0.95..1.0).contains(&nearness(&wide, 12.0)), "{}", nearness(&wide, 12.0));
        assert!((0.0..0.05).contains(&nearness(&wide, 28.0)), "{}", nearness(&wide, 28.0));
    }

    #[test]
    fn planes_in_the_wrong_order_show_nothing() {
        for view in [perspective(5.0, Some(5.0)), orthographic(7.0, 7.0), orthographic(0.0, 3.0)] {
            for depth in [1.0, 6.0, 20.0] {
                assert!(!(0.0..=1.0).contains(&nearness(&view, depth)), "{view:?}");
            }
        }
    }

    #[test]
    fn a_view_that_cannot_see_has_no_camera() {
        let good = perspective(0.1, None);
        let flat = View { world_from_camera: Matrix4::zeros(), ..good };
        let backwards = view(Projection::Perspective { yfov_rad: 4.0, aspect: None, znear_m: 0.1, zfar_m: None });
        let narrow = View { width: 0, ..good };
        let tall = View { height: View::MAX_SIDE_PX + 1, ..good };
        assert!(CameraSetup::new(&good, &EXTENT).is_some());
        assert!([flat, backwards, narrow, tall].iter().all(|view| CameraSetup::new(view, &EXTENT).is_none()));
    }
}
