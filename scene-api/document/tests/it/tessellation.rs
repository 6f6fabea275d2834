use crate::scenes::{face, signed_volume};
use nalgebra::{Point3, Vector3};
use scene_document::{Shape, Triangles};
use std::collections::{BTreeMap, BTreeSet};

/// Closed shapes with the volume of the polyhedron (not of the round body), worked out by hand: an n-gon of radius r
/// has the area n/2 · sin(2π/n) · r².
fn closed_shapes() -> Vec<(Shape, f64)> {
    vec![
        (Shape::Box { size_m: [2.0, 3.0, 4.0] }, 24.0),
        (Shape::Wedge { size_m: [2.0, 3.0, 4.0] }, 12.0),
        (Shape::Cylinder { radius_m: 1.0, height_m: 2.0, segments: 4 }, 4.0),
        (Shape::Cylinder { radius_m: 1.0, height_m: 2.0, segments: 6 }, 5.196_152_422_706_632),
        (Shape::Cylinder { radius_m: 1.0, height_m: 1.0, segments: 32 }, 3.121_445_152_258_052),
        (Shape::Cone { radius_m: 1.0, height_m: 3.0, segments: 4 }, 2.0),
        (Shape::Cone { radius_m: 2.0, height_m: 1.0, segments: 3 }, 1.732_050_807_568_877),
        (Shape::UvSphere { radius_m: 1.0, segments: 4, rings: 2 }, 4.0 / 3.0),
        (Shape::Torus { ring_radius_m: 2.0, tube_radius_m: 1.0, segments: 4, sides: 4 }, 16.0),
        // A square prism of height 2 and two pyramids of height 1.
        (Shape::Capsule { radius_m: 1.0, height_m: 4.0, segments: 4, rings: 1 }, 16.0 / 3.0),
        (Shape::Tube { outer_radius_m: 2.0, inner_radius_m: 1.0, height_m: 1.0, segments: 4 }, 6.0),
        (Shape::IcoSphere { radius_m: 1.0, subdivisions: 0 }, 2.536_150_710_120_409),
    ]
}

fn f64_positions(mesh: &Triangles) -> Vec<Point3<f64>> {
    mesh.positions.iter().map(|position| Point3::from(position.map(f64::from))).collect()
}

/// Directed edges between bit-equal positions: in a closed mesh each occurs once, and so does its reverse.
fn is_closed(mesh: &Triangles) -> bool {
    let mut places = BTreeMap::new();
    let welded: Vec<usize> = mesh
        .positions
        .iter()
        .map(|position| {
            let next = places.len();
            *places.entry(position.map(f32::to_bits)).or_insert(next)
        })
        .collect();
    let mut edges = BTreeSet::new();
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|corner| welded[corner as usize]);
        for edge in [(a, b), (b, c), (c, a)] {
            if edge.0 == edge.1 || !edges.insert(edge) {
                return false;
            }
        }
    }
    edges.iter().all(|(from, to)| edges.contains(&(*to, *from)))
}

#[test]
fn volumes_are_those_of_the_polyhedra() {
    for (shape, volume_m3) in closed_shapes() {
        let mesh = shape.tessellate();
        let measured = signed_volume(&f64_positions(&mesh), &mesh.triangles);
        assert!((measured / volume_m3 - 1.0).abs() < 1e-6, "{shape:?}: {measured} instead of {volume_m3}");
    }
}

#[test]
fn a_fine_sphere_nears_the_round_one() {
    let mesh = Shape::UvSphere { radius_m: 0.5, segments: 256, rings: 128 }.tessellate();
    let measured = signed_volume(&f64_positions(&mesh), &mesh.triangles);
    let round = std::f64::consts::PI / 6.0;
    assert!(measured < round && measured > 0.9995 * round, "{measured}");
}

#[test]
fn shapes_are_closed_and_without_slivers_of_no_area() {
    let odd = [
        Shape::UvSphere { radius_m: 0.3, segments: 7, rings: 5 },
        Shape::UvSphere { radius_m: 0.3, segments: 256, rings: 128 },
        Shape::Cylinder { radius_m: 0.01, height_m: 0.7, segments: 13 },
        Shape::Cone { radius_m: 0.2, height_m: 0.3, segments: 256 },
        Shape::Torus { ring_radius_m: 0.2, tube_radius_m: 0.05, segments: 17, sides: 3 },
        Shape::Capsule { radius_m: 0.1, height_m: 0.21, segments: 256, rings: 64 },
        Shape::Tube { outer_radius_m: 0.1, inner_radius_m: 0.09, height_m: 1.0, segments: 13 },
        Shape::IcoSphere { radius_m: 0.3, subdivisions: 5 },
    ];
    for shape in closed_shapes().into_iter().map(|(shape, _)| shape).chain(odd) {
        let mesh = shape.tessellate();
        assert!(is_closed(&mesh), "{shape:?}");
        assert_eq!(mesh.triangles.len() as u64, shape.triangle_count(), "{shape:?}");
        let positions = f64_positions(&mesh);
        assert!(mesh.triangles.iter().all(|corners| face(&positions, corners).norm() > 0.0), "{shape:?}");
    }
}

#[test]
fn normals_are_unit_and_on_the_outer_side() {
    let plane = Shape::Plane { size_m: [2.0, 1.0] };
    for shape in closed_shapes().into_iter().map(|(shape, _)| shape).chain([plane]) {
        let mesh = shape.tessellate();
        let positions = f64_positions(&mesh);
        let normals: Vec<Vector3<f64>> =
            mesh.normals.iter().flatten().map(|normal| Vector3::from(normal.map(f64::from))).collect();
        assert_eq!(normals.len(), positions.len(), "{shape:?}");
        assert!(normals.iter().all(|normal| (normal.norm() - 1.0).abs() < 1e-6), "{shape:?}");
        for corners in &mesh.triangles {
            let face = face(&positions, corners);
            assert!(corners.iter().all(|corner| normals[*corner as usize].dot(&face) > 0.0), "{shape:?}");
        }
    }
}

#[test]
fn flat_sides_have_flat_normals() {
    for shape in [Shape::Box { size_m: [1.0, 2.0, 3.0] }, Shape::Wedge { size_m: [1.0, 2.0, 3.0] }] {
        let mesh = shape.tessellate();
        let positions = f64_positions(&mesh);
        let normals = mesh.normals.as_ref().unwrap();
        for corners in &mesh.triangles {
            let face = face(&positions, corners).normalize();
            for corner in corners {
                let normal = Vector3::from(normals[*corner as usize].map(f64::from));
                assert!((normal - face).norm() < 1e-6, "{shape:?}");
            }
        }
    }
}

#[test]
fn extents_are_the_sizes_given() {
    let extents = |shape: Shape| {
        let positions = shape.tessellate().positions;
        [0_usize, 1, 2].map(|axis| {
            let along = || positions.iter().map(|position| position[axis]);
            (along().fold(f32::INFINITY, f32::min), along().fold(f32::NEG_INFINITY, f32::max))
        })
    };
    assert_eq!(extents(Shape::Box { size_m: [2.0, 3.0, 4.0] }), [(-1.0, 1.0), (-1.5, 1.5), (-2.0, 2.0)]);
    assert_eq!(extents(Shape::Wedge { size_m: [2.0, 3.0, 4.0] }), [(-1.0, 1.0), (-1.5, 1.5), (-2.0, 2.0)]);
    assert_eq!(
        extents(Shape::UvSphere { radius_m: 0.5, segments: 8, rings: 4 }),
        [(-0.5, 0.5), (-0.5, 0.5), (-0.5, 0.5)]
    );
    assert_eq!(
        extents(Shape::Cylinder { radius_m: 0.5, height_m: 3.0, segments: 8 }),
        [(-0.5, 0.5), (-1.5, 1.5), (-0.5, 0.5)]
    );
}

#[test]
fn capsules_and_tubes_are_as_high_and_wide_as_they_say() {
    let capsule = Shape::Capsule { radius_m: 0.5, height_m: 3.0, segments: 8, rings: 4 };
    let tube = Shape::Tube { outer_radius_m: 0.5, inner_radius_m: 0.25, height_m: 3.0, segments: 8 };
    for shape in [capsule, tube] {
        let positions = shape.tessellate().positions;
        let most = |axis: usize| positions.iter().map(|position| position[axis].abs()).fold(0.0, f32::max);
        assert_eq!([most(0), most(1), most(2)], [0.5, 1.5, 0.5], "{shape:?}");
    }
    let hollow = tube.tessellate().positions;
    let nearest = hollow.iter().map(|[x, _, z]| (x * x + z * z).sqrt()).fold(f32::INFINITY, f32::min);
    assert!((nearest - 0.25).abs() < 1e-6, "{nearest}");
}

#[test]
fn every_corner_of_an_ico_sphere_is_on_the_sphere() {
    let mesh = Shape::IcoSphere { radius_m: 2.0, subdivisions: 3 }.tessellate();
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (642, 1280));
    assert!(f64_positions(&mesh).iter().all(|position| (position.coords.norm() - 2.0).abs() < 1e-6));
}

#[test]
fn a_wedge_is_high_at_minus_z() {
    let positions = Shape::Wedge { size_m: [2.0, 3.0, 4.0] }.tessellate().positions;
    assert!(positions.iter().filter(|position| position[1] > 0.0).all(|position| position[2] == -2.0));
}

#[test]
fn a_plane_faces_up() {
    let mesh = Shape::Plane { size_m: [2.0, 1.0] }.tessellate();
    let positions = f64_positions(&mesh);
    let up: Vec<f64> = mesh.triangles.iter().map(|corners| face(&positions, corners).y).collect();
    assert_eq!(up, [2.0, 2.0]);
}
