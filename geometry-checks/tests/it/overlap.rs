//! Common volumes against numbers known by hand, and against manifold3d on spheres.

use geometry_checks::{
    Aabb, Body, Mesh, Method, Overlap, Tolerances, candidate_pairs, column_overlap, convex_overlap, integrity, normals,
    overlap, overlaps, touching_pairs,
};
use nalgebra::{Point3, Vector3};

use crate::shapes::{
    block, body, hollow, inside_out, joined, mesh, moved, prism, torus, turned_x, turned_y, uv_sphere,
};

struct Case {
    name: &'static str,
    a: Mesh,
    b: Mesh,
    volume_m3: f64,
    thickness_m: f64,
}

fn unit(centre: [f64; 3]) -> Mesh {
    block(centre, [1.0; 3])
}

fn tabletop() -> Mesh {
    block([0.0; 3], [2.0, 0.1, 1.0])
}

fn cup(x: f64, y: f64, z: f64) -> Mesh {
    block([x, y, z], [0.1, 0.2, 0.1])
}

fn cases() -> Vec<Case> {
    let case = |name, a, b, volume_m3, thickness_m| Case { name, a, b, volume_m3, thickness_m };
    vec![
        case("contained", block([0.0; 3], [2.0; 3]), block([0.1, 0.2, 0.0], [0.5; 3]), 0.125, 0.5),
        case("half shift", unit([0.0; 3]), unit([0.5, 0.0, 0.0]), 0.5, 0.5),
        case("same cube", unit([0.0; 3]), unit([0.0; 3]), 1.0, 1.0),
        case(
            "shelf flush in a panel",
            block([0.0; 3], [1.0, 0.02, 0.3]),
            block([0.49, 0.0, 0.0], [0.02, 1.0, 0.3]),
            1.2e-4,
            0.02,
        ),
        case("cup sunk 1 mm", tabletop(), cup(0.0, 0.149, 0.0), 1e-5, 1e-3),
        case("cup sunk 1 mm, flush corner", tabletop(), cup(0.95, 0.149, 0.45), 1e-5, 1e-3),
        case(
            "1 cm cubes",
            block([0.0; 3], [0.01; 3]),
            block([0.0031, 0.0017, 0.0023], [0.01; 3]),
            0.0069 * 0.0083 * 0.0077,
            0.0069,
        ),
        case("turned 30° in a slab", block([0.0; 3], [4.0, 1.0, 4.0]), turned_y(unit([0.0; 3]), 30.0), 1.0, 1.0),
        case("inside out", inside_out(unit([0.0; 3])), unit([0.5, 0.0, 0.0]), 0.5, 0.5),
    ]
}

#[track_caller]
fn assert_close(name: &str, given: f64, wanted: f64, relative: f64) {
    assert!((given - wanted).abs() <= relative * wanted.abs(), "{name}: {given} instead of {wanted}");
}

fn assert_measures(case: &Case, found: Option<Overlap>, relative: f64) {
    let found = found.unwrap_or_else(|| panic!("{}: no overlap", case.name));
    assert_close(case.name, found.volume_m3, case.volume_m3, relative);
    assert_close(case.name, found.thickness_m, case.thickness_m, relative);
    assert!(found.counts && !found.volume_uncertain, "{}: {found:?}", case.name);
}

#[test]
fn convex_pairs_are_exact() {
    let t = Tolerances::default();
    for case in cases() {
        for by in [[0.0; 3], [100.0, 0.0, 0.0]] {
            let (a, b) = (body(moved(case.a.clone(), by)), body(moved(case.b.clone(), by)));
            assert_measures(&case, overlap(&a, &b, &t).filter(|o| o.method == Method::Convex), 1e-9);
            assert_measures(&case, overlap(&b, &a, &t).filter(|o| o.method == Method::Convex), 1e-9);
        }
    }
}

#[test]
fn columns_agree_with_the_known_volumes() {
    let t = Tolerances::default();
    for case in cases() {
        let (a, b) = (body(case.a.clone()), body(case.b.clone()));
        assert_measures(&case, column_overlap(&a, &b, &t), 2e-3);
        assert_measures(&case, column_overlap(&b, &a, &t), 2e-3);
    }
}

#[test]
fn resting_contact_is_no_overlap() {
    let t = Tolerances::default();
    let table = body(tabletop());
    for resting in [cup(0.0, 0.15, 0.0), cup(0.95, 0.15, 0.45), cup(1.05, 0.0, 0.0)] {
        let resting = body(resting);
        assert_eq!(overlap(&table, &resting, &t), None);
        assert_eq!(column_overlap(&table, &resting, &t), None);
    }
}

/// Volumes by manifold3d 3.5.4 (double precision meshes) of the same tessellations: radius 1 at the origin, 0.8 at
/// `centre`.
#[test]
fn sphere_pairs_agree_with_manifold3d() {
    let t = Tolerances::default();
    let oracle = [
        ([1.1, 0.3, 0.2], 12, 6, 0.381_366_567_456_256_63),
        ([1.1, 0.3, 0.2], 24, 12, 0.470_579_449_117_082_1),
        ([1.1, 0.3, 0.2], 48, 24, 0.494_658_792_167_471_44),
        ([0.5, 0.05, -0.1], 12, 6, 1.456_577_308_927_685_2),
        ([0.5, 0.05, -0.1], 24, 12, 1.624_473_152_982_663_5),
        ([0.5, 0.05, -0.1], 48, 24, 1.668_555_452_279_615_5),
    ];
    for (centre, segments, rings, volume_m3) in oracle {
        let name = format!("spheres {segments} × {rings}");
        let a = body(uv_sphere(segments, rings, [0.0; 3], 1.0));
        let b = body(uv_sphere(segments, rings, centre, 0.8));
        let columns = column_overlap(&a, &b, &t).unwrap();
        assert_close(&name, columns.volume_m3, volume_m3, 5e-3);
        assert!((columns.volume_m3 - volume_m3).abs() <= columns.volume_error_m3, "{name}: {columns:?}");
        let chosen = overlap(&a, &b, &t).unwrap();
        if segments <= 24 {
            assert_eq!(chosen.method, Method::Convex, "{name}");
            assert_close(&name, chosen.volume_m3, volume_m3, 1e-9);
            assert_close(&name, columns.thickness_m, chosen.thickness_m, 1e-2);
            assert!((columns.centre - chosen.centre).norm() < 5e-3, "{name}: {columns:?} {chosen:?}");
        } else {
            assert_eq!(chosen, columns, "{name}");
        }
    }
}

/// The longest vertical chord of two edges that cross at a right angle meets no corner: 2·√½ − 1.3.
#[test]
fn chords_between_crossing_edges_are_exact() {
    let lower = turned_x(unit([0.0; 3]), 45.0);
    let upper = moved(turned_y(turned_x(unit([0.0; 3]), 45.0), 90.0), [0.0, 1.3, 0.0]);
    let found = overlap(&body(lower), &body(upper), &Tolerances::default()).unwrap();
    // Volume by manifold3d 3.5.4.
    assert_close("volume", found.volume_m3, 0.000_993_257_318_521_331_7, 1e-9);
    assert_eq!(found.thickness_axis, 1);
    assert_close("thickness", found.thickness_m, 2.0 * 0.5_f64.sqrt() - 1.3, 1e-9);
}

#[test]
fn the_move_offered_clears_the_pair() {
    let t = Tolerances::default();
    let (table, sunk) = (tabletop(), cup(0.0, 0.149, 0.0));
    let found = overlap(&body(sunk.clone()), &body(table.clone()), &t).unwrap();
    assert!((found.separate_a_m - Vector3::new(0.0, 1e-3, 0.0)).norm() < 1e-12, "{found:?}");
    let swapped = overlap(&body(table.clone()), &body(sunk.clone()), &t).unwrap();
    assert!((swapped.separate_a_m + found.separate_a_m).norm() < 1e-12, "{swapped:?}");
    let by_columns = column_overlap(&body(sunk.clone()), &body(table.clone()), &t).unwrap();
    assert!((by_columns.separate_a_m - found.separate_a_m).norm() < 1e-12, "{by_columns:?}");
    assert_eq!(overlap(&body(moved(sunk, found.separate_a_m.into())), &body(table), &t), None);

    let (host, guest) = (uv_sphere(24, 12, [0.0; 3], 1.0), turned_y(turned_x(unit([0.2, 0.3, 0.1]), 20.0), 35.0));
    let found = overlap(&body(guest.clone()), &body(host.clone()), &t).unwrap();
    let cleared =
        overlap(&body(moved(guest.clone(), (found.separate_a_m * (1.0 + 1e-6)).into())), &body(host.clone()), &t);
    assert_eq!(cleared, None);
    assert!(overlap(&body(moved(guest, (found.separate_a_m * 0.99).into())), &body(host), &t).is_some());
}

#[test]
fn shallow_contact_does_not_count() {
    let t = Tolerances::default();
    let found = overlap(&body(tabletop()), &body(cup(0.0, 0.149_85, 0.0)), &t).unwrap();
    assert_close("tau", found.tau_m, 2e-4, 1e-9);
    assert_close("thickness", found.thickness_m, 1.5e-4, 1e-9);
    assert!(!found.counts, "{found:?}");
    assert_close("share", found.share, 1.5e-6 / 2e-3, 1e-9);
}

#[test]
fn solids_with_a_recess_go_by_columns() {
    let t = Tolerances::default();
    let outline = [[1.0, 1.0], [1.0, 2.0], [0.0, 2.0], [0.0, 0.0], [2.0, 0.0], [2.0, 1.0]];
    let corner = body(prism(&outline, [0.0, 1.0]));
    assert!(!corner.is_convex() && corner.closed());
    assert_close("own volume", corner.volume_m3(), 3.0, 1e-12);

    let across = body(block([1.05, 1.1, 0.5], [0.9, 1.2, 0.5]));
    let found = overlap(&corner, &across, &t).unwrap();
    assert!(matches!(found.method, Method::Columns { .. }), "{found:?}");
    assert_close("common", found.volume_m3, 0.365, 5e-3);
    assert!((found.volume_m3 - 0.365).abs() <= found.volume_error_m3, "{found:?}");
    assert_close("thickness", found.thickness_m, 0.5, 1e-9);

    let in_the_recess = body(block([1.5, 1.5, 0.5], [0.9; 3]));
    assert_eq!(overlap(&corner, &in_the_recess, &t), None);
}

#[test]
fn a_flipped_face_is_not_a_hole() {
    let t = Tolerances::default();
    let mut flipped = unit([0.0; 3]);
    flipped.triangles[3].swap(0, 1);
    let flipped = body(flipped);
    assert!(flipped.closed() && flipped.is_convex());
    let found = overlap(&flipped, &body(unit([0.5, 0.0, 0.0])), &t).unwrap();
    assert_close("half shift", found.volume_m3, 0.5, 1e-9);
    assert!(!found.volume_uncertain);
}

#[test]
fn a_hole_leaves_the_other_axes_and_a_warning() {
    let t = Tolerances::default();
    let other = body(unit([0.5, 0.0, 0.0]));
    let mut holed = unit([0.0; 3]);
    holed.triangles.remove(2);
    let holed = body(holed);
    assert!(!holed.closed());
    assert_close("own volume", holed.volume_m3(), 1.0, 1e-9);
    let found = overlap(&holed, &other, &t).unwrap();
    assert_close("half shift", found.volume_m3, 0.5, 2e-3);
    assert_close("thickness", found.thickness_m, 0.5, 1e-9);
    assert!(found.volume_uncertain && found.counts, "{found:?}");
}

/// Of three axes only z sees a box without an x and a y side.
#[test]
fn two_holes_leave_one_axis() {
    let t = Tolerances::default();
    let mut holed = unit([0.0; 3]);
    holed.triangles.drain(6..8);
    holed.triangles.drain(2..4);
    let holed = body(holed);
    assert_close("own volume", holed.volume_m3(), 1.0, 1e-9);
    for other in [unit([0.5, 0.0, 0.0]), turned_x(unit([0.5, 0.0, 0.0]), 30.0)] {
        let found = overlap(&holed, &body(other), &t).unwrap();
        assert!(found.volume_uncertain && found.counts && found.share > 0.2, "{found:?}");
        assert_eq!(found.volume_error_m3, found.volume_m3);
    }
    assert_eq!(overlap(&holed, &body(unit([1.0, 0.0, 0.0])), &t), None);
}

#[test]
fn a_sealed_cavity_is_filled() {
    let t = Tolerances::default();
    let shell = hollow([0.0; 3], [1.0; 3], 5e-5);
    let (first, second) = (body(shell.clone()), body(moved(shell.clone(), [0.5, 0.0, 0.0])));
    assert!(first.closed() && first.is_convex());
    assert_close("own volume", first.volume_m3(), 1.0, 1e-9);
    let found = overlap(&first, &second, &t).unwrap();
    assert_close("half shift", found.volume_m3, 0.5, 1e-9);
    assert!(found.counts && found.thickness_m > 0.49, "{found:?}");
    let found = overlap(&first, &body(block([0.1, 0.0, 0.0], [0.5; 3])), &t).unwrap();
    assert_close("within the cavity", found.volume_m3, 0.125, 1e-9);
    assert_eq!(overlap(&first, &body(moved(shell.clone(), [1.0, 0.0, 0.0])), &t), None);
    assert_eq!(integrity(&shell, false, &t).value(), 1.0);
    assert_eq!(normals(&shell, false, &t).value(), 1.0);

    // An inside-out block that sticks out of the other one is no cavity, and takes nothing away.
    let crossed = body(joined(&[block([0.0; 3], [1.0; 3]), inside_out(block([1e-4; 3], [1.0; 3]))]));
    assert_close("own volume", crossed.volume_m3(), 1.0, 5e-3);
    let found = overlap(&crossed, &body(block([0.0; 3], [0.5; 3])), &t).unwrap();
    assert_close("within both", found.volume_m3, 0.125, 5e-3);
}

/// Parts that share volume are not counted twice.
#[test]
fn coincident_parts_are_one_volume() {
    let stack: Vec<Mesh> = (0..9).map(|i| block([1e-5 * f64::from(i), 0.0, 0.0], [1.0; 3])).collect();
    assert_close("own volume", body(joined(&stack)).volume_m3(), 1.0, 5e-3);
    let apart = joined(&[unit([0.0; 3]), unit([1.0, 0.5, 0.0]), unit([0.0, 3.0, 0.0])]);
    assert_close("own volume", body(apart).volume_m3(), 3.0, 1e-12);
}

#[test]
fn thin_is_thin_however_it_is_turned() {
    assert_close("cube", body(unit([3.0; 3])).thin_extent_m(), 1.0, 1e-12);
    assert_close("cube inside out", body(inside_out(unit([3.0; 3]))).thin_extent_m(), 1.0, 1e-12);
    assert_close("flat", body(block([0.0; 3], [10.0, 0.1, 10.0])).thin_extent_m(), 0.1, 1e-9);
    let turned = body(turned_y(turned_x(block([0.0; 3], [10.0, 0.1, 10.0]), 45.0), 45.0));
    assert!(turned.thin_extent_m() <= 0.3 && turned.aabb().min_extent() > 5.0, "{}", turned.thin_extent_m());
    let mut open = turned.mesh().clone();
    open.triangles.pop();
    let open = body(open);
    assert_eq!(open.thin_extent_m(), open.aabb().min_extent());
    assert_eq!(body(Mesh::default()).thin_extent_m(), 0.0);

    let t = Tolerances::default();
    let found = overlap(&turned, &body(unit([0.0; 3])), &t).unwrap();
    assert_close("tau", found.tau_m, t.touch_share * turned.thin_extent_m(), 1e-12);
    assert_eq!([t.touch_m(1.0), t.touch_m(1e-3), t.touch_m(1e3)], [2e-3, 1e-4, 2e-3]);
}

/// As refinement ends, the bound says how far.
#[test]
fn what_is_decided_is_not_refined() {
    let t = Tolerances { decided_share: 0.05, ..Tolerances::default() };
    let ring = torus(64, 32, 0.5, 0.2);
    let tori: Vec<Body> = (0..12)
        .map(|i| body(turned_y(turned_x(moved(ring.clone(), [0.0, 1e-4 * f64::from(i), 0.0]), 0.1), f64::from(i))))
        .collect();
    assert!(!tori[0].is_convex() && tori[0].closed());
    let mut least_s = f64::INFINITY;
    for other in &tori[1..] {
        let start = std::time::Instant::now();
        let decided = overlap(&tori[0], other, &t).unwrap();
        least_s = least_s.min(start.elapsed().as_secs_f64());
        assert_eq!(decided.method, Method::Columns { resolution: t.columns_first });
        assert!(decided.volume_m3 - decided.volume_error_m3 > 0.05 * tori[0].volume_m3(), "{decided:?}");
        let refined = overlap(&tori[0], other, &Tolerances::default()).unwrap();
        assert_close("volume", decided.volume_m3, refined.volume_m3, 0.05);
    }
    assert!(least_s < 0.010, "{least_s} s for the quickest of eleven pairs");
    // Too little in common to be decided.
    let grazing = overlap(&body(ring.clone()), &body(moved(ring, [1.39, 0.0, 0.0])), &t).unwrap();
    assert!(grazing.share < 0.05 && grazing.method != Method::Columns { resolution: t.columns_first }, "{grazing:?}");
}

/// Repeating each face the other way round must not cancel the solid.
#[test]
fn doubled_faces_are_one_solid() {
    let mut doubled = unit([0.0; 3]);
    doubled.triangles.extend(inside_out(unit([0.0; 3])).triangles);
    let found = overlap(&body(doubled), &body(unit([0.5, 0.0, 0.0])), &Tolerances::default()).unwrap();
    assert_close("half shift", found.volume_m3, 0.5, 1e-9);
}

/// Vertices split for flat shading, as exporters write them, are welded again.
#[test]
fn split_vertices_are_one_solid() {
    let cube = unit([0.0; 3]);
    let positions: Vec<[f64; 3]> =
        cube.triangles.iter().flatten().map(|&i| cube.positions[i as usize].coords.into()).collect();
    let triangles: Vec<[u32; 3]> = (0..12).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let split = body(mesh(&positions, &triangles));
    assert!(split.closed() && split.is_convex());
    let found = overlap(&split, &body(unit([0.5, 0.0, 0.0])), &Tolerances::default()).unwrap();
    assert_close("half shift", found.volume_m3, 0.5, 1e-9);
}

#[test]
fn unreadable_meshes_are_measured_without_panic() {
    let t = Tolerances::default();
    let cube = body(unit([0.0; 3]));
    let mut broken = unit([0.2, 0.0, 0.0]);
    broken.positions[7].x = f64::NAN;
    broken.triangles.push([0, 1, 99]);
    for mesh in [Mesh::default(), mesh(&[[f64::NAN; 3]; 3], &[[0, 1, 2]]), broken] {
        let broken = body(mesh);
        assert!(!broken.closed());
        if let Some(found) = overlap(&broken, &cube, &t) {
            assert!(found.volume_uncertain && found.volume_m3.is_finite(), "{found:?}");
        }
        assert_eq!(convex_overlap(&broken, &cube, &t), None);
    }
}

#[test]
fn candidates_share_volume_and_come_in_order() {
    let cube = |x: f64, y: f64| Aabb { min: Point3::new(x, y, 0.0), max: Point3::new(x + 1.0, y + 1.0, 1.0) };
    let boxes = [cube(2.5, 0.0), cube(0.0, 0.0), cube(1.0, 0.0), cube(0.5, 0.0), cube(0.5, 1.0), cube(2.0, 0.5)];
    assert_eq!(candidate_pairs(&boxes), [(0, 5), (1, 3), (2, 3)]);
    assert!(candidate_pairs(&boxes[..1]).is_empty() && candidate_pairs(&[]).is_empty());
}

#[test]
fn boxes_of_two_lists_may_touch() {
    let cube = |x: f64| Aabb { min: Point3::new(x, 0.0, 0.0), max: Point3::new(x + 1.0, 1.0, 1.0) };
    let (ones, others) = ([cube(0.0), cube(5.0)], [cube(1.0), cube(0.5), cube(6.5), cube(4.0)]);
    assert_eq!(touching_pairs(&ones, &others, 3).unwrap(), [(0, 0), (0, 1), (1, 3)]);
    assert!(touching_pairs(&ones, &others, 2).is_none());
    assert!(touching_pairs(&ones, &[], 0).unwrap().is_empty());
}

#[test]
fn all_overlaps_of_a_scene_come_in_order() {
    let bodies = [
        body(unit([0.0; 3])),
        body(unit([10.0, 0.0, 0.0])),
        body(uv_sphere(12, 6, [0.5, 0.0, 0.0], 0.3)),
        body(unit([10.0, 0.75, 0.0])),
    ];
    let found = overlaps(&bodies, &Tolerances::default());
    assert_eq!(found.iter().map(|&(i, j, _)| (i, j)).collect::<Vec<_>>(), [(0, 2), (1, 3)]);
    assert_close("stacked", found[1].2.volume_m3, 0.25, 1e-9);
}

/// `count` plates of 1 × 1 m, as thick as the gaps between them, from y = 0 to 1.
fn stack(count: u32) -> Mesh {
    let pitch_m = 1.0 / f64::from(count);
    let plate = |index: u32| block([0.0, (f64::from(index) + 0.25) * pitch_m, 0.0], [1.0, 0.5 * pitch_m, 1.0]);
    joined(&(0..count).map(plate).collect::<Vec<_>>())
}

/// What would cost too many crossings is measured on a coarser grid, and taken as a whole where none is affordable.
#[test]
fn tangled_pairs_cost_no_more_than_their_bound() {
    let t = Tolerances::default();
    let shifted = |count: u32| (body(stack(count)), body(moved(stack(count), [0.5, 0.0, 0.0])));
    let (a, b) = shifted(200);
    let found = overlap(&a, &b, &t).unwrap();
    assert!(matches!(found.method, Method::Columns { resolution: 8..=16 }), "{found:?}");
    assert!((found.volume_m3 - 0.25).abs() <= found.volume_error_m3.max(0.005), "{found:?}");

    let (a, b) = shifted(3_000);
    let found = overlap(&a, &b, &t).unwrap();
    assert_eq!(found.method, Method::Columns { resolution: 0 });
    assert_eq!(found.volume_error_m3, found.volume_m3);
    assert!(found.volume_m3 <= a.volume_m3().min(b.volume_m3()), "{found:?}");
}
