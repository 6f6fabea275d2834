use geometry_checks::{Body, Mesh, Support, Supporter, Tolerances, support};

use crate::shapes::{cuboid, inside_out, joined, mesh};

/// One body in each group.
fn alone(meshes: &[Mesh]) -> Vec<Support> {
    let groups: Vec<Vec<usize>> = (0..meshes.len()).map(|body| vec![body]).collect();
    grouped(meshes, &groups)
}

fn grouped(meshes: &[Mesh], groups: &[Vec<usize>]) -> Vec<Support> {
    let t = Tolerances::default();
    let bodies: Vec<Body> = meshes.iter().map(|mesh| Body::new(mesh.clone(), &t)).collect();
    support(&bodies, groups, 0.0, &t)
}

fn values(found: &[Support]) -> Vec<f64> {
    found.iter().map(|support| support.value).collect()
}

/// Cube of 1 m with its lowest corner here.
fn cube(x: f64, y: f64, z: f64) -> Mesh {
    cuboid([x, y, z], [x + 1.0, y + 1.0, z + 1.0])
}

/// Top 1.2 × 0.8 m at 0.70–0.75 m, four legs of 5 cm flush with its corners.
fn table() -> Vec<Mesh> {
    let leg = |x: f64, z: f64| cuboid([x, 0.0, z], [x + 0.05, 0.7, z + 0.05]);
    vec![cuboid([0.0, 0.7, 0.0], [1.2, 0.75, 0.8]), leg(0.0, 0.0), leg(1.15, 0.0), leg(0.0, 0.75), leg(1.15, 0.75)]
}

#[test]
fn the_ground_carries_what_touches_it() {
    for height in [0.0, 0.004, -0.009] {
        let found = alone(&[cube(3.0, height, 0.0)]);
        assert_eq!((found[0].value, &found[0].by), (1.0, &vec![Supporter::Ground]), "at {height}");
        assert!((found[0].gap_m.unwrap() - height.max(0.0)).abs() < 1e-12);
    }
    let floating = &alone(&[cube(0.0, 0.1, 0.0)])[0];
    assert_eq!((floating.value, floating.by.len()), (0.0, 0));
    assert!((floating.gap_m.unwrap() - 0.1).abs() < 1e-12);
    let sunk = &alone(&[cube(0.0, -0.02, 0.0)])[0];
    assert_eq!((sunk.value, sunk.gap_m), (0.0, None));
}

#[test]
fn the_centre_must_lie_over_the_patch() {
    for (offset, value) in [(0.0, 1.0), (0.49, 1.0), (0.51, 0.5), (0.9, 0.5), (1.0, 0.0)] {
        let found = alone(&[cube(0.0, 0.0, 0.0), cube(offset, 1.0, offset)]);
        assert_eq!(values(&found), [1.0, value], "offset {offset}");
    }
    let tip_down = mesh(
        &[[0.0, 0.0, 0.0], [-0.5, 1.0, -0.5], [0.5, 1.0, -0.5], [0.5, 1.0, 0.5], [-0.5, 1.0, 0.5]],
        &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [1, 4, 3], [1, 3, 2]],
    );
    assert_eq!(alone(std::slice::from_ref(&tip_down))[0].value, 1.0);
    assert_eq!(alone(&[inside_out(tip_down)])[0].value, 1.0);
    let leaning = mesh(
        &[[0.0, 0.0, 0.0], [1.0, 1.0, -0.5], [2.0, 1.0, -0.5], [2.0, 1.0, 0.5], [1.0, 1.0, 0.5]],
        &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [1, 4, 3], [1, 3, 2]],
    );
    assert_eq!(values(&alone(&[leaning])), [0.5]);
}

#[test]
fn a_patch_between_two_sizes_is_exact() {
    // The column is 4 cm wide; the plate's centre is 1.9 cm, then 2.2 cm from the column's axis.
    let column = cuboid([-0.02, 0.0, -0.02], [0.02, 1.0, 0.02]);
    let plate = |offset: f64| cuboid([offset - 0.5, 1.0, -0.5], [offset + 0.5, 1.02, 0.5]);
    assert_eq!(values(&alone(&[column.clone(), plate(0.019)])), [1.0, 1.0]);
    assert_eq!(values(&alone(&[column, plate(0.022)])), [1.0, 0.5]);
}

#[test]
fn parts_stand_together() {
    let parts = table();
    let found = grouped(&parts, &[(0..5).collect()]);
    assert_eq!((found[0].value, &found[0].by), (1.0, &vec![Supporter::Ground]));
    let two_legs = grouped(&parts, &[vec![0, 1, 3]]);
    assert_eq!(two_legs[0].value, 0.5);
}

#[test]
fn legs_thinner_than_the_columns_are_found() {
    let floor = cuboid([-5.0, 0.0, -5.0], [5.0, 0.3, 5.0]);
    let mut standing = joined(&table());
    standing.positions.iter_mut().for_each(|p| p.y += 0.3);
    let found = alone(&[floor, standing]);
    assert_eq!(values(&found), [1.0, 1.0]);
    assert_eq!(found[1].by, [Supporter::Group(0)]);
    assert!(found[1].gap_m.unwrap() < 1e-9);
}

#[test]
fn a_stack_falls_with_its_lowest() {
    let chain = [cube(0.0, 0.0, 0.0), cube(0.2, 1.0, 0.0), cube(0.0, 2.0, 0.2)];
    let found = alone(&chain);
    assert_eq!(values(&found), [1.0, 1.0, 1.0]);
    assert_eq!(found[2].by, [Supporter::Group(1)]);
    // In any order.
    let turned = alone(&[chain[2].clone(), chain[0].clone(), chain[1].clone()]);
    assert_eq!(values(&turned), [1.0, 1.0, 1.0]);

    let broken = alone(&chain[1..]);
    assert_eq!(values(&broken), [0.0, 0.0]);
    assert!((broken[0].gap_m.unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(broken[1].by, [Supporter::Group(0)]);
}

#[test]
fn several_can_carry_one() {
    let (left, right) = (cube(0.0, 0.0, 0.0), cube(4.0, 0.0, 0.0));
    let beam = cuboid([0.0, 1.0, 0.4], [5.0, 1.2, 0.6]);
    let found = alone(&[left.clone(), right, beam.clone()]);
    assert_eq!(found[2].value, 1.0);
    assert_eq!(found[2].by, [Supporter::Group(0), Supporter::Group(1)]);
    assert_eq!(values(&alone(&[left, beam])), [1.0, 0.5]);
}

#[test]
fn things_beside_or_above_carry_nothing() {
    let beside = alone(&[cube(0.0, 0.0, 0.0), cube(1.0, 0.5, 0.0)]);
    assert_eq!(values(&beside), [1.0, 0.0]);
    let mug = cuboid([0.5, 0.0, 0.3], [0.6, 0.1, 0.4]);
    let mut under = table();
    under.push(mug);
    let found = grouped(&under, &[(0..5).collect(), vec![5]]);
    assert_eq!(found[1].by, [Supporter::Ground]);
    assert_eq!(found[0].by, [Supporter::Ground]);
    let through_the_middle = alone(&[cube(0.0, 0.0, 0.0), cuboid([0.2, 0.5, 0.2], [0.8, 1.5, 0.8])]);
    assert_eq!(values(&through_the_middle), [1.0, 0.0]);
}

#[test]
fn shelves_carry_what_stands_in_them() {
    let cupboard = joined(&[
        cuboid([0.0, 0.0, 0.0], [0.02, 1.0, 0.4]),
        cuboid([0.98, 0.0, 0.0], [1.0, 1.0, 0.4]),
        cuboid([0.021, 0.5, 0.0], [0.979, 0.52, 0.4]),
        cuboid([0.021, 0.98, 0.0], [0.979, 1.0, 0.4]),
    ]);
    let cup = |x: f64, base: f64| cuboid([x, base, 0.1], [x + 0.1, base + 0.1, 0.2]);
    let found = alone(&[cupboard, cup(0.3, 0.52), cup(0.6, 0.56)]);
    assert_eq!(values(&found), [1.0, 1.0, 0.0]);
    assert!((found[2].gap_m.unwrap() - 0.04).abs() < 1e-12);
    assert_eq!(found[1].by, [Supporter::Group(0)]);
}

#[test]
fn joints_may_be_sunk_by_a_tenth() {
    let base = cube(0.0, 0.0, 0.0);
    let on = |height: f64| alone(&[base.clone(), cuboid([0.2, height, 0.2], [0.8, height + 0.5, 0.8])])[1].value;
    assert_eq!([on(1.004), on(0.96), on(0.94), on(1.006)], [1.0, 1.0, 0.0, 0.0]);
}

#[test]
fn sheets_carry_and_are_carried() {
    let sheet = |y: f64| mesh(&[[0.0, y, 0.0], [1.0, y, 0.0], [1.0, y, 1.0], [0.0, y, 1.0]], &[[0, 2, 1], [0, 3, 2]]);
    let found = alone(&[cube(0.0, 0.0, 0.0), sheet(1.001), cuboid([0.4, 1.001, 0.4], [0.6, 1.2, 0.6])]);
    assert_eq!(values(&found), [1.0, 1.0, 1.0]);
    let upright = mesh(&[[0.0, 1.0, 0.5], [1.0, 1.0, 0.5], [1.0, 2.0, 0.5], [0.0, 2.0, 0.5]], &[[0, 1, 2], [0, 2, 3]]);
    assert_eq!(values(&alone(&[cube(0.0, 0.0, 0.0), upright])), [1.0, 1.0]);
}

#[test]
fn odd_input_is_answered() {
    assert!(alone(&[]).is_empty());
    let found = grouped(&[cube(0.0, 0.0, 0.0), mesh(&[], &[])], &[vec![], vec![7], vec![1], vec![0, 9]]);
    assert_eq!(values(&found)[..2], [0.0, 0.0]);
    assert_eq!(found[3].value, 1.0);
}
