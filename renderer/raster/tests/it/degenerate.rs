use crate::scenes::{at, cuboid, light, mesh, orthographic, perspective, scene};
use nalgebra::{Matrix4, Vector3};
use scene_document::{Baked, LightKind, Projection, View};
use scene_raster::{Coverage, RasterScene};

#[test]
fn unusable_triangles_are_skipped_and_the_others_drawn() {
    let mut broken = mesh(
        &[
            [-1.0, -1.0, 0.0],
            [1.0, -1.0, 0.0],
            [1.0, 1.0, 0.0],
            [f64::NAN, 0.0, 0.0],
            [f64::INFINITY, 0.0, 0.0],
            [1e300, 0.0, 0.0],
        ],
        &[[0, 1, 3], [0, 4, 2], [0, 1, 99], [0, 0, 1], [0, 5, 2], [0, 1, 2]],
    );
    broken.triangle_surface = vec![7];
    broken.normals = Some(vec![Vector3::new(f64::NAN, 0.0, 0.0); 6]);
    let lamp = light(LightKind::Point, f64::NAN, [0.0, 0.0, 3.0], [0.0, 0.0, -1.0]);
    let raster = RasterScene::new(&scene(vec![broken], vec![lamp]));
    let view = orthographic(2.0, 40);
    let frame = raster.frame(&view);
    assert_eq!(frame.mesh[22 * 40 + 25], 1);
    assert_eq!(raster.shade(&view, &frame).normal[22 * 40 + 25], [0.0, 0.0, 1.0]);
    assert!(raster.light(&view, &frame).luminance.iter().all(|value| *value == 0.0));
}

#[test]
fn views_without_pixels_give_empty_frames() {
    let raster = RasterScene::new(&scene(vec![cuboid([-0.5; 3], [0.5; 3])], vec![]));
    for (width, height) in [(0, 10), (10, 0), (0, 0)] {
        let view = perspective(at(0.0, 0.0, 5.0), width, height);
        let frame = raster.frame(&view);
        assert!(frame.mesh.is_empty() && frame.depth_m.is_empty());
        assert!(raster.light(&view, &frame).luminance.is_empty());
        assert!(raster.shade(&view, &frame).normal.is_empty());
        assert_eq!(raster.coverage(&view, &frame, &[0]).alone_px, 0);
    }
}

#[test]
fn cameras_that_cannot_see_show_nothing() {
    let raster = RasterScene::new(&scene(vec![cuboid([-0.5; 3], [0.5; 3])], vec![]));
    let good = perspective(at(0.0, 0.0, 5.0), 8, 8);
    let lens = |yfov_rad: f64, znear_m: f64| Projection::Perspective { yfov_rad, aspect: None, znear_m, zfar_m: None };
    let views = [
        View { world_from_camera: Matrix4::zeros(), ..good },
        View { world_from_camera: Matrix4::repeat(f64::NAN), ..good },
        View { projection: lens(0.0, 0.1), ..good },
        View { projection: lens(f64::NAN, 0.1), ..good },
        View { projection: lens(1.0, f64::INFINITY), ..good },
        View { projection: Projection::Orthographic { xmag_m: 0.0, ymag_m: 1.0, znear_m: 0.0, zfar_m: 9.0 }, ..good },
    ];
    for view in views {
        let frame = raster.frame(&view);
        assert_eq!(frame.mesh, vec![0; 64], "{view:?}");
        assert_eq!(raster.light(&view, &frame).luminance, vec![0.0; 64]);
        assert_eq!(raster.coverage(&view, &frame, &[0]).in_frame, 0.0);
    }
    let no_near = View { projection: lens(1.0, f64::NAN), ..good };
    assert!(raster.frame(&no_near).mesh.contains(&1));
}

#[test]
fn camera_inside_a_box_sees_its_inside() {
    let raster = RasterScene::new(&scene(vec![cuboid([-0.5; 3], [0.5; 3])], vec![]));
    let frame = raster.frame(&perspective(at(0.0, 0.0, 0.0), 33, 33));
    assert!(frame.mesh.iter().all(|id| *id == 1));
    assert!(frame.from_behind.iter().all(|from_behind| *from_behind));
    assert!((frame.depth_m[16 * 33 + 16] - 0.5).abs() < 1e-12);
}

#[test]
fn empty_scene_is_empty() {
    let raster = RasterScene::new(&Baked::default());
    let view = perspective(at(0.0, 0.0, 5.0), 8, 8);
    let frame = raster.frame(&view);
    assert_eq!(frame.mesh, vec![0; 64]);
    assert!(raster.light(&view, &frame).by_light.is_empty());
    assert_eq!(raster.shade(&view, &frame).normal, vec![[0.0; 3]; 64]);
    assert_eq!(raster.coverage(&view, &frame, &[0]), Coverage::default());
    assert_eq!(raster.coverage(&view, &frame, &[]), Coverage::default());
}
