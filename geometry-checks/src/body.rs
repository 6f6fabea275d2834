//! A mesh with what the checks need to know about it, computed once.

use std::cmp::Ordering;

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

    /// Enclosed volume, ≥ 0 whichever way the faces look, sealed cavities filled; from columns where the surface is open
    /// or its parts may share volume.
    pub fn volume_m3(&self) -> f64 {
        self.volume_m3
    }

    /// How thin the body is, in metres: the least extent of its box, or six times its volume over its area where that is
    /// less. The edge of a cube; at most three times the thickness of a plate, however that is turned.
    pub fn thin_extent_m(&self) -> f64 {
        let (across_m, area_m2) = (self.aabb.min_extent(), self.solid.area_m2());
        let solid = self.closed() && self.volume_m3 > 0.0 && area_m2 > 0.0;
        if solid { across_m.min(6.0 * self.volume_m3 / area_m2) } else { across_m }
    }

    /// Whether overlaps with other convex bodies are exact.
    pub fn is_convex(&self) -> bool {
        self.convex.is_some()
    }

    /// By place and shape, so that of two bodies the same one comes first whichever a caller names first.
    pub(crate) fn content_order(&self, other: &Self) -> Ordering {
        let differing = self.numbers().zip(other.numbers()).map(|(x, y)| x.total_cmp(&y)).find(|order| order.is_ne());
        differing.unwrap_or_else(|| self.solid.triangles.cmp(&other.solid.triangles))
    }

    fn numbers(&self) -> impl Iterator<Item = f64> {
        let points = self.solid.points.iter().copied();
        [self.aabb.min, self.aabb.max].into_iter().chain(points).flat_map(|p| [p.x, p.y, p.z])
    }

    pub(crate) fn solid(&self) -> &Solid {
        &self.solid
    }

    pub(crate) fn convex(&self) -> Option<&Convex> {
        self.convex.as_ref()
    }
}
