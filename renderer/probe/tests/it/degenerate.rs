//! Scenes without anything to see, cameras that cannot see, and planes that cut.

use crate::scenes::{at, cuboid, floor, perspective, probe, random_scene, scene, shot};
use nalgebra::{Matrix4, Point3, Vector3};
use scene_document::{AlphaMode, Baked, BakedMesh, Projection, Surface, View};
use scene_probe::{AdapterChoice, ProbeFrame, RenderError, lane};
use scene_raster::RasterScene;
use std::time::{Duration, Instant};

fn frame(scene: &Baked, view: View) -> ProbeFrame {
    probe().frames(&[shot(scene, view)]).unwrap().remove(0)
}

fn assert_empty(frame: &ProbeFrame, width: u32, height: u32) {
    let pixels = (width * height) as usize;
    assert_eq!((frame.width, frame.height), (width, height));
    assert_eq!(frame.mesh, vec![0; pixels]);
    assert_eq!(frame.depth_m, vec![f32::INFINITY; pixels]);
    assert_eq!(frame.normal, vec![[0; 3]; pixels]);
    assert_eq!(frame.luminance, vec![0; pixels]);
}

/// Same ids everywhere, depths within `relative`.
fn assert_as_reference(scene: &Baked, view: View, relative: f64) {
    let (frame, reference) = (frame(scene, view), RasterScene::new(scene).frame(&view));
    assert!(reference.mesh.iter().any(|id| *id > 0), "{view:?}");
    for (pixel, id) in reference.mesh.iter().enumerate() {
        assert_eq!(frame.mesh[pixel], *id, "pixel {pixel} of {view:?}");
        let (drawn, expected) = (f64::from(frame.depth_m[pixel]), reference.depth_m[pixel]);
        assert!(*id == 0 || (drawn / expected - 1.0).abs() < relative, "pixel {pixel}: {drawn} m, not {expected}");
    }
}

#[test]
fn a_scene_without_triangles_is_an_empty_picture() {
    let view = perspective(at(0.0, 0.0, 5.0), None, 40, 30);
    assert_empty(&frame(&Baked::default(), view), 40, 30);
    let glass =
        Surface { base_color: [1.0, 1.0, 1.0, 0.04], alpha_mode: AlphaMode::Blend, ..Surface::WITHOUT_MATERIAL };
    let unseen = BakedMesh { surfaces: vec![glass], ..cuboid([1.0; 3], Vector3::zeros()) };
    assert_empty(&frame(&scene(vec![unseen]), view), 40, 30);
    assert_eq!(probe().frames(&[]), Ok(vec![]));
}

#[test]
fn what_is_behind_the_camera_or_out_of_its_range_is_not_seen() {
    let boxes = scene(vec![cuboid([1.0; 3], Vector3::zeros())]);
    for (z, zfar_m) in [(-5.0, None), (5.0, Some(4.4)), (5.0, Some(0.005))] {
        assert_empty(&frame(&boxes, perspective(at(0.0, 0.0, z), zfar_m, 40, 30)), 40, 30);
    }
    for (znear_m, zfar_m) in [(0.1, 4.4), (5.6, 9.0), (9.0, 0.1)] {
        let projection = Projection::Orthographic { xmag_m: 1.0, ymag_m: 1.0, znear_m, zfar_m };
        let view = View { projection, ..perspective(at(0.0, 0.0, 5.0), None, 40, 30) };
        assert_empty(&frame(&boxes, view), 40, 30);
    }
}

#[test]
fn near_and_far_planes_cut_as_in_the_reference() {
    let ground = scene(vec![floor(0.0, 500.0)]);
    // Ends of the floor and the far plane lie between pixel centres.
    assert_as_reference(&ground, perspective(at(0.0, 1.0, 0.0), None, 100, 100), 1e-3);
    assert_as_reference(&ground, perspective(at(0.0, 1.0, 0.0), Some(7.0), 100, 100), 1e-3);
    let boxes = scene(vec![cuboid([1.03, 1.05, 1.0], Vector3::zeros())]);
    for (znear_m, zfar_m) in [(0.1, 30.0), (4.7, 30.0), (4.7, 5.2), (-20.0, 30.0), (0.0, f64::MAX)] {
        // The inside of the back shows where the front is cut away.
        let projection = Projection::Orthographic { xmag_m: 1.0, ymag_m: 1.0, znear_m, zfar_m };
        let turned = Matrix4::new_rotation(Vector3::new(0.0, 0.4, 0.0)) * at(0.0, 0.0, 5.0);
        assert_as_reference(&boxes, View { world_from_camera: turned, projection, width: 50, height: 50 }, 1e-4);
    }
}

#[test]
fn tiny_and_huge_scenes_have_their_depth() {
    for distance_m in [1e-4, 1.0, 1e4] {
        let size_m = [distance_m / 2.0; 3];
        let boxes = scene(vec![cuboid(size_m, Vector3::zeros())]);
        let eye = Point3::new(0.0, 0.0, distance_m);
        assert_as_reference(&boxes, View::looking_at(eye, Point3::origin(), 0.9, 33, 21), 1e-4);
    }
}

#[test]
fn a_view_without_pixels_is_the_callers_mistake() {
    let boxes = scene(vec![cuboid([1.0; 3], Vector3::zeros())]);
    let view = perspective(at(0.0, 0.0, 5.0), None, 40, 30);
    let bad = [
        View { width: 0, ..view },
        View { height: 0, ..view },
        View { height: View::MAX_SIDE_PX + 1, ..view },
        View { world_from_camera: Matrix4::zeros(), ..view },
        View { world_from_camera: Matrix4::repeat(f64::NAN), ..view },
        View {
            projection: Projection::Perspective { yfov_rad: 3.5, aspect: None, znear_m: 0.1, zfar_m: None },
            ..view
        },
    ];
    let mut probe = probe();
    for bad in bad {
        for scene in [&boxes, &Baked::default()] {
            let error = probe.frames(&[shot(scene, view), shot(scene, bad)]).unwrap_err();
            assert_eq!(error, RenderError::NoPixels { width: bad.width, height: bad.height });
            assert!(!error.is_ours());
        }
    }
    assert!(probe.frames(&[shot(&boxes, view)]).unwrap()[0].mesh.contains(&1));
}

#[test]
fn a_bad_view_in_a_lane_spoils_no_other() {
    let boxes = random_scene(3);
    let view = perspective(at(0.0, 0.0, 5.0), None, 40, 30);
    let expected = frame(&boxes, view);
    let (lane, deadline) = (lane(AdapterChoice::Auto), Instant::now() + Duration::from_secs(120));
    let (answer, answers) = std::sync::mpsc::sync_channel(16);
    for index in 0..16 {
        let answer = answer.clone();
        let view = View { width: if index % 4 == 3 { 0 } else { 40 }, ..view };
        lane.submit(shot(&boxes, view), deadline, move |frame| answer.send((index, frame)).unwrap());
    }
    drop(answer);
    let mut count = 0;
    for (index, frame) in answers {
        count += 1;
        match frame {
            Ok(frame) => assert!(index % 4 != 3 && frame == expected, "{index}"),
            Err(error) => assert_eq!((index % 4, error), (3, RenderError::NoPixels { width: 0, height: 30 })),
        }
    }
    assert_eq!(count, 16);
}

#[test]
fn a_stray_vertex_and_broken_triangles_change_nothing() {
    let whole = cuboid([1.0; 3], Vector3::zeros());
    let mut broken = whole.clone();
    broken.positions.extend([Point3::new(1e30, 0.0, 0.0), Point3::new(f64::NAN, 0.0, 0.0)]);
    if let Some(normals) = &mut broken.normals {
        normals.extend([Vector3::x(); 2]);
    }
    let stray = broken.positions.len() as u32 - 1;
    broken.triangles.extend([[0, 1, stray], [0, 0, 1], [0, 1, stray + 1]]);
    broken.triangle_surface.extend([0; 3]);
    let projection = Projection::Orthographic { xmag_m: 1.0, ymag_m: 1.0, znear_m: 0.1, zfar_m: 30.0 };
    for projection in [projection, perspective(at(0.0, 0.0, 5.0), None, 1, 1).projection] {
        let view = View { projection, ..perspective(at(0.0, 0.0, 5.0), None, 50, 50) };
        assert!(frame(&scene(vec![broken.clone()]), view) == frame(&scene(vec![whole.clone()]), view));
    }
}
