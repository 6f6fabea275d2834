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

#[track_caller]
fn assert_near(given: f64, wanted: f64) {
    assert!((given - wanted).abs() < 1e-6, "{given} instead of {wanted}");
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
    let sunk = &alone(&[cube(0.0, -0.031, 0.0)])[0];
    assert_eq!((sunk.value, sunk.gap_m), (0.0, None));
}

#[test]
fn the_centre_must_lie_over_the_patch() {
    for (offset, value) in [(0.0, 1.0), (0.49, 1.0), (0.6, 0.5), (0.9, 0.5), (1.0, 0.0)] {
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
    // 1 mm beyond the tolerance, of the 10 cm over which the plate goes on to tip.
    assert_near(alone(&[column.clone(), plate(0.022)])[1].value, 1.0 - 0.5 * 0.001 / 0.1);
    assert_eq!(values(&alone(&[column, plate(0.122)])), [1.0, 0.5]);
}

/// Nothing falls from 1 to 0 within a millimetre.
#[test]
fn grades_fall_along_ramps() {
    let ground = |height: f64| alone(&[cube(0.0, height, 0.0)])[0].value;
    for (height, value) in [(0.005, 1.0), (0.010, 2.0 / 3.0), (0.0125, 0.5), (0.020, 0.0), (-0.010, 1.0), (-0.020, 0.5)]
    {
        assert_near(ground(height), value);
    }
    let base = cube(0.0, 0.0, 0.0);
    let on = |height: f64| alone(&[base.clone(), cuboid([0.2, height, 0.2], [0.8, height + 0.5, 0.8])])[1].value;
    for (height, value) in [(1.0125, 0.5), (1.02, 0.0), (0.94, 0.8), (0.925, 0.5), (0.89, 0.0)] {
        assert_near(on(height), value);
    }
    // What stands on something is carried no better than that.
    let stack = alone(&[cube(0.0, 0.0125, 0.0), cube(0.0, 1.025, 0.0)]);
    assert_near(stack[0].value, 0.5);
    assert_near(stack[1].value, 0.25);
    let mut before = 1.0;
    for micrometres in (0..40_000).step_by(250) {
        let value = ground(1e-6 * f64::from(micrometres));
        assert!(value <= before && before - value < 0.02, "at {micrometres} µm: {value} after {before}");
        before = value;
    }
}

#[test]
fn what_floats_over_the_standing_parts_counts_by_its_volume() {
    let t = Tolerances::default();
    let raised = |by: f64| {
        let mut parts = table();
        parts[0].positions.iter_mut().for_each(|p| p.y += by);
        parts
    };
    let (top_m3, legs_m3) = (1.2 * 0.05 * 0.8, 4.0 * 0.05 * 0.05 * 0.7);
    let legs_share = legs_m3 / (top_m3 + legs_m3);
    for (by, share) in [(0.0, 1.0), (0.005, 1.0), (0.0125, legs_share + 0.5 * (1.0 - legs_share)), (0.1, legs_share)] {
        for found in [&grouped(&raised(by), &[(0..5).collect()])[0], &alone(&[joined(&raised(by))])[0]] {
            assert_near(found.linked_share, share);
            assert_near(found.value, share);
            assert_eq!(found.by, [Supporter::Ground]);
        }
    }
    let corner = |i: usize| {
        let at = |bit: usize| if i >> bit & 1 == 1 { 0.5 } else { 0.0 };
        cuboid([at(0), at(1), at(2)], [at(0) + 0.1, at(1) + 0.1, at(2) + 0.1])
    };
    let corners: Vec<Mesh> = (0..8).map(corner).collect();
    assert_near(grouped(&corners, &[(0..8).collect()])[0].value, 0.5);
    assert_near(alone(&[joined(&corners)])[0].value, 0.5);
    // More pieces than are told apart: the whole stands.
    let few = Tolerances { pieces_per_group: 7, ..t };
    assert_eq!(support(&[Body::new(joined(&corners), &few)], &[vec![0]], 0.0, &few)[0].value, 1.0);
}

#[test]
fn parts_hang_together_sideways_across_chains_and_inside_each_other() {
    let one = |parts: &[Mesh]| grouped(parts, &[(0..parts.len()).collect()])[0].linked_share;
    let post = cuboid([0.0, 0.0, 0.0], [0.1, 1.0, 0.1]);
    let arm = |gap: f64| cuboid([0.1 + gap, 0.8, 0.0], [0.5, 0.9, 0.1]);
    let sign = cuboid([0.5, 0.6, 0.0], [0.6, 0.9, 0.1]);
    assert_eq!(one(&[sign.clone(), arm(0.0), post.clone()]), 1.0);
    assert_eq!(one(&[sign.clone(), arm(0.004), post.clone()]), 1.0);
    assert_near(one(&[sign, arm(0.1), post.clone()]), 0.01 / (0.01 + 0.003 + 0.003));
    // A bolt through the post, and one wholly within it.
    assert_eq!(one(&[post.clone(), cuboid([-0.2, 0.5, 0.02], [0.3, 0.52, 0.04])]), 1.0);
    assert_eq!(one(&[post.clone(), cuboid([0.04, 0.5, 0.04], [0.06, 0.52, 0.06])]), 1.0);
    // By area where a part encloses nothing: 0.42 m² of post, a floating sheet of 1 m².
    let sheet = mesh(&[[5.0, 1.0, 0.0], [6.0, 1.0, 0.0], [6.0, 1.0, 1.0], [5.0, 1.0, 1.0]], &[[0, 2, 1], [0, 3, 2]]);
    assert_near(one(&[post, sheet]), 0.42 / 1.42);
}

/// A table that stands on one speck of its own does not stand.
#[test]
fn a_thing_deep_in_the_ground_is_not_saved_by_a_part_on_it() {
    let parts = [cuboid([0.0, -0.5, 0.0], [1.0, 0.5, 1.0]), cuboid([1.0, 0.0, 0.0], [1.1, 0.1, 0.1])];
    assert_eq!(grouped(&parts, &[vec![0, 1]])[0].value, 0.0);
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
    assert_eq!([on(1.004), on(0.96), on(0.89), on(1.021)], [1.0, 1.0, 0.0, 0.0]);
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

/// Six hundred plates over one another touch more cells than a contact may cost: the grid is coarser, the answer the same.
#[test]
fn contacts_of_many_layers_are_found_on_a_coarser_grid() {
    let plate = |index: u32| {
        let y_m = 1.0 + 0.01 * f64::from(index);
        cuboid([0.0, y_m, 0.0], [1.0, y_m + 0.008, 1.0])
    };
    let layers = joined(&(0..600).map(plate).collect::<Vec<_>>());
    let found = alone(&[cube(0.0, 0.0, 0.0), layers]);
    assert_eq!(found[0].value, 1.0);
    assert_eq!((found[1].value > 0.0, &found[1].by), (true, &vec![Supporter::Group(0)]));
    assert_near(found[1].gap_m.unwrap(), 0.0);
}
