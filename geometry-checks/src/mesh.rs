//! Triangle meshes as they are placed in the world.

use nalgebra::{Point3, Vector3};

use crate::Aabb;

/// World space, metres. `normals` are shading normals, one for each position; triangles are counter-clockwise seen
/// from outside. Nothing is promised about the content: indices may be out of range and coordinates not finite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    pub positions: Vec<Point3<f64>>,
    pub normals: Option<Vec<Vector3<f64>>>,
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Corners of a triangle; `None` where an index is out of range or a coordinate is not finite.
    pub fn corners(&self, triangle: usize) -> Option<[Point3<f64>; 3]> {
        let [a, b, c] = *self.triangles.get(triangle)?;
        let corner =
            |index: u32| self.positions.get(index as usize).copied().filter(|p| p.coords.iter().all(|c| c.is_finite()));
        Some([corner(a)?, corner(b)?, corner(c)?])
    }

    /// Box around the usable triangles; `None` without any.
    pub fn aabb(&self) -> Option<Aabb> {
        Aabb::around((0..self.triangles.len()).filter_map(|triangle| self.corners(triangle)).flatten())
    }
}
