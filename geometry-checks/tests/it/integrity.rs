use geometry_checks::{FaultKind, Integrity, Mesh, MeshFault, Tolerances, integrity};

use crate::shapes::{ball, cuboid, gridded, joined, mesh, unit_box};

fn measured(mesh: &Mesh) -> Integrity {
    integrity(mesh, false, &Tolerances::default())
}

fn fault(found: &Integrity, kind: FaultKind) -> &MeshFault {
    found.faults.iter().find(|fault| fault.kind == kind).expect("the fault is reported")
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn clean_solids_have_no_fault() {
    let far = cuboid([1000.0, 0.0, -500.0], [1000.5, 0.01, -499.0]);
    for solid in [unit_box(), far, ball([3.0, 0.0, 0.0], 0.02, 3)] {
        let found = measured(&solid);
        assert!(found.faults.is_empty(), "{:?}", found.faults);
        assert_eq!(found.value(), 1.0);
        assert!(!found.truncated);
    }
}

#[test]
fn vertices_apart_by_less_than_the_weld_are_one() {
    let mut soup = ball([0.0; 3], 1.0, 2);
    for (index, position) in soup.positions.iter_mut().enumerate() {
        position.x += 1e-8 * (index % 3) as f64;
    }
    assert_eq!(measured(&soup).closed, 1.0);
    soup.positions[0].x += 1e-4;
    assert!(measured(&soup).closed < 1.0);
}

#[test]
fn a_hole_is_counted_in_edges() {
    let mut without_triangle = unit_box();
    without_triangle.triangles.pop();
    let found = measured(&without_triangle);
    assert_eq!(fault(&found, FaultKind::OpenEdge).count, 3);
    assert_eq!(found.faults.len(), 1);

    let mut without_side = unit_box();
    without_side.triangles.truncate(10);
    assert_eq!(fault(&measured(&without_side), FaultKind::OpenEdge).count, 4);
    let as_sheet = integrity(&without_side, true, &Tolerances::default());
    assert_eq!((as_sheet.value(), as_sheet.faults.len()), (1.0, 0));
}

/// Twice the area of the holes over that of the faces, and at least the share of the edges.
#[test]
fn a_hole_weighs_by_its_area_however_fine_the_rest_is() {
    let mut without_triangle = unit_box();
    without_triangle.triangles.pop();
    assert!(near(measured(&without_triangle).closed, 1.0 - 2.0 * 0.5 / 5.5));
    for cuts in [1_u32, 5, 20] {
        let side = 2 * (cuts * cuts) as usize;
        let whole = gridded([5.0, 0.0, -7.0], [6.0, 1.0, -6.0], cuts);
        let without = |gone: &[usize]| {
            let mut open = whole.clone();
            open.triangles = (0..6)
                .filter(|s| !gone.contains(s))
                .flat_map(|s| whole.triangles[side * s..side * (s + 1)].to_vec())
                .collect();
            measured(&open).closed
        };
        assert_eq!(without(&[]), 1.0);
        assert!((without(&[2]) - 0.6).abs() < 1e-9, "bottom, {cuts} cuts: {}", without(&[2]));
        assert!(without(&[2, 3]) < 1e-9, "a tube, whose holes face each other: {}", without(&[2, 3]));
        assert!(without(&[1, 3, 5]) < 1e-9, "half a box: {}", without(&[1, 3, 5]));
    }
}

#[test]
fn three_faces_on_an_edge_are_not_manifold() {
    let fins = mesh(
        &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.5, -1.0, 0.5], [0.5, -1.0, -0.5]],
        &[[0, 1, 2], [1, 0, 3], [1, 0, 4]],
    );
    let found = integrity(&fins, true, &Tolerances::default());
    assert!(near(found.manifold, 1.0 - 1.0 / 7.0));
    let fault = fault(&found, FaultKind::NonManifoldEdge);
    assert_eq!((fault.count, fault.position.x, fault.position.y), (1, 0.5, 0.0));
    assert_eq!(found.nonself, 1.0);
}

#[test]
fn solids_that_meet_in_one_vertex_are_not_manifold() {
    let tetrahedra = mesh(
        &[
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0],
            [-1.0, 0.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, -1.0],
        ],
        &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2], [0, 4, 5], [0, 6, 4], [4, 6, 5], [0, 5, 6]],
    );
    let found = measured(&tetrahedra);
    assert_eq!((found.closed, found.nonself), (1.0, 1.0));
    assert!(near(found.manifold, 1.0 - 1.0 / 12.0));
    assert_eq!(fault(&found, FaultKind::NonFanVertex).position, nalgebra::Point3::origin());
}

#[test]
fn a_repeated_face_is_a_duplicate_and_not_a_self_intersection() {
    let mut doubled = unit_box();
    doubled.triangles.push([6, 2, 0]);
    let found = measured(&doubled);
    assert!(near(found.nonduplicate, 1.0 - 1.0 / 13.0));
    assert_eq!(fault(&found, FaultKind::DuplicateFace).triangle, 12);
    assert!(near(found.manifold, 1.0 - 3.0 / 18.0));
    assert_eq!(found.nonself, 1.0);
}

#[test]
fn triangles_without_area_or_vertices_are_degenerate() {
    let mut needle = unit_box();
    needle.positions.push([0.5, 1e-6, 0.0].into());
    needle.triangles.push([0, 1, 8]);
    let mut repeated = unit_box();
    repeated.triangles.push([0, 0, 1]);
    let mut missing = unit_box();
    missing.triangles.push([0, 1, 99]);
    let mut not_a_number = unit_box();
    not_a_number.positions.push([f64::NAN, 0.0, 0.0].into());
    not_a_number.triangles.push([0, 1, 8]);
    for bad in [needle, repeated, missing, not_a_number] {
        let found = measured(&bad);
        assert!(near(found.nondegenerate, 12.0 / 13.0), "{found:?}");
        assert_eq!(fault(&found, FaultKind::DegenerateFace).triangle, 12);
        assert_eq!(found.nonself, 1.0);
    }
    assert_eq!(measured(&mesh(&[], &[])).value(), 0.0);
}

#[test]
fn parts_that_pass_through_each_other_intersect() {
    let through = joined(&[unit_box(), cuboid([0.5, 0.3, 0.2], [1.5, 0.8, 0.7])]);
    assert_eq!(measured(&through).nonself, 0.0);
    let flush_sides = joined(&[unit_box(), cuboid([0.5, 0.0, 0.0], [1.5, 1.0, 1.0])]);
    assert_eq!(measured(&flush_sides).nonself, 0.0);
    let apart = joined(&[unit_box(), cuboid([1.001, 0.0, 0.0], [2.0, 1.0, 1.0])]);
    assert_eq!(measured(&apart).nonself, 1.0);
    let inside = joined(&[unit_box(), cuboid([0.25; 3], [0.75; 3])]);
    assert_eq!(measured(&inside).nonself, 1.0);
}

#[test]
fn fine_faces_elsewhere_hide_no_fault() {
    let dense = ball([5.0, 0.0, 0.0], 0.1, 5);
    let through = joined(&[unit_box(), cuboid([0.5, 0.3, 0.2], [1.5, 0.8, 0.7]), dense.clone()]);
    assert_eq!(measured(&through).nonself, 0.0);
    let mut doubled = unit_box();
    doubled.triangles.push([6, 2, 0]);
    assert!(measured(&joined(&[doubled, dense])).nonduplicate < 0.93);
}

#[test]
fn a_few_intersecting_faces_of_many_cost_part() {
    let kissing = joined(&[ball([0.0; 3], 1.0, 4), ball([1.99, 0.0, 0.0], 1.0, 4)]);
    let found = measured(&kissing);
    assert!(found.nonself > 0.5 && found.nonself < 1.0, "{}", found.nonself);
    assert_eq!(found.faults.len(), 1);
    let apart = joined(&[ball([0.0; 3], 1.0, 4), ball([2.01, 0.0, 0.0], 1.0, 4)]);
    assert_eq!(measured(&apart).nonself, 1.0);
}

#[test]
fn neighbours_intersect_only_beyond_what_they_share() {
    let first = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
    let fold = |apex: [f64; 3]| mesh(&[first[0], first[1], first[2], apex], &[[0, 1, 2], [0, 1, 3]]);
    let fan = |b: [f64; 3], c: [f64; 3]| mesh(&[first[0], first[1], first[2], b, c], &[[0, 1, 2], [0, 3, 4]]);
    let nonself = |mesh: &Mesh| integrity(mesh, true, &Tolerances::default()).nonself;

    assert_eq!(nonself(&fold([0.5, 0.5, 0.0])), 0.0, "folded onto each other");
    assert_eq!(nonself(&fold([0.5, -1.0, 0.0])), 1.0, "flat beside each other");
    assert_eq!(nonself(&fold([0.5, 0.5, 0.01])), 1.0, "a sharp but open fold");
    assert_eq!(nonself(&fan([1.0, 0.5, -1.0], [0.5, 1.0, 1.0])), 0.0, "pierces the inside");
    assert_eq!(nonself(&fan([-1.0, -0.5, -1.0], [-0.5, -1.0, 1.0])), 1.0, "passes behind the vertex");
    assert_eq!(nonself(&fan([3.0, -1.0, 0.0], [3.0, -2.0, 0.0])), 1.0, "flat, next to it");
    assert_eq!(nonself(&fan([1.0, 0.2, 0.0], [0.2, 1.0, 0.0])), 0.0, "flat, on it");
}

#[test]
fn squares_in_one_plane_intersect_when_they_share_area() {
    let square = |x: f64, y: f64| {
        mesh(&[[x, y, 0.0], [x + 1.0, y, 0.0], [x + 1.0, y + 1.0, 0.0], [x, y + 1.0, 0.0]], &[[0, 1, 2], [0, 2, 3]])
    };
    let nonself =
        |x: f64, y: f64| integrity(&joined(&[square(0.0, 0.0), square(x, y)]), true, &Tolerances::default()).nonself;
    assert_eq!(nonself(0.5, 0.25), 0.0);
    assert_eq!(nonself(1.0, 0.0), 1.0, "share an edge");
    assert_eq!(nonself(1.0, 0.5), 1.0, "touch along half an edge");
    assert_eq!(nonself(1.5, 0.0), 1.0);
}

#[test]
fn touching_in_a_point_is_not_an_intersection() {
    let tip = mesh(
        &[[0.5, 0.4, 1.0], [0.0, 2.0, 0.0], [1.0, 2.0, 0.0], [0.5, 2.0, 2.0]],
        &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]],
    );
    let floor = mesh(&[[-9.0, 0.4, -9.0], [9.0, 0.4, -9.0], [0.0, 0.4, 9.0]], &[[0, 1, 2]]);
    let found = integrity(&joined(&[tip.clone(), floor]), true, &Tolerances::default());
    assert_eq!(found.nonself, 1.0);
    let higher = mesh(&[[-9.0, 0.5, -9.0], [9.0, 0.5, -9.0], [0.0, 0.5, 9.0]], &[[0, 1, 2]]);
    assert_eq!(integrity(&joined(&[tip, higher]), true, &Tolerances::default()).nonself, 0.0);
}

#[test]
fn the_limit_on_pairs_is_reported() {
    let tolerances = Tolerances { self_intersection_pairs: 3, ..Tolerances::default() };
    assert!(integrity(&unit_box(), false, &tolerances).truncated);
}

/// 300,000 faces: quadratic work would take hours.
#[test]
fn large_meshes_are_measured() {
    let side = 388_u32;
    let positions: Vec<[f64; 3]> = (0..=side)
        .flat_map(|j| (0..=side).map(move |i| [f64::from(i), f64::from(i * j % 7) * 0.1, f64::from(j)]))
        .collect();
    let triangles: Vec<[u32; 3]> = (0..side)
        .flat_map(|j| (0..side).map(move |i| j * (side + 1) + i))
        .flat_map(|a| [[a, a + side + 1, a + 1], [a + 1, a + side + 1, a + side + 2]])
        .collect();
    let found = integrity(&mesh(&positions, &triangles), true, &Tolerances::default());
    assert_eq!(triangles.len(), 301_088);
    assert_eq!((found.value(), found.truncated), (1.0, false));
}
