use geometry_checks::{Mesh, RayHit, first_hit};
use nalgebra::{Point3, Vector3};

use crate::shapes::{inside_out, unit_box, uv_sphere};

fn hit(mesh: &Mesh, origin: [f64; 3], direction: [f64; 3], max_m: f64) -> Option<RayHit> {
    first_hit(mesh, Point3::from(origin), Vector3::from(direction).normalize(), max_m, 1e-9)
}

#[test]
fn the_first_face_is_hit() {
    // Through the middle of a side, where two triangles share an edge.
    let found = hit(&unit_box(), [-2.0, 0.5, 0.5], [1.0, 0.0, 0.0], f64::INFINITY).unwrap();
    assert_eq!((found.distance_m, found.normal), (2.0, Vector3::new(-1.0, 0.0, 0.0)));
    let slanted = hit(&unit_box(), [0.5, 2.0, 0.25], [3.0, -4.0, 0.0], f64::INFINITY);
    assert_eq!(slanted, None, "it passes the edge at x = 1.25");
    let slanted = hit(&unit_box(), [-0.5, 2.0, 0.25], [3.0, -4.0, 0.0], f64::INFINITY).unwrap();
    assert!((slanted.distance_m - 1.25).abs() < 1e-12, "{slanted:?}");
    assert_eq!(slanted.normal, Vector3::new(0.0, 1.0, 0.0));
}

#[test]
fn rays_end_and_look_ahead_only() {
    assert_eq!(hit(&unit_box(), [-2.0, 0.5, 0.5], [1.0, 0.0, 0.0], 1.9), None);
    assert!(hit(&unit_box(), [-2.0, 0.5, 0.5], [1.0, 0.0, 0.0], 2.0).is_some());
    assert_eq!(hit(&unit_box(), [-2.0, 0.5, 0.5], [-1.0, 0.0, 0.0], f64::INFINITY), None);
    assert_eq!(hit(&unit_box(), [-2.0, 1.5, 0.5], [1.0, 0.0, 0.0], f64::INFINITY), None);
}

#[test]
fn backs_count_with_their_own_normal() {
    let from_inside = hit(&unit_box(), [0.5, 0.5, 0.5], [0.0, 1.0, 0.0], f64::INFINITY).unwrap();
    assert_eq!((from_inside.distance_m, from_inside.normal), (0.5, Vector3::new(0.0, 1.0, 0.0)));
    let turned = hit(&inside_out(unit_box()), [-2.0, 0.5, 0.5], [1.0, 0.0, 0.0], f64::INFINITY).unwrap();
    assert_eq!(turned.normal, Vector3::new(1.0, 0.0, 0.0));
}

#[test]
fn no_ray_slips_through_an_edge() {
    let ball = uv_sphere(24, 12, [0.0; 3], 1.0);
    for corner in &ball.positions {
        let direction = -corner.coords;
        let from = Point3::from(corner.coords * 3.0);
        let found = first_hit(&ball, from, direction.normalize(), f64::INFINITY, 1e-9);
        assert!(found.is_some_and(|found| (found.distance_m - 2.0).abs() < 1e-6), "{corner}: {found:?}");
    }
}
