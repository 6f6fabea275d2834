//! Texture coordinates by projection: u to the right and v downwards, as seen from outside.

use crate::tolerances::Tolerances;
use nalgebra::Vector3;
use scene_document::Triangles;
use std::collections::BTreeMap;
use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

/// Frames are the node's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Projection {
    /// Each triangle along the axis that it faces most. `tile_m` is one width of the image.
    Box { tile_m: f64 },
    /// All along one axis (0 to 2), as seen from its positive end.
    Planar { axis: usize, tile_m: f64 },
    /// Once around +Y and from the top to the bottom; what faces up or down lies flat in the middle of the image.
    Cylindrical,
    /// Once around +Y and from pole to pole.
    Spherical,
}

/// The same triangles on vertices that have one place in the image each: those on a seam are doubled. All parts are
/// projected as one.
pub(crate) fn unwrapped(parts: &[Triangles], projection: Projection) -> Vec<Triangles> {
    let hull = Hull::around(parts.iter().flat_map(|part| &part.positions));
    parts.iter().map(|part| unwrapped_part(part, |corners| hull.project(projection, corners))).collect()
}

fn unwrapped_part(part: &Triangles, project: impl Fn(&[Vector3<f64>; 3]) -> [[f64; 2]; 3]) -> Triangles {
    let mut known: BTreeMap<(u32, [u32; 2]), u32> = BTreeMap::new();
    let mut sources: Vec<u32> = Vec::new();
    let mut uvs: Vec<[f32; 2]> = Vec::new();
    let mut triangles = Vec::with_capacity(part.triangles.len());
    for corners in &part.triangles {
        let places = project(&corners.map(|corner| vector(&part.positions[corner as usize])));
        let [a, b, c] = [0, 1, 2].map(|at: usize| {
            // Without negative zeros, so that equal places are equal bits.
            let uv = places[at].map(|part| part as f32 + 0.0);
            *known.entry((corners[at], uv.map(f32::to_bits))).or_insert_with(|| {
                sources.push(corners[at]);
                uvs.push(uv);
                u32::try_from(uvs.len() - 1).unwrap_or(u32::MAX)
            })
        });
        triangles.push([a, b, c]);
    }
    let taken = |rows: &[[f32; 3]]| sources.iter().map(|source| rows[*source as usize]).collect();
    Triangles {
        positions: taken(&part.positions),
        normals: part.normals.as_deref().map(taken),
        uvs: Some(uvs),
        triangles,
    }
}

/// What round projections are centred on.
struct Hull {
    centre: Vector3<f64>,
    half: Vector3<f64>,
}

impl Hull {
    fn around<'a>(positions: impl Iterator<Item = &'a [f32; 3]>) -> Self {
        let bounds = positions.map(vector).map(|at| (at, at));
        let bounds = bounds.reduce(|(min, max), (low, high)| (min.inf(&low), max.sup(&high)));
        let (min, max) = bounds.unwrap_or((Vector3::zeros(), Vector3::zeros()));
        Self { centre: (min + max) / 2.0, half: (max - min) / 2.0 }
    }

    fn project(&self, projection: Projection, corners: &[Vector3<f64>; 3]) -> [[f64; 2]; 3] {
        let [a, b, c] = corners;
        let normal = (b - a).cross(&(c - a));
        match projection {
            Projection::Box { tile_m } => {
                let axis = normal.iamax();
                let faces_back = normal[axis] < 0.0;
                corners.map(|corner| along(axis, faces_back, &corner).map(|part| part / tile_m))
            }
            Projection::Planar { axis, tile_m } => {
                corners.map(|corner| along(axis, false, &corner).map(|part| part / tile_m))
            }
            Projection::Cylindrical => {
                let is_cap = normal.y.abs() > FRAC_1_SQRT_2 * normal.norm();
                if is_cap {
                    let radius = self.half.x.max(self.half.z);
                    return corners.map(|corner| {
                        let [right, down] = along(1, normal.y < 0.0, &(corner - self.centre));
                        [right, down].map(|part| 0.5 + share(part, 2.0 * radius))
                    });
                }
                let down = |at: &Vector3<f64>| share(self.centre.y + self.half.y - at.y, 2.0 * self.half.y);
                self.around_axis(corners, down)
            }
            Projection::Spherical => {
                let down = |at: &Vector3<f64>| {
                    let from_centre = at - self.centre;
                    libm::acos(share(from_centre.y, from_centre.norm()).clamp(-1.0, 1.0)) / PI
                };
                self.around_axis(corners, down)
            }
        }
    }

    /// u: the share of a turn about +Y, a half at +Z, without a jump inside the triangle; a corner on the axis has the
    /// mean of the others.
    fn around_axis(&self, corners: &[Vector3<f64>; 3], down: impl Fn(&Vector3<f64>) -> f64) -> [[f64; 2]; 3] {
        let nearest_m = Tolerances::default().coincident_m;
        let turns = corners.map(|corner| {
            let from_centre = corner - self.centre;
            let (x, z) = (from_centre.x, from_centre.z);
            (x.abs().max(z.abs()) > nearest_m).then(|| 0.5 + libm::atan2(x, z) / TAU)
        });
        let highest = turns.into_iter().flatten().fold(0.0, f64::max);
        let joined = turns.map(|turn| turn.map(|turn| if highest - turn > 0.5 { turn + 1.0 } else { turn }));
        let count = joined.iter().flatten().count().max(1) as f64;
        let mean = joined.iter().flatten().sum::<f64>() / count;
        let [a, b, c] = corners;
        let [first, second, third] = joined.map(|turn| turn.unwrap_or(mean));
        [[first, down(a)], [second, down(b)], [third, down(c)]]
    }
}

/// To the right and downwards on a picture taken against the axis, or along it.
fn along(axis: usize, from_behind: bool, at: &Vector3<f64>) -> [f64; 2] {
    let side = if from_behind { -1.0 } else { 1.0 };
    match axis {
        0 => [-at.z * side, -at.y],
        1 => [at.x, at.z * side],
        _ => [at.x * side, -at.y],
    }
}

/// 0 of nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn vector(position: &[f32; 3]) -> Vector3<f64> {
    Vector3::from(position.map(f64::from))
}
