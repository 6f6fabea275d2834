//! Where pictures are taken from.

use nalgebra::{Matrix4, Point3, Vector3};
use scene_document::{Baked, BakedCamera, BakedMesh, CameraId, MeshId, NodeId, Projection, View};

/// The point from the camera.
fn seen(view: &View, point: Point3<f64>) -> Point3<f64> {
    view.world_from_camera.try_inverse().unwrap().transform_point(&point)
}

#[test]
fn a_framed_sphere_touches_the_narrower_sides() {
    for (width, height) in [(400, 300), (300, 300), (200, 500)] {
        let view = View::framing(Point3::new(1.0, 2.0, 3.0), 0.5, Vector3::new(0.0, 0.0, 9.0), 0.9, width, height);
        let centre = seen(&view, Point3::new(1.0, 2.0, 3.0));
        let Projection::Perspective { yfov_rad, .. } = view.projection else { panic!("a perspective view") };
        let half_height = libm::tan(yfov_rad / 2.0);
        let half = half_height * (f64::from(width.min(height)) / f64::from(height));
        let sine = 0.5 / -centre.z;
        assert!((sine - libm::sin(libm::atan(half))).abs() < 1e-12, "{width} × {height}");
    }
}

#[test]
fn without_a_camera_everything_is_framed() {
    let mesh = BakedMesh {
        node: NodeId(1),
        name: String::new(),
        mesh: MeshId(1),
        positions: vec![Point3::new(4.0, 0.0, 0.0), Point3::new(6.0, 2.0, 1.0), Point3::new(f64::NAN, 0.0, 0.0)],
        normals: None,
        uvs: None,
        triangles: vec![],
        triangle_surface: vec![],
        surfaces: vec![],
    };
    let baked = Baked { meshes: vec![mesh], ..Baked::default() };
    assert_eq!(baked.sphere(), (Point3::new(5.0, 1.0, 0.5), 1.5));
    let (view, node) = baked.view(64, 64);
    assert_eq!(node, None);
    let centre = seen(&view, Point3::new(5.0, 1.0, 0.5));
    assert!(centre.x.abs() + centre.y.abs() < 1e-9 && centre.z < -1.5);
    assert_eq!(Baked::default().sphere(), (Point3::origin(), 1.0));
}

fn camera(node: u32, name: &str) -> BakedCamera {
    BakedCamera {
        node: NodeId(node),
        name: name.into(),
        camera: CameraId(1),
        projection: Projection::Orthographic { xmag_m: 1.0, ymag_m: 1.0, znear_m: 0.0, zfar_m: 9.0 },
        world_from_camera: Matrix4::identity(),
    }
}

#[test]
fn the_active_camera_is_looked_through_and_else_the_first() {
    let mut baked = Baked { cameras: vec![camera(3, ""), camera(7, "")], ..Baked::default() };
    assert_eq!(baked.view(8, 8).1, Some(NodeId(3)));
    baked.active_camera = Some(1);
    assert_eq!(baked.view(8, 8).1, Some(NodeId(7)));
}

#[test]
fn of_cameras_with_one_name_the_active_comes_before_the_first() {
    let cameras = vec![camera(3, "main"), camera(5, "side"), camera(7, "main"), camera(9, "main")];
    let mut baked = Baked { cameras, ..Baked::default() };
    let named = |baked: &Baked, name: &str| baked.camera_named(name).map(|camera| camera.node);
    assert_eq!(named(&baked, "main"), Some(NodeId(3)));
    baked.active_camera = Some(2);
    assert_eq!(named(&baked, "main"), Some(NodeId(7)));
    assert_eq!([named(&baked, "side"), named(&baked, "Main")], [Some(NodeId(5)), None]);
}

#[test]
fn a_view_sees_only_with_pixels_a_place_and_a_volume() {
    let good = camera(1, "").view(View::MAX_SIDE_PX, 1);
    let perspective = |yfov_rad: f64| View {
        projection: Projection::Perspective { yfov_rad, aspect: None, znear_m: 0.1, zfar_m: None },
        ..good
    };
    assert!(good.sees() && perspective(1.0).sees() && perspective(3.1).sees());
    let flat = |xmag_m: f64, ymag_m: f64| View {
        projection: Projection::Orthographic { xmag_m, ymag_m, znear_m: 0.0, zfar_m: 9.0 },
        ..good
    };
    let infinitely_far = Matrix4::new_translation(&Vector3::new(f64::INFINITY, 0.0, 0.0));
    let blind = [
        View { width: 0, ..good },
        View { height: 0, ..good },
        View { width: View::MAX_SIDE_PX + 1, ..good },
        View { world_from_camera: Matrix4::zeros(), ..good },
        View { world_from_camera: Matrix4::repeat(f64::NAN), ..good },
        View { world_from_camera: infinitely_far, ..good },
        flat(0.0, 1.0),
        flat(1.0, -1.0),
        flat(f64::NAN, 1.0),
        flat(1.0, f64::INFINITY),
    ];
    let angles_rad = [0.0, -5.0, 3.5, 7.0, f64::NAN, f64::INFINITY];
    for view in blind.into_iter().chain(angles_rad.map(perspective)) {
        assert!(!view.sees(), "{view:?}");
    }
}
