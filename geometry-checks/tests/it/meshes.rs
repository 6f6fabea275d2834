//! Meshes whose faults, orientation and place are known by construction.

use geometry_checks::Mesh;
use nalgebra::{Point3, Vector3};

use crate::shapes;

pub(crate) fn mesh(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Mesh {
    shapes::mesh(positions.to_vec(), triangles.to_vec())
}

/// Box of 8 vertices and 12 triangles, faces outwards. Vertex number = x + 2y + 4z with 1 for the upper end.
pub(crate) fn cuboid(min: [f64; 3], max: [f64; 3]) -> Mesh {
    let positions: Vec<[f64; 3]> = (0..8_usize)
        .map(|corner| [0, 1, 2].map(|axis: usize| if corner >> axis & 1 == 1 { max[axis] } else { min[axis] }))
        .collect();
    mesh(
        &positions,
        &[
            [0, 4, 6],
            [0, 6, 2],
            [1, 3, 7],
            [1, 7, 5],
            [0, 1, 5],
            [0, 5, 4],
            [2, 6, 7],
            [2, 7, 3],
            [0, 2, 3],
            [0, 3, 1],
            [4, 5, 7],
            [4, 7, 6],
        ],
    )
}

pub(crate) fn unit_box() -> Mesh {
    cuboid([0.0; 3], [1.0; 3])
}

/// Octahedron with each face cut in four `levels` times and moved onto the sphere; 8·4^levels triangles that share no
/// vertex index.
pub(crate) fn ball(centre: [f64; 3], radius: f64, levels: u32) -> Mesh {
    let mut faces: Vec<[Vector3<f64>; 3]> = Vec::new();
    for x in [1.0, -1.0] {
        for y in [1.0, -1.0] {
            for z in [1.0, -1.0] {
                let (a, b, c) = (Vector3::x() * x, Vector3::y() * y, Vector3::z() * z);
                faces.push(if x * y * z > 0.0 { [a, b, c] } else { [a, c, b] });
            }
        }
    }
    for _ in 0..levels {
        faces = faces
            .iter()
            .flat_map(|[a, b, c]| {
                let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(p, q)| (p + q).normalize());
                [[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]
            })
            .collect();
    }
    let centre = Vector3::from(centre);
    Mesh {
        positions: faces.iter().flatten().map(|p| Point3::from(centre + p * radius)).collect(),
        normals: None,
        triangles: (0..faces.len() as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect(),
    }
}

pub(crate) fn joined(parts: &[Mesh]) -> Mesh {
    let mut whole = Mesh { positions: Vec::new(), normals: None, triangles: Vec::new() };
    for part in parts {
        let offset = whole.positions.len() as u32;
        whole.positions.extend(&part.positions);
        whole.triangles.extend(part.triangles.iter().map(|t| t.map(|i| i + offset)));
    }
    whole
}
