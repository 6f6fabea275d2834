//! Every kind of view shows what the reference rasteriser sees through it.

use crate::golden::renderer;
use crate::scenes::{agreeing, draw, ids, overview, scene, solids, soon};
use nalgebra::{Matrix4, Point3, Vector3};
use renderer::{Pass, Pixels, RenderError, Shot};
use scene_document::{Baked, Projection, View};
use scene_raster::RasterScene;
use std::sync::Arc;

/// Drawn from both sides, as the rasteriser does: some of these views look into what their planes cut open.
fn shells() -> Arc<Baked> {
    let mut meshes = solids();
    for mesh in &mut meshes {
        mesh.surfaces[0].double_sided = true;
    }
    scene(meshes, vec![])
}

/// Answers the share of pixels that show something.
fn assert_seen_as_by_the_rasteriser(view: &View) -> f64 {
    let scene = shells();
    let frame = RasterScene::new(&scene).frame(view);
    let ids = ids(&scene, view);
    assert!(agreeing(&ids, &frame.mesh) >= 0.999, "{}: {view:?}", agreeing(&ids, &frame.mesh));
    let Pixels::DepthM(depth_m) = draw(&scene, view, Pass::Depth).pixels else { panic!("no depths") };
    let same = || (0..ids.len()).filter(|pixel| ids[*pixel] == frame.mesh[*pixel]);
    let near = |pixel: &usize| {
        let (drawn, expected) = (f64::from(depth_m[*pixel]), frame.depth_m[*pixel]);
        drawn == expected || (drawn - expected).abs() <= 1e-3 * expected.abs()
    };
    let share = same().filter(near).count() as f64 / same().count() as f64;
    assert!(share >= 0.999, "depths {share}: {view:?}");
    ids.iter().filter(|id| **id > 0).count() as f64 / ids.len() as f64
}

fn through(projection: Projection, width: u32, height: u32) -> View {
    View { projection, ..overview(width, height) }
}

fn perspective(znear_m: f64, zfar_m: Option<f64>) -> Projection {
    Projection::Perspective { yfov_rad: 0.8, aspect: Some(7.0), znear_m, zfar_m }
}

#[test]
fn orthographic_views_are_stretched_to_the_picture() {
    let wide = Projection::Orthographic { xmag_m: 2.5, ymag_m: 3.0, znear_m: 0.1, zfar_m: 100.0 };
    let seen = assert_seen_as_by_the_rasteriser(&through(wide, 300, 160));
    assert!((0.2..0.9).contains(&seen), "{seen}");
    let cut = Projection::Orthographic { xmag_m: 2.5, ymag_m: 3.0, znear_m: 0.0, zfar_m: 6.4 };
    assert!(assert_seen_as_by_the_rasteriser(&through(cut, 300, 160)) < seen);
}

#[test]
fn perspective_views_are_cut_by_their_planes() {
    let all = assert_seen_as_by_the_rasteriser(&through(perspective(0.1, None), 240, 180));
    let near = assert_seen_as_by_the_rasteriser(&through(perspective(6.3, None), 240, 180));
    let far = assert_seen_as_by_the_rasteriser(&through(perspective(0.1, Some(6.3)), 240, 180));
    assert!(near < all && far < all && near > 0.0 && far > 0.0, "{all} {near} {far}");
}

#[test]
fn portraits_and_pictures_of_the_edge_are_not_distorted() {
    assert_seen_as_by_the_rasteriser(&overview(120, 250));
    let aside = View::looking_at(Point3::new(2.2, 3.0, 4.2), Point3::new(-2.5, 1.5, -1.0), 1.1, 260, 140);
    let seen = assert_seen_as_by_the_rasteriser(&aside);
    assert!((0.05..0.9).contains(&seen), "{seen}");
    // A single pixel, and a picture whose rows are padded on the way back.
    assert_seen_as_by_the_rasteriser(&View { width: 1, height: 1, ..overview(1, 1) });
    assert_seen_as_by_the_rasteriser(&overview(61, 47));
}

/// Upside down, and among the objects.
#[test]
fn cameras_may_be_turned_any_way() {
    let mut rolled = overview(160, 120);
    rolled.world_from_camera *= Matrix4::from_axis_angle(&Vector3::z_axis(), 2.6);
    assert_seen_as_by_the_rasteriser(&rolled);
    let above = View::looking_at(Point3::new(0.0, 6.0, 0.0), Point3::origin(), 0.8, 160, 120);
    assert_seen_as_by_the_rasteriser(&above);
    let inside = View::looking_at(Point3::new(0.0, 0.4, 0.2), Point3::new(-1.0, 0.5, -0.4), 1.2, 160, 120);
    assert!(assert_seen_as_by_the_rasteriser(&inside) > 0.5);
}

#[test]
fn a_view_that_cannot_be_drawn_is_the_callers_mistake() {
    let good = overview(8, 6);
    let bad = [
        View { width: 0, ..good },
        View { height: View::MAX_SIDE_PX + 1, ..good },
        View { world_from_camera: Matrix4::zeros(), ..good },
        View {
            projection: Projection::Perspective { yfov_rad: 3.5, aspect: None, znear_m: 0.1, zfar_m: None },
            ..good
        },
    ];
    for view in bad {
        let error = renderer().picture(Shot::new(shells(), view, Pass::Beauty), soon()).unwrap_err();
        assert!(matches!(error, RenderError::NoPixels { .. }), "{error}");
        assert!(!error.is_ours());
    }
    let far = View::looking_at(Point3::new(0.0, 0.0, 1e39), Point3::origin(), 0.8, 8, 6);
    let error = renderer().picture(Shot::new(shells(), far, Pass::Beauty), soon()).unwrap_err();
    assert_eq!(error, RenderError::BeyondSinglePrecision);
    assert!(!error.is_ours());
}
