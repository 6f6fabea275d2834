use geometry_checks::{NormalFaultKind, Normals, Tolerances, normals};
use nalgebra::Vector3;

use crate::shapes::{ball, cuboid, gridded, inside_out, joined, mesh, shaded, unit_box};

fn measured(mesh: &geometry_checks::Mesh) -> Normals {
    normals(mesh, false, &Tolerances::default())
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn outward_solids_have_no_fault() {
    for solid in [unit_box(), cuboid([900.0, 0.0, 0.0], [900.1, 0.001, 2.0]), ball([0.0, 5.0, 0.0], 0.1, 3)] {
        let found = measured(&solid);
        assert_eq!((found.value(), found.faults.len()), (1.0, 0), "{found:?}");
    }
}

#[test]
fn one_flipped_face_shows_in_its_three_edges() {
    let mut flipped = unit_box();
    flipped.triangles[5].swap(0, 1);
    let found = measured(&flipped);
    assert!(near(found.consistent, 15.0 / 18.0));
    assert!(found.value() <= 0.9);
    assert_eq!((found.faults[0].kind, found.faults[0].count), (NormalFaultKind::Inconsistent, 3));
}

/// However finely the sides are cut, and whichever triangle comes first.
#[test]
fn half_a_solid_inside_out_has_outward_one_half() {
    for (sides, outward) in [(1, 5.0 / 6.0), (3, 0.5), (4, 1.0 / 3.0)] {
        let mut flipped = gridded([0.0; 3], [0.6; 3], 10);
        for triangle in flipped.triangles.iter_mut().skip(1).step_by(2) {
            triangle.rotate_left(1);
        }
        for side in (0..6).filter(|side| side % 2 == 1).chain([0]).take(sides) {
            flipped.triangles[200 * side..200 * (side + 1)].iter_mut().for_each(|t| t.swap(1, 2));
        }
        let mut reordered = flipped.clone();
        reordered.triangles = (0..1200).map(|i| flipped.triangles[i * 7 % 1200]).collect();
        let mut reversed = flipped.clone();
        reversed.triangles.reverse();
        for mesh in [flipped, reordered, reversed] {
            let found = measured(&mesh);
            assert!(near(found.outward, outward) && found.value() <= outward + 1e-9, "{sides} sides: {found:?}");
            assert!(found.consistent > 0.9, "{found:?}");
            assert_eq!(found.faults[0].kind, NormalFaultKind::InsideOut);
        }
    }
}

#[test]
fn an_inside_out_solid_has_outward_zero() {
    let found = measured(&inside_out(unit_box()));
    assert_eq!((found.consistent, found.outward), (1.0, 0.0));
    assert_eq!(found.faults[0].kind, NormalFaultKind::InsideOut);
    assert_eq!(found.faults[0].value, 0.0);
    let half = joined(&[unit_box(), inside_out(cuboid([5.0, 0.0, 0.0], [6.0, 1.0, 1.0]))]);
    assert!(near(measured(&half).outward, 0.5));
}

#[test]
fn components_alternate_by_nesting() {
    let (outer, inner, core) =
        (cuboid([-1.0; 3], [1.0; 3]), cuboid([-0.25; 3], [0.25; 3]), cuboid([-0.1; 3], [0.1; 3]));
    let cavity = joined(&[outer.clone(), inside_out(inner.clone())]);
    assert_eq!(measured(&cavity).outward, 1.0);
    let filled_cavity = joined(&[inside_out(inner.clone()), core, outer.clone()]);
    assert_eq!(measured(&filled_cavity).outward, 1.0);
    let not_a_cavity = joined(&[outer, inner]);
    assert!(near(measured(&not_a_cavity).outward, 24.0 / 25.5));
}

#[test]
fn a_sheet_is_half_outward_unless_allowed() {
    let sheet = mesh(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0]], &[[0, 1, 2], [0, 2, 3]]);
    let found = measured(&sheet);
    assert!((found.outward - 0.5).abs() < 0.02, "{}", found.outward);
    assert_eq!(found.faults[0].kind, NormalFaultKind::SeenFromBehind);
    assert_eq!(normals(&sheet, true, &Tolerances::default()).value(), 1.0);
}

#[test]
fn an_open_box_is_judged_by_what_is_seen_first() {
    let mut open = unit_box();
    open.triangles.truncate(10);
    let outward = measured(&open).outward;
    assert!(outward > 0.6 && outward < 1.0, "{outward}");
    let inward = measured(&inside_out(open)).outward;
    assert!((outward + inward - 1.0).abs() < 0.01, "{outward} {inward}");
}

#[test]
fn hidden_open_parts_do_not_weigh() {
    let leaf = mesh(&[[0.2, 0.5, 0.2], [0.8, 0.5, 0.2], [0.5, 0.5, 0.8]], &[[0, 1, 2]]);
    assert_eq!(measured(&joined(&[unit_box(), leaf])).outward, 1.0);
}

#[test]
fn shading_normals_follow_the_faces() {
    let mut sphere = ball([0.0; 3], 1.0, 3);
    let radial: Vec<Vector3<f64>> = sphere.positions.iter().map(|p| p.coords).collect();
    let mut with = |scale: f64| {
        sphere.normals = Some(radial.iter().map(|n| n * scale).collect());
        measured(&sphere)
    };
    assert_eq!(with(1.0).shading, 1.0);
    assert_eq!(with(1.006).shading, 1.0);
    let long = with(1.007);
    assert_eq!((long.shading, long.faults[0].kind), (0.0, NormalFaultKind::NotUnit));
    let turned = with(-1.0);
    assert_eq!((turned.shading, turned.faults[0].kind), (0.0, NormalFaultKind::Opposed));
    assert_eq!(turned.faults[0].count, 3 * 512);
    assert_eq!(turned.outward, 1.0);
}

#[test]
fn grazing_normals_count_half_and_missing_ones_nothing() {
    let mut triangle = mesh(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    let at_85_degrees = Vector3::new(0.996_194_698_091_745_5, 0.0, 0.087_155_742_747_658_17);
    let at_75_degrees = Vector3::new(0.965_925_826_289_068_3, 0.0, 0.258_819_045_102_520_76);
    triangle.normals = Some(vec![at_85_degrees; 3]);
    assert!(near(measured(&triangle).shading, 0.5));
    assert_eq!(measured(&triangle).faults.iter().filter(|f| f.kind == NormalFaultKind::Grazing).count(), 1);
    triangle.normals = Some(vec![at_75_degrees; 3]);
    assert_eq!(measured(&triangle).shading, 1.0);
    triangle.normals = Some(vec![Vector3::z()]);
    assert!(near(measured(&triangle).shading, 1.0 / 3.0));
}

#[test]
fn a_dense_knob_does_not_hide_wrong_shading() {
    let knob = gridded([0.3, 0.3, 1.0], [0.32, 0.32, 1.02], 16);
    let found = measured(&joined(&[shaded(&unit_box(), true), shaded(&knob, false)]));
    assert!(found.shading < 0.001, "{}", found.shading);
    assert_eq!(found.faults[0].kind, NormalFaultKind::Opposed);
}

#[test]
fn nothing_to_see_is_not_outward() {
    assert_eq!(measured(&mesh(&[], &[])).value(), 0.0);
}

/// Thirty thousand open sheets behind one another cost no more rays than allowed, and are still seen from their fronts.
#[test]
fn many_sheets_are_seen_with_fewer_rays() {
    let sheet = |index: u32| {
        let y = 1e-4 * f64::from(index);
        mesh(&[[0.0, y, 0.0], [0.0, y, 1.0], [1.0, y, 0.0]], &[[0, 1, 2]])
    };
    let found = measured(&joined(&(0..30_000).map(sheet).collect::<Vec<_>>()));
    assert!(found.outward > 0.0 && found.outward < 1.0, "{}", found.outward);
    assert!(found.faults.iter().all(|fault| fault.kind == NormalFaultKind::SeenFromBehind), "{:?}", found.faults);
}
