//! Meshes with known measures.

use std::f64::consts::PI;

use geometry_checks::{Body, Mesh, Tolerances};
use nalgebra::{Point3, Vector3};

pub(crate) fn body(mesh: Mesh) -> Body {
    Body::new(mesh, &Tolerances::default())
}

pub(crate) fn mesh(positions: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Mesh {
    Mesh { positions: positions.into_iter().map(Point3::from).collect(), normals: None, triangles }
}

/// Box given by its middle and edge lengths.
pub(crate) fn block(centre: [f64; 3], size: [f64; 3]) -> Mesh {
    let corner =
        |bits: usize| [0, 1, 2].map(|axis| centre[axis] + size[axis] * if bits >> axis & 1 == 1 { 0.5 } else { -0.5 });
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    mesh((0..8).map(corner).collect(), triangles)
}

/// Sphere of meridians and parallels, poles on y, as the outside oracle was given it.
pub(crate) fn uv_sphere(segments: u32, rings: u32, centre: [f64; 3], radius: f64) -> Mesh {
    let mut positions = vec![[0.0, radius, 0.0]];
    for ring in 1..rings {
        let polar = PI * f64::from(ring) / f64::from(rings);
        for segment in 0..segments {
            let around = 2.0 * PI * f64::from(segment) / f64::from(segments);
            let (across, height) = (radius * libm::sin(polar), radius * libm::cos(polar));
            positions.push([across * libm::cos(around), height, across * libm::sin(around)]);
        }
    }
    positions.push([0.0, -radius, 0.0]);
    let south = positions.len() as u32 - 1;
    let at = |ring: u32, segment: u32| 1 + (ring - 1) * segments + segment % segments;
    let mut triangles = Vec::new();
    for i in 0..segments {
        triangles.push([0, at(1, i + 1), at(1, i)]);
        for ring in 1..rings - 1 {
            triangles.push([at(ring, i), at(ring, i + 1), at(ring + 1, i + 1)]);
            triangles.push([at(ring, i), at(ring + 1, i + 1), at(ring + 1, i)]);
        }
        triangles.push([at(rings - 1, i), at(rings - 1, i + 1), south]);
    }
    moved(mesh(positions, triangles), centre)
}

/// Prism along z over a counter-clockwise outline in x and y, all of which its first corner sees.
pub(crate) fn prism(outline: &[[f64; 2]], z: [f64; 2]) -> Mesh {
    let count = outline.len() as u32;
    let positions = z.iter().flat_map(|&z| outline.iter().map(move |&[x, y]| [x, y, z])).collect();
    let mut triangles = Vec::new();
    for i in 1..count - 1 {
        triangles.push([0, i + 1, i]);
        triangles.push([count, count + i, count + i + 1]);
    }
    for i in 0..count {
        let j = (i + 1) % count;
        triangles.push([i, j, count + j]);
        triangles.push([i, count + j, count + i]);
    }
    mesh(positions, triangles)
}

pub(crate) fn moved(mut mesh: Mesh, by: [f64; 3]) -> Mesh {
    mesh.positions.iter_mut().for_each(|p| *p += Vector3::from(by));
    mesh
}

/// Turned about the y axis through the origin.
pub(crate) fn turned_y(mut mesh: Mesh, degrees: f64) -> Mesh {
    let (sin, cos) = (libm::sin(degrees.to_radians()), libm::cos(degrees.to_radians()));
    mesh.positions.iter_mut().for_each(|p| *p = Point3::new(cos * p.x + sin * p.z, p.y, cos * p.z - sin * p.x));
    mesh
}

/// Turned about the x axis through the origin.
pub(crate) fn turned_x(mut mesh: Mesh, degrees: f64) -> Mesh {
    let (sin, cos) = (libm::sin(degrees.to_radians()), libm::cos(degrees.to_radians()));
    mesh.positions.iter_mut().for_each(|p| *p = Point3::new(p.x, cos * p.y - sin * p.z, sin * p.y + cos * p.z));
    mesh
}

pub(crate) fn inside_out(mut mesh: Mesh) -> Mesh {
    mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    mesh
}
