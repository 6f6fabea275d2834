//! Triangles that share their corners, before they are shaded.

use nalgebra::{Point3, Vector3};
use scene_document::Mesh;
use std::collections::BTreeMap;

/// Counter-clockwise seen from outside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Face {
    /// Indices into `Surface::points`.
    pub(crate) corners: [usize; 3],
    /// The primitive that the triangle is of.
    pub(crate) part: usize,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Surface {
    pub(crate) points: Vec<Point3<f64>>,
    pub(crate) faces: Vec<Face>,
}

impl Surface {
    /// All primitives of a mesh, welded.
    pub(crate) fn of(mesh: &Mesh) -> Self {
        let mut surface = Self::default();
        for (part, primitive) in mesh.primitives.iter().enumerate() {
            let triangles = primitive.geometry.triangles();
            let first = surface.points.len();
            surface.points.extend(triangles.positions.iter().map(|position| Point3::from(position.map(f64::from))));
            let corners = triangles.triangles.iter().map(|corners| corners.map(|corner| first + corner as usize));
            surface.faces.extend(corners.map(|corners| Face { corners, part }));
        }
        surface.welded()
    }

    /// Points as they will be stored, those at one place made one; triangles without three places are left out.
    pub(crate) fn welded(&self) -> Self {
        let mut places: BTreeMap<[u32; 3], usize> = BTreeMap::new();
        let mut points = Vec::new();
        let place_of: Vec<usize> = self
            .points
            .iter()
            .map(|point| {
                let stored = single_precision(point.coords);
                *places.entry(stored.map(f32::to_bits)).or_insert_with(|| {
                    points.push(Point3::from(stored.map(f64::from)));
                    points.len() - 1
                })
            })
            .collect();
        self.with_points(points, &place_of)
    }

    /// The same triangles on other points, `moved_to` saying which; those without three places are left out.
    pub(crate) fn with_points(&self, points: Vec<Point3<f64>>, moved_to: &[usize]) -> Self {
        let moved = |face: &Face| Face { corners: face.corners.map(|corner| moved_to[corner]), ..*face };
        let has_extent = |face: &Face| {
            let [a, b, c] = face.corners;
            a != b && b != c && c != a
        };
        Self { points, faces: self.faces.iter().map(moved).filter(has_extent).collect() }
    }

    /// Both, each with its own points.
    pub(crate) fn and(mut self, other: Self) -> Self {
        let first = self.points.len();
        self.points.extend(other.points);
        let moved = |face: Face| Face { corners: face.corners.map(|corner| first + corner), ..face };
        self.faces.extend(other.faces.into_iter().map(moved));
        self
    }

    pub(crate) fn corners(&self, face: &Face) -> [Point3<f64>; 3] {
        face.corners.map(|corner| self.points[corner])
    }

    /// Along the face's normal, as long as twice its area.
    pub(crate) fn doubled_area(&self, face: &Face) -> Vector3<f64> {
        let [a, b, c] = self.corners(face);
        (b - a).cross(&(c - a))
    }

    /// Those that the face takes at its corners.
    pub(crate) fn angles_rad(&self, face: &Face) -> [f64; 3] {
        let [a, b, c] = self.corners(face);
        [(a, b, c), (b, c, a), (c, a, b)].map(|(at, next, last)| {
            let (one, other): (Vector3<f64>, Vector3<f64>) = (next - at, last - at);
            libm::atan2(one.cross(&other).norm(), one.dot(&other))
        })
    }
}

/// Without negative zeros, so that equal places are equal bits.
pub(crate) fn single_precision(vector: Vector3<f64>) -> [f32; 3] {
    let parts: [f64; 3] = vector.into();
    parts.map(|part| part as f32 + 0.0)
}
