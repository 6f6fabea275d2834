//! Baked meshes as graphics cards take them.

use nalgebra::{Point3, Vector3};
use scene_document::{AlphaMode, BakedMesh, MeshId, NodeId, Surface};

fn triangle() -> BakedMesh {
    BakedMesh {
        node: NodeId(1),
        name: String::new(),
        mesh: MeshId(1),
        positions: vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)],
        normals: None,
        uvs: None,
        triangles: vec![[0, 1, 2]],
        triangle_surface: vec![0],
        surfaces: vec![Surface::WITHOUT_MATERIAL],
    }
}

#[test]
fn a_mesh_without_normals_is_flat() {
    let drawn = triangle().drawn(0.0);
    assert_eq!(drawn.normals, [[0.0, 0.0, 1.0]; 3]);
    assert_eq!(drawn.parts[0].indices, [0, 1, 2]);
}

#[test]
fn normals_of_any_length_become_unit() {
    let mesh = BakedMesh { normals: Some(vec![Vector3::new(0.0, 3.0, 4.0); 3]), ..triangle() };
    assert_eq!(mesh.drawn(0.0).normals, [[0.0, 0.6, 0.8]; 3]);
}

#[test]
fn one_useless_normal_makes_the_mesh_flat() {
    for useless in [Vector3::zeros(), Vector3::repeat(f64::NAN)] {
        let normals = vec![Vector3::x(), useless, Vector3::x()];
        let drawn = BakedMesh { normals: Some(normals), ..triangle() }.drawn(0.0);
        assert_eq!(drawn.normals, [[0.0, 0.0, 1.0]; 3]);
    }
}

/// They stay with their corners, whether vertices are shared or made anew.
#[test]
fn texture_coordinates_go_with_the_corners() {
    let uvs = vec![[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]];
    let flat = BakedMesh { uvs: Some(uvs.clone()), triangles: vec![[1, 2, 0]], ..triangle() };
    assert_eq!(flat.drawn(0.0).uvs, [uvs[1], uvs[2], uvs[0]]);
    let smooth = BakedMesh { normals: Some(vec![Vector3::z(); 3]), ..flat.clone() };
    assert_eq!(smooth.drawn(0.0).uvs, uvs);
    assert!(BakedMesh { uvs: Some(vec![[0.0; 2]; 2]), ..flat }.drawn(0.0).uvs.is_empty());
    assert!(triangle().drawn(0.0).uvs.is_empty());
}

#[test]
fn what_cannot_be_drawn_is_left_out_and_nothing_else() {
    let mut mesh = triangle();
    mesh.positions.push(Point3::new(f64::INFINITY, 0.0, 0.0));
    mesh.positions.push(Point3::new(0.0, 1e300, 0.0));
    mesh.triangles = vec![[0, 1, 3], [0, 1, 9], [0, 0, 1], [0, 1, 4], [0, 1, 2]];
    mesh.triangle_surface = vec![0; 5];
    for normals in [None, Some(vec![Vector3::z(); 5])] {
        let drawn = BakedMesh { normals, ..mesh.clone() }.drawn(0.0);
        assert_eq!(drawn.parts[0].indices, [0, 1, 2]);
        assert!(drawn.positions_m.iter().flatten().all(|value| value.is_finite()));
    }
}

#[test]
fn invisible_surfaces_are_left_out() {
    let mut mesh = triangle();
    mesh.triangles.push([2, 1, 0]);
    mesh.triangle_surface = vec![1, 0];
    let [mut glass, solid] = [Surface::WITHOUT_MATERIAL; 2];
    glass.alpha_mode = AlphaMode::Blend;
    glass.base_color[3] = 0.04;
    mesh.surfaces = vec![solid, glass];
    assert_eq!(mesh.drawn(0.05).parts.len(), 1);
    assert_eq!(mesh.drawn(0.05).parts[0].surface, solid);
    assert_eq!(mesh.drawn(0.0).parts.len(), 2);
}
