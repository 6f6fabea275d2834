use std::slice::from_ref;

use geometry_checks::{Body, Fall, Mesh, Tolerances, fall};

use crate::shapes::{block, body, cuboid, joined, mesh, moved, turned_x, turned_y, unit_box, uv_sphere};

fn falls(falling: &[Mesh], below: &[Mesh]) -> Fall {
    let bodies = |meshes: &[Mesh]| meshes.iter().cloned().map(body).collect::<Vec<Body>>();
    fall(&bodies(falling), &bodies(below), u64::MAX, &Tolerances::default())
}

#[track_caller]
fn assert_drop(falling: Mesh, below: Mesh, wanted_m: f64) {
    let landing = falls(&[falling], &[below]).landing.unwrap();
    assert!((landing.drop_m - wanted_m).abs() < 1e-12, "{landing:?} instead of {wanted_m}");
}

#[test]
fn faces_corners_and_edges_land() {
    let above = |mesh: Mesh| moved(mesh, [0.0, 3.0, 0.0]);
    assert_drop(above(unit_box()), unit_box(), 2.0);
    // On a corner of the box below the middle of the one above.
    assert_drop(moved(unit_box(), [0.5, 1.25, 0.5]), unit_box(), 0.25);
    // Tip down onto a face.
    let tip = mesh(
        &[[0.5, 2.0, 0.5], [0.0, 3.0, 0.0], [1.0, 3.0, 0.0], [1.0, 3.0, 1.0], [0.0, 3.0, 1.0]],
        &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [1, 4, 3], [1, 3, 2]],
    );
    assert_drop(tip, unit_box(), 1.0);
    // Two beams on their edges, one along x, the other along z: edge lands on edge in the middle of both.
    let beam = turned_x(block([0.0; 3], [4.0, 1.0, 1.0]), 45.0);
    let across = turned_y(beam.clone(), 90.0);
    assert_drop(moved(across, [0.1, 5.0, 0.2]), beam, 5.0 - 2.0_f64.sqrt());
}

#[test]
fn what_is_beside_or_above_is_passed() {
    let below = cuboid([0.0, 0.0, 0.0], [4.0, 1.0, 4.0]);
    let block_beside = moved(unit_box(), [4.0, 3.0, 0.0]);
    assert_eq!(falls(&[block_beside], from_ref(&below)).landing, None, "they touch side by side");
    let roof = cuboid([0.0, 6.0, 0.0], [4.0, 7.0, 4.0]);
    let found = falls(&[moved(unit_box(), [1.0, 3.0, 1.0])], &[roof, below]).landing.unwrap();
    assert_eq!((found.on, found.drop_m), (1, 2.0));
}

#[test]
fn a_table_over_a_box_lands_with_its_legs_or_its_top() {
    let leg = |x: f64| cuboid([x, 1.0, 0.0], [x + 0.1, 2.0, 1.0]);
    let table = joined(&[cuboid([0.0, 2.0, 0.0], [2.0, 2.1, 1.0]), leg(0.0), leg(1.9)]);
    // Between the legs, 0.3 m high: the top has 1.7 m to fall, the legs 1 m to the floor.
    let floor = cuboid([-5.0, -1.0, -5.0], [5.0, 0.0, 5.0]);
    let low = cuboid([0.5, 0.0, 0.2], [1.5, 0.3, 0.8]);
    let found = falls(from_ref(&table), &[low, floor.clone()]).landing.unwrap();
    assert_eq!((found.on, found.drop_m), (1, 1.0));
    let high = cuboid([0.5, 0.0, 0.2], [1.5, 1.4, 0.8]);
    let found = falls(&[table], &[high, floor]).landing.unwrap();
    assert_eq!(found.on, 0);
    assert!((found.drop_m - 0.6).abs() < 1e-12, "{found:?}");
}

#[test]
fn what_is_a_little_sunk_in_rises() {
    // A joint may be a tenth of the thinner body deep.
    assert_drop(moved(unit_box(), [0.0, 0.95, 0.0]), unit_box(), -0.05);
    assert_drop(moved(unit_box(), [0.0, 1.0, 0.0]), unit_box(), 0.0);
}

#[test]
fn an_upright_sheet_lands_on_its_edge() {
    let sheet = mesh(&[[-1.0, 2.0, 0.5], [1.0, 2.0, 0.5], [1.0, 3.0, 0.5], [-1.0, 3.0, 0.5]], &[[0, 1, 2], [0, 2, 3]]);
    assert_drop(sheet, unit_box(), 1.0);
}

#[test]
fn round_things_land_on_their_lowest_corner() {
    let ball = uv_sphere(16, 8, [0.3, 4.0, 0.4], 0.5);
    assert_drop(ball, cuboid([-1.0, 0.0, -1.0], [1.0, 1.0, 1.0]), 2.5);
}

#[test]
fn spent_work_is_said() {
    let (a, b) = (body(uv_sphere(16, 8, [0.0, 4.0, 0.0], 1.0)), body(uv_sphere(16, 8, [0.0; 3], 1.0)));
    let t = Tolerances::default();
    assert!(fall(from_ref(&a), from_ref(&b), 1, &t).truncated);
    let all = fall(&[a], &[b], u64::MAX, &t);
    assert!(!all.truncated);
    assert!((all.landing.unwrap().drop_m - 2.0).abs() < 1e-12);
}
