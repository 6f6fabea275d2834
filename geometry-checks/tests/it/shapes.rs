//! Meshes whose measures, faults and place are known by construction.

use std::f64::consts::PI;

use geometry_checks::{Body, Mesh, Tolerances};
use nalgebra::{Point3, Vector3};

pub(crate) fn body(mesh: Mesh) -> Body {
    Body::new(mesh, &Tolerances::default())
}

pub(crate) fn mesh(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Mesh {
    Mesh {
        positions: positions.iter().map(|position| Point3::from(*position)).collect(),
        normals: None,
        triangles: triangles.to_vec(),
    }
}

/// Box of 8 vertices and 12 triangles, faces outwards. Vertex number = x + 2y + 4z with 1 for the upper end.
pub(crate) fn cuboid(min: [f64; 3], max: [f64; 3]) -> Mesh {
    let corner = |bits: usize| [0, 1, 2].map(|axis: usize| if bits >> axis & 1 == 1 { max[axis] } else { min[axis] });
    let faces: [[u32; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    mesh(&[0, 1, 2, 3, 4, 5, 6, 7].map(corner), &triangles)
}

/// Box given by its middle and edge lengths.
pub(crate) fn block(centre: [f64; 3], size: [f64; 3]) -> Mesh {
    let end = |side: f64| [0, 1, 2].map(|axis: usize| centre[axis] + side * size[axis]);
    cuboid(end(-0.5), end(0.5))
}

pub(crate) fn unit_box() -> Mesh {
    cuboid([0.0; 3], [1.0; 3])
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
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for i in 0..segments {
        triangles.push([0, at(1, i + 1), at(1, i)]);
        for ring in 1..rings - 1 {
            triangles.push([at(ring, i), at(ring, i + 1), at(ring + 1, i + 1)]);
            triangles.push([at(ring, i), at(ring + 1, i + 1), at(ring + 1, i)]);
        }
        triangles.push([at(rings - 1, i), at(rings - 1, i + 1), south]);
    }
    moved(mesh(&positions, &triangles), centre)
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

/// Prism along z over a counter-clockwise outline in x and y, all of which its first corner sees.
pub(crate) fn prism(outline: &[[f64; 2]], z: [f64; 2]) -> Mesh {
    let count = outline.len() as u32;
    let positions: Vec<[f64; 3]> = z.iter().flat_map(|&z| outline.iter().map(move |&[x, y]| [x, y, z])).collect();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for i in 1..count - 1 {
        triangles.push([0, i + 1, i]);
        triangles.push([count, count + i, count + i + 1]);
    }
    for i in 0..count {
        let j = (i + 1) % count;
        triangles.push([i, j, count + j]);
        triangles.push([i, count + j, count + i]);
    }
    mesh(&positions, &triangles)
}

/// Box with each side cut in `cuts`² squares of two triangles, side after side: x lower, x upper, y lower and so on.
pub(crate) fn gridded(min: [f64; 3], max: [f64; 3], cuts: u32) -> Mesh {
    let side = |axis: usize, upper: bool| {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let at = |k: usize, step: u32| min[k] + (max[k] - min[k]) * f64::from(step) / f64::from(cuts);
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for j in 0..=cuts {
            for i in 0..=cuts {
                let mut point = [0.0; 3];
                point[axis] = if upper { max[axis] } else { min[axis] };
                (point[u], point[v]) = (at(u, i), at(v, j));
                positions.push(point);
                if i < cuts && j < cuts {
                    let a = j * (cuts + 1) + i;
                    let d = a + cuts + 1;
                    triangles.extend([[a, a + 1, d + 1], [a, d + 1, d]]);
                }
            }
        }
        let looking_up = mesh(&positions, &triangles);
        if upper { looking_up } else { inside_out(looking_up) }
    };
    let sides: Vec<Mesh> = (0..6).map(|number| side(number / 2, number % 2 == 1)).collect();
    joined(&sides)
}

/// Box with a sealed cavity that leaves walls of this thickness.
pub(crate) fn hollow(centre: [f64; 3], size: [f64; 3], wall_m: f64) -> Mesh {
    joined(&[block(centre, size), inside_out(block(centre, size.map(|edge| edge - 2.0 * wall_m)))])
}

/// Torus about the y axis.
pub(crate) fn torus(segments: u32, sides: u32, ring: f64, tube: f64) -> Mesh {
    let turn = |step: u32, steps: u32| 2.0 * PI * f64::from(step) / f64::from(steps);
    let (mut positions, mut triangles): (Vec<[f64; 3]>, Vec<[u32; 3]>) = (Vec::new(), Vec::new());
    for segment in 0..segments {
        let around = turn(segment, segments);
        for side in 0..sides {
            let out = ring + tube * libm::cos(turn(side, sides));
            positions.push([out * libm::cos(around), tube * libm::sin(turn(side, sides)), out * libm::sin(around)]);
            let at = |i: u32, j: u32| (i % segments) * sides + j % sides;
            let [a, b] = [at(segment, side), at(segment + 1, side)];
            let [c, d] = [at(segment + 1, side + 1), at(segment, side + 1)];
            triangles.extend([[a, d, c], [a, c, b]]);
        }
    }
    mesh(&positions, &triangles)
}

/// Flat-shaded: each triangle with corners of its own and its normal, turned round where `reversed`.
pub(crate) fn shaded(flat: &Mesh, reversed: bool) -> Mesh {
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    for [a, b, c] in flat.triangles.iter().map(|t| t.map(|i| flat.positions[i as usize])) {
        let normal = (b - a).cross(&(c - a)).normalize();
        positions.extend([a, b, c]);
        normals.extend([if reversed { -normal } else { normal }; 3]);
    }
    let triangles = (0..flat.triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh { positions, normals: Some(normals), triangles }
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

pub(crate) fn joined(parts: &[Mesh]) -> Mesh {
    let normals = parts.iter().map(|part| part.normals.clone()).collect::<Option<Vec<_>>>();
    let mut whole = Mesh { positions: Vec::new(), normals: normals.map(|each| each.concat()), triangles: Vec::new() };
    for part in parts {
        let offset = whole.positions.len() as u32;
        whole.positions.extend(&part.positions);
        whole.triangles.extend(part.triangles.iter().map(|t| t.map(|i| i + offset)));
    }
    whole
}
