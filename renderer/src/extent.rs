//! How large a scene is, and the unit in which it is handed to Bevy.

use bevy::math::Vec3;
use nalgebra::Vector3;
use scene_document::Baked;

/// In Bevy's units the radius of a scene is at least 2^(this − 1) and less than 2^this.
const RADIUS_EXPONENT: i32 = 4;
/// Units per metre are at most 2^this and at least 2^−this, which keeps them well within single precision.
const EXPONENT_MAX: i32 = 100;

/// Bevy's shadows are made for scenes of some metres (they count in whole ones, and their biases are lengths), so every
/// scene is handed over at such a size. The factor is a power of two: it rounds nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    pub(crate) units_per_metre: f64,
    /// Of a sphere around every mesh, metres.
    pub(crate) centre_m: Vector3<f64>,
    /// In units.
    pub(crate) radius: f32,
}

impl Extent {
    pub(crate) fn of(scene: &Baked) -> Self {
        let (centre, radius_m) = scene.sphere();
        let (_, exponent) = libm::frexp(radius_m);
        let units_per_metre = libm::ldexp(1.0, (RADIUS_EXPONENT - exponent).clamp(-EXPONENT_MAX, EXPONENT_MAX));
        Self { units_per_metre, centre_m: centre.coords, radius: (radius_m * units_per_metre) as f32 }
    }

    pub(crate) fn units(&self, metres: f64) -> f32 {
        (metres * self.units_per_metre) as f32
    }

    pub(crate) fn point(&self, point_m: &Vector3<f64>) -> Vec3 {
        Vec3::new(self.units(point_m.x), self.units(point_m.y), self.units(point_m.z))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;
    use scene_document::{BakedMesh, MeshId, NodeId};

    #[test]
    fn scenes_of_any_size_are_some_units_large() {
        for size_m in [1e-6, 0.03, 1.0, 7.0, 8.0, 3e5] {
            let mesh = BakedMesh {
                node: NodeId(1),
                name: String::new(),
                mesh: MeshId(1),
                positions: vec![Point3::new(size_m, 0.0, 0.0), Point3::new(3.0 * size_m, 0.0, 0.0)],
                normals: None,
                uvs: None,
                triangles: vec![],
                triangle_surface: vec![],
                surfaces: vec![],
            };
            let extent = Extent::of(&Baked { meshes: vec![mesh], ..Baked::default() });
            assert!((8.0..=16.0).contains(&extent.radius), "{size_m}: {extent:?}");
            assert_eq!(f64::from(extent.units(size_m)), f64::from(size_m as f32) * extent.units_per_metre);
        }
    }
}
