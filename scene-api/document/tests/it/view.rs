//! Where pictures are taken from.

use nalgebra::{Point3, Vector3};
use scene_document::{Baked, BakedCamera, BakedMesh, CameraId, MeshId, NodeId, Projection, View};

/// Angle between the view axis and `point`, and its depth.
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

#[test]
fn the_active_camera_is_looked_through_and_else_the_first() {
    let camera = |node: u32| BakedCamera {
        node: NodeId(node),
        camera: CameraId(1),
        projection: Projection::Orthographic { xmag_m: 1.0, ymag_m: 1.0, znear_m: 0.0, zfar_m: 9.0 },
        world_from_camera: nalgebra::Matrix4::identity(),
    };
    let mut baked = Baked { cameras: vec![camera(3), camera(7)], ..Baked::default() };
    assert_eq!(baked.view(8, 8).1, Some(NodeId(3)));
    baked.active_camera = Some(1);
    assert_eq!(baked.view(8, 8).1, Some(NodeId(7)));
}
