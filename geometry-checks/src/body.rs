//! A mesh with what the checks need to know about it, computed once.

use nalgebra::Point3;

use crate::{
    Aabb, Mesh, Tolerances,
    overlap::{columns, convex::Convex},
    solid::Solid,
};

#[derive(Clone, Debug)]
pub struct Body {
    mesh: Mesh,
    aabb: Aabb,
    solid: Solid,
    volume_m3: f64,
    convex: Option<Convex>,
}

impl Body {
    /// Never fails: triangles that cannot be read are left out, and a mesh without any is a point at the origin.
    pub fn new(mesh: Mesh, tolerances: &Tolerances) -> Self {
        let aabb = mesh.aabb().unwrap_or(Aabb { min: Point3::origin(), max: Point3::origin() });
        let solid = Solid::new(&mesh, tolerances);
        let volume_m3 = solid.volume_m3().unwrap_or_else(|| columns::own_volume_m3(&solid, &aabb, tolerances));
        let convex = Convex::of(&solid, &aabb, tolerances);
        Self { mesh, aabb, solid, volume_m3, convex }
    }

    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    pub fn aabb(&self) -> &Aabb {
        &self.aabb
    }

    /// Whether the surface, after turning faces that disagree with their neighbours, bounds a volume.
    pub fn closed(&self) -> bool {
        self.solid.closed
    }

    /// Enclosed volume, ≥ 0 whichever way the faces look; from columns where the surface is open.
    pub fn volume_m3(&self) -> f64 {
        self.volume_m3
    }

    /// Whether overlaps with other convex bodies are exact.
    pub fn is_convex(&self) -> bool {
        self.convex.is_some()
    }

    pub(crate) fn solid(&self) -> &Solid {
        &self.solid
    }

    pub(crate) fn convex(&self) -> Option<&Convex> {
        self.convex.as_ref()
    }
}
