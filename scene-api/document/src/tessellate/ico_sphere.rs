//! A sphere of nearly equal triangles.

use super::Faces;
use std::collections::BTreeMap;

/// Of an icosahedron, as indices into `corners`; counter-clockwise seen from outside.
const FACES: [[u32; 3]; 20] = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
];

/// Three golden rectangles.
fn corners() -> [[f64; 3]; 12] {
    let long = (1.0 + 5.0_f64.sqrt()) / 2.0;
    [
        [-1.0, long, 0.0],
        [1.0, long, 0.0],
        [-1.0, -long, 0.0],
        [1.0, -long, 0.0],
        [0.0, -1.0, long],
        [0.0, 1.0, long],
        [0.0, -1.0, -long],
        [0.0, 1.0, -long],
        [long, 0.0, -1.0],
        [long, 0.0, 1.0],
        [-long, 0.0, -1.0],
        [-long, 0.0, 1.0],
    ]
}

pub(super) fn triangle_count(subdivisions: u32) -> u64 {
    20 << (2 * subdivisions.min(16))
}

/// One vertex per place, smooth everywhere.
pub(super) fn ico_sphere(faces: &mut Faces, radius: f64, subdivisions: u32) {
    let mut directions: Vec<[f64; 3]> = corners().into_iter().map(unit).collect();
    let mut triangles = FACES.to_vec();
    for _ in 0..subdivisions {
        triangles = split(&mut directions, &triangles);
    }
    for direction in directions {
        faces.vertex(direction.map(|part| radius * part), direction);
    }
    faces.triangles.extend(triangles);
}

/// Each triangle in four; the middles of the sides are put onto the sphere.
fn split(directions: &mut Vec<[f64; 3]>, triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut middles: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
            let (from, to) = (directions[a.min(b) as usize], directions[a.max(b) as usize]);
            directions.push(unit([0, 1, 2].map(|axis| from[axis] + to[axis])));
            u32::try_from(directions.len() - 1).unwrap_or(u32::MAX)
        })
    };
    let mut finer = Vec::with_capacity(4 * triangles.len());
    for [a, b, c] in triangles.iter().copied() {
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    finer
}

fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = vector.iter().map(|part| part * part).sum::<f64>().sqrt();
    vector.map(|part| part / length)
}
