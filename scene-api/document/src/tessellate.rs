//! Triangles of the parametric shapes: closed (but for the plane), counter-clockwise seen from outside, normals split
//! at creases and smooth on round sides. Vertices that share a place share every bit of it.

mod ico_sphere;

use crate::{Shape, Triangles};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A triangle mesh under construction, f64; becomes f32 once.
#[derive(Default)]
struct Faces {
    positions: Vec<[f64; 3]>,
    normals: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Shape {
    /// Sizes and counts are those that `apply` accepts.
    #[must_use]
    pub fn tessellate(&self) -> Triangles {
        let mut faces = Faces::default();
        match *self {
            Self::Box { size_m } => cuboid(&mut faces, size_m),
            Self::Plane { size_m: [width, depth] } => {
                let (x, z) = (width / 2.0, depth / 2.0);
                faces.face([0.0, 1.0, 0.0], &[[-x, 0.0, z], [x, 0.0, z], [x, 0.0, -z], [-x, 0.0, -z]]);
            }
            Self::UvSphere { radius_m, segments, rings } => sphere(&mut faces, radius_m, segments, rings),
            Self::Cylinder { radius_m, height_m, segments } => cylinder(&mut faces, radius_m, height_m, segments),
            Self::Cone { radius_m, height_m, segments } => cone(&mut faces, radius_m, height_m, segments),
            Self::Torus { ring_radius_m, tube_radius_m, segments, sides } => {
                torus(&mut faces, ring_radius_m, tube_radius_m, segments, sides);
            }
            Self::Wedge { size_m } => wedge(&mut faces, size_m),
            Self::Capsule { radius_m, height_m, segments, rings } => {
                capsule(&mut faces, radius_m, height_m, segments, rings);
            }
            Self::Tube { outer_radius_m, inner_radius_m, height_m, segments } => {
                tube(&mut faces, outer_radius_m, inner_radius_m, height_m, segments);
            }
            Self::IcoSphere { radius_m, subdivisions } => {
                ico_sphere::ico_sphere(&mut faces, radius_m, subdivisions);
            }
        }
        faces.into_triangles()
    }

    /// What `tessellate` makes, without making it.
    #[must_use]
    pub fn triangle_count(&self) -> u64 {
        match *self {
            Self::Box { .. } => 12,
            Self::Plane { .. } => 2,
            Self::UvSphere { segments, rings, .. } => 2 * u64::from(segments) * u64::from(rings.saturating_sub(1)),
            Self::Cylinder { segments, .. } => 4 * u64::from(segments),
            Self::Cone { segments, .. } => 2 * u64::from(segments),
            Self::Torus { segments, sides, .. } => 2 * u64::from(segments) * u64::from(sides),
            Self::Wedge { .. } => 8,
            Self::Capsule { segments, rings, .. } => 4 * u64::from(segments) * u64::from(rings),
            Self::Tube { segments, .. } => 8 * u64::from(segments),
            Self::IcoSphere { subdivisions, .. } => ico_sphere::triangle_count(subdivisions),
        }
    }
}

impl Faces {
    fn vertex(&mut self, position: [f64; 3], normal: [f64; 3]) -> u32 {
        self.positions.push(position);
        self.normals.push(normal);
        u32::try_from(self.positions.len() - 1).unwrap_or(u32::MAX)
    }

    /// A flat convex face; corners counter-clockwise seen from the side that `normal` points to.
    fn face(&mut self, normal: [f64; 3], corners: &[[f64; 3]]) {
        let indices: Vec<u32> = corners.iter().map(|corner| self.vertex(*corner, normal)).collect();
        if let [first, rest @ ..] = indices.as_slice() {
            self.triangles.extend(rest.windows(2).filter_map(|pair| match pair {
                [b, c] => Some([*first, *b, *c]),
                _ => None,
            }));
        }
    }

    /// A vertex per direction of `circle`, at `height` and `radius` about +Y.
    fn ring(
        &mut self,
        circle: &[[f64; 2]],
        radius: f64,
        height: f64,
        normal: impl Fn([f64; 2]) -> [f64; 3],
    ) -> Vec<u32> {
        circle.iter().map(|at| self.vertex([radius * at[0], height, radius * at[1]], normal(*at))).collect()
    }

    /// Quads between two rings of equal length, `low` below `high` as seen from outside with +Y up.
    fn band(&mut self, low: &[u32], high: &[u32]) {
        for ((a, b), (d, c)) in around(low).zip(around(high)) {
            self.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }

    /// A flat disc of `circle` facing up (`up` 1) or down (`up` −1).
    fn cap(&mut self, circle: &[[f64; 2]], radius: f64, height: f64, up: f64) {
        let normal = [0.0, up, 0.0];
        let centre = self.vertex([0.0, height, 0.0], normal);
        let rim = self.ring(circle, radius, height, |_| normal);
        for (a, b) in around(&rim) {
            self.triangles.push(if up > 0.0 { [centre, a, b] } else { [centre, b, a] });
        }
    }

    fn into_triangles(self) -> Triangles {
        let stored = |vectors: Vec<[f64; 3]>| vectors.into_iter().map(|v| v.map(|part| part as f32)).collect();
        Triangles {
            positions: stored(self.positions),
            normals: Some(stored(self.normals)),
            triangles: self.triangles,
            ..Triangles::default()
        }
    }
}

/// Directions `[x, z]` about +Y, counter-clockwise seen from above, the first at `start` steps from +Z.
fn circle(segments: u32, start: f64) -> Vec<[f64; 2]> {
    let step = TAU / f64::from(segments);
    (0..segments)
        .map(|i| {
            let angle = step * (f64::from(i) + start);
            [libm::sin(angle), libm::cos(angle)]
        })
        .collect()
}

/// Each with the one after it; the last with the first.
fn around(ring: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    ring.iter().copied().zip(ring.iter().copied().cycle().skip(1))
}

fn cuboid(faces: &mut Faces, size: [f64; 3]) {
    let [x, y, z] = size.map(|extent| extent / 2.0);
    faces.face([1.0, 0.0, 0.0], &[[x, -y, z], [x, -y, -z], [x, y, -z], [x, y, z]]);
    faces.face([-1.0, 0.0, 0.0], &[[-x, -y, -z], [-x, -y, z], [-x, y, z], [-x, y, -z]]);
    faces.face([0.0, 1.0, 0.0], &[[-x, y, z], [x, y, z], [x, y, -z], [-x, y, -z]]);
    faces.face([0.0, -1.0, 0.0], &[[-x, -y, -z], [x, -y, -z], [x, -y, z], [-x, -y, z]]);
    faces.face([0.0, 0.0, 1.0], &[[-x, -y, z], [x, -y, z], [x, y, z], [-x, y, z]]);
    faces.face([0.0, 0.0, -1.0], &[[x, -y, -z], [-x, -y, -z], [-x, y, -z], [x, y, -z]]);
}

fn wedge(faces: &mut Faces, size: [f64; 3]) {
    let [x, y, z] = size.map(|extent| extent / 2.0);
    let [_, height, depth] = size;
    let slope = length(height, depth);
    faces.face([0.0, -1.0, 0.0], &[[-x, -y, -z], [x, -y, -z], [x, -y, z], [-x, -y, z]]);
    faces.face([0.0, 0.0, -1.0], &[[x, -y, -z], [-x, -y, -z], [-x, y, -z], [x, y, -z]]);
    faces.face([0.0, depth / slope, height / slope], &[[-x, -y, z], [x, -y, z], [x, y, -z], [-x, y, -z]]);
    faces.face([1.0, 0.0, 0.0], &[[x, -y, z], [x, -y, -z], [x, y, -z]]);
    faces.face([-1.0, 0.0, 0.0], &[[-x, -y, -z], [-x, -y, z], [-x, y, -z]]);
}

fn sphere(faces: &mut Faces, radius: f64, segments: u32, rings: u32) {
    let rows: Vec<(f64, f64)> = (1..rings).map(|ring| (PI * f64::from(ring) / f64::from(rings), 0.0)).collect();
    ball(faces, radius, radius, segments, &rows);
}

/// The half-spheres' equators are the rims of the cylinder between them.
fn capsule(faces: &mut Faces, radius: f64, height: f64, segments: u32, rings: u32) {
    let straight = height / 2.0 - radius;
    let step = FRAC_PI_2 / f64::from(rings);
    let lower = (1..=rings).map(|ring| (step * f64::from(ring), -straight));
    let upper = (0..rings).map(|ring| (FRAC_PI_2 + step * f64::from(ring), straight));
    ball(faces, radius, height / 2.0, segments, &lower.chain(upper).collect::<Vec<_>>());
}

/// One vertex per pole, at `pole` above and below the origin; smooth everywhere. Each row is an angle from the south
/// and the height of the centre that it is about.
fn ball(faces: &mut Faces, radius: f64, pole: f64, segments: u32, rows: &[(f64, f64)]) {
    let circle = circle(segments, 0.0);
    let south = faces.vertex([0.0, -pole, 0.0], [0.0, -1.0, 0.0]);
    let rows: Vec<Vec<u32>> = rows
        .iter()
        .map(|(from_south, centre)| {
            let (out, up) = (libm::sin(*from_south), -libm::cos(*from_south));
            faces.ring(&circle, radius * out, centre + radius * up, |[x, z]| [out * x, up, out * z])
        })
        .collect();
    let north = faces.vertex([0.0, pole, 0.0], [0.0, 1.0, 0.0]);
    let (Some(lowest), Some(highest)) = (rows.first(), rows.last()) else { return };
    faces.triangles.extend(around(lowest).map(|(a, b)| [south, b, a]));
    for pair in rows.windows(2) {
        if let [low, high] = pair {
            faces.band(low, high);
        }
    }
    faces.triangles.extend(around(highest).map(|(a, b)| [a, b, north]));
}

fn cylinder(faces: &mut Faces, radius: f64, height: f64, segments: u32) {
    let circle = circle(segments, 0.0);
    let half = height / 2.0;
    let low = faces.ring(&circle, radius, -half, |[x, z]| [x, 0.0, z]);
    let high = faces.ring(&circle, radius, half, |[x, z]| [x, 0.0, z]);
    faces.band(&low, &high);
    faces.cap(&circle, radius, -half, -1.0);
    faces.cap(&circle, radius, half, 1.0);
}

fn tube(faces: &mut Faces, outer: f64, inner: f64, height: f64, segments: u32) {
    let circle = circle(segments, 0.0);
    let half = height / 2.0;
    let mut walls = |radius: f64, out: f64| {
        [-half, half].map(|at| faces.ring(&circle, radius, at, |[x, z]| [out * x, 0.0, out * z]))
    };
    let ([outer_low, outer_high], [inner_low, inner_high]) = (walls(outer, 1.0), walls(inner, -1.0));
    faces.band(&outer_low, &outer_high);
    faces.band(&inner_high, &inner_low);
    let mut ends = |at: f64, up: f64| [outer, inner].map(|radius| faces.ring(&circle, radius, at, |_| [0.0, up, 0.0]));
    let ([top_outer, top_inner], [bottom_outer, bottom_inner]) = (ends(half, 1.0), ends(-half, -1.0));
    faces.band(&top_outer, &top_inner);
    faces.band(&bottom_inner, &bottom_outer);
}

/// The apex has one vertex per side triangle, each with the normal of its side's middle.
fn cone(faces: &mut Faces, radius: f64, height: f64, segments: u32) {
    let base = circle(segments, 0.0);
    let half = height / 2.0;
    let slope = length(radius, height);
    let normal = |[x, z]: [f64; 2]| [x * height / slope, radius / slope, z * height / slope];
    let rim = faces.ring(&base, radius, -half, normal);
    let middles = circle(segments, 0.5);
    let apexes: Vec<u32> = middles.iter().map(|at| faces.vertex([0.0, half, 0.0], normal(*at))).collect();
    let sides = around(&rim).zip(&apexes).map(|((a, b), apex)| [a, b, *apex]);
    faces.triangles.extend(sides);
    faces.cap(&base, radius, -half, -1.0);
}

fn torus(faces: &mut Faces, ring_radius: f64, tube_radius: f64, segments: u32, sides: u32) {
    let about_axis = circle(segments, 0.0);
    let rows: Vec<Vec<u32>> = circle(sides, 0.0)
        .into_iter()
        .map(|[up, out]| {
            faces.ring(&about_axis, ring_radius + tube_radius * out, tube_radius * up, |[x, z]| [out * x, up, out * z])
        })
        .collect();
    for (low, high) in rows.iter().zip(rows.iter().cycle().skip(1)) {
        faces.band(low, high);
    }
}

fn length(a: f64, b: f64) -> f64 {
    (a * a + b * b).sqrt()
}
