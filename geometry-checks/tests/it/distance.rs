use geometry_checks::{Body, Distance, Mesh, distance};

use crate::shapes::{block, body, cuboid, inside_out, joined, mesh, turned_y, unit_box, uv_sphere};

fn between(a: Mesh, b: Mesh) -> Distance {
    distance(&[body(a)], &[body(b)], u64::MAX).unwrap()
}

#[track_caller]
fn assert_near(given: f64, wanted: f64) {
    assert!((given - wanted).abs() < 1e-6, "{given} instead of {wanted}");
}

#[test]
fn faces_edges_and_corners_are_nearest() {
    // Beside, edge to edge, corner to corner of the unit box.
    for (min, wanted) in
        [([1.25, 0.0, 0.0], 0.25), ([1.3, 1.4, 0.0], 0.5), ([2.0, 3.0, 3.0], 3.0), ([-4.0, 0.5, 0.5], 3.0)]
    {
        let found = between(unit_box(), cuboid(min, min.map(|low| low + 1.0)));
        assert_near(found.distance_m, wanted);
        let [on_first, on_second] = found.points.unwrap();
        assert_near((on_second - on_first).norm(), wanted);
        assert!(on_first.iter().all(|part| (-1e-6..=1.0 + 1e-6).contains(part)), "{on_first}");
    }
    // A box turned by 45°: its edge is half a diagonal from its middle.
    let turned = turned_y(block([0.0; 3], [1.0; 3]), 45.0);
    let found = between(turned, cuboid([2.0, -1.0, -1.0], [3.0, 1.0, 1.0]));
    assert_near(found.distance_m, 2.0 - 0.5_f64.sqrt());
}

#[test]
fn crossing_and_enclosed_bodies_have_none() {
    let small = block([0.5; 3], [0.1; 3]);
    for other in [cuboid([0.5; 3], [1.5; 3]), small.clone(), inside_out(small)] {
        let found = between(unit_box(), other.clone());
        assert_eq!((found.distance_m, found.points), (0.0, None));
        assert_eq!(between(other, unit_box()).distance_m, 0.0);
    }
    // A bar through the box: no corner of either is inside the other.
    assert_near(between(unit_box(), cuboid([-1.0, 0.31, 0.33], [2.0, 0.62, 0.71])).distance_m, 0.0);
    // Of two parts only the second is inside.
    let parts = joined(&[block([5.0, 0.5, 0.5], [0.1; 3]), block([0.5; 3], [0.1; 3])]);
    assert_eq!(between(unit_box(), parts).points, None);
    assert_near(between(unit_box(), cuboid([1.0, 0.0, 0.0], [2.0, 1.0, 1.0])).distance_m, 0.0);
}

#[test]
fn the_nearest_of_many_bodies_is_named() {
    let row: Vec<Body> = [9.0, 3.0, 5.0].map(|x| body(uv_sphere(16, 8, [x, 0.0, 0.0], 1.0))).into();
    let found = distance(&[body(unit_box())], &row, u64::MAX).unwrap();
    assert_eq!(found.bodies, [0, 1]);
    assert!(found.distance_m > 1.0 - 1e-6 && found.distance_m < 1.1, "{found:?}");
    let back = distance(&row, &[body(unit_box())], u64::MAX).unwrap();
    assert_eq!(back.bodies, [1, 0]);
    assert_near(back.distance_m, found.distance_m);
    let [on_ball, on_box] = back.points.unwrap();
    assert_near(on_ball.x, 2.0);
    assert_near(on_box.x, 1.0);
}

#[test]
fn what_was_not_looked_at_is_said() {
    let (a, b) = (uv_sphere(32, 16, [0.0; 3], 1.0), uv_sphere(32, 16, [3.0, 0.0, 0.0], 1.0));
    let few = distance(&[body(a.clone())], &[body(b.clone())], 1).unwrap();
    let all = between(a, b);
    assert!(few.truncated && !all.truncated);
    assert!(few.distance_m >= all.distance_m);
    let nothing = mesh(&[], &[]);
    assert_eq!(distance(&[body(nothing)], &[body(unit_box())], u64::MAX), None);
    assert_eq!(distance(&[], &[body(unit_box())], u64::MAX), None);
}
