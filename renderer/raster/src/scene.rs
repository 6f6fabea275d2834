//! A baked scene, flattened for drawing: world positions, drawable triangles, looks, and the tree for shadow rays.

use crate::bvh::Bvh;
use crate::tolerances::Tolerances;
use nalgebra::Vector3;
use scene_document::{Baked, BakedLight, BakedMesh, Environment, Surface};
use std::ops::Range;

/// Made once per scene, shared by any number of views. Triangles that cannot be seen are left out: invisible surfaces
/// (`Blend` with alpha below the tolerance, `Mask` with alpha below the cutoff), positions that are not finite, indices
/// out of range, zero area.
#[derive(Debug, Clone)]
pub struct RasterScene {
    pub(crate) vertices: Vec<Vector3<f64>>,
    /// One per vertex; zero where a mesh has none.
    normals: Vec<Vector3<f64>>,
    pub(crate) triangles: Vec<Triangle>,
    /// One per mesh of the baked scene.
    pub(crate) parts: Vec<Part>,
    looks: Vec<Look>,
    pub(crate) lights: Vec<BakedLight>,
    pub(crate) environment: Option<Environment>,
    pub(crate) shadows: Bvh,
    pub(crate) tolerances: Tolerances,
}

/// The vertices and drawable triangles of one mesh.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) vertices: Range<usize>,
    pub(crate) triangles: Range<usize>,
}

#[derive(Debug, Clone)]
pub(crate) struct Triangle {
    /// Into the vertices of its part.
    pub(crate) corners: [u32; 3],
    pub(crate) part: u32,
    look: u32,
    /// Unit, by the right-hand rule.
    pub(crate) face_normal: Vector3<f64>,
    /// Gradients of the second and third corner's barycentric weights, per metre; `None` where it is shaded flat.
    gradients: Option<[Vector3<f64>; 2]>,
}

/// Linear RGB, finite. Metals are taken as diffuse too: albedo is the base colour.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) albedo: [f64; 3],
    pub(crate) emissive: [f64; 3],
}

impl Look {
    /// glTF's default material.
    const WHITE: Self = Self { albedo: [1.0; 3], emissive: [0.0; 3] };

    fn of(surface: &Surface) -> Self {
        let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
        let [red, green, blue, _] = surface.base_color;
        Self { albedo: [red, green, blue].map(finite), emissive: surface.emissive.map(finite) }
    }
}

impl RasterScene {
    #[must_use]
    pub fn new(baked: &Baked) -> Self {
        let tolerances = Tolerances::default();
        let mut scene = Self {
            vertices: Vec::new(),
            normals: Vec::new(),
            triangles: Vec::new(),
            parts: Vec::new(),
            looks: vec![Look::WHITE],
            lights: baked.lights.clone(),
            environment: baked.environment,
            shadows: Bvh::default(),
            tolerances,
        };
        for (index, mesh) in baked.meshes.iter().enumerate() {
            scene.add(index as u32, mesh);
        }
        let blockers: Vec<[Vector3<f64>; 3]> =
            scene.triangles.iter().map(|triangle| scene.positions(triangle)).collect();
        scene.shadows = Bvh::new(&blockers, tolerances.shadow_offset_m);
        scene
    }

    fn add(&mut self, part: u32, mesh: &BakedMesh) {
        let first_vertex = self.vertices.len();
        let first_triangle = self.triangles.len();
        let first_look = self.looks.len();
        self.vertices.extend(mesh.positions.iter().map(|position| position.coords));
        self.looks.extend(mesh.surfaces.iter().map(Look::of));
        let normals = mesh.normals.as_ref().filter(|normals| normals.len() == mesh.positions.len());
        match normals {
            Some(normals) => self.normals.extend_from_slice(normals),
            None => self.normals.resize(self.vertices.len(), Vector3::zeros()),
        }
        for (index, corners) in mesh.triangles.iter().enumerate() {
            let surface = mesh.triangle_surface.get(index).map_or(usize::MAX, |surface| *surface as usize);
            let look = match mesh.surfaces.get(surface) {
                Some(surface) if !surface.is_visible(self.tolerances.invisible_alpha) => continue,
                Some(_) => first_look + surface,
                None => 0,
            };
            self.triangles.extend(Triangle::new(mesh, *corners, part, look as u32, normals.is_some()));
        }
        self.parts.push(Part {
            vertices: first_vertex..self.vertices.len(),
            triangles: first_triangle..self.triangles.len(),
        });
    }

    /// World positions of a triangle's corners.
    pub(crate) fn positions(&self, triangle: &Triangle) -> [Vector3<f64>; 3] {
        self.of_corners(triangle, &self.vertices)
    }

    pub(crate) fn look(&self, triangle: &Triangle) -> &Look {
        &self.looks[triangle.look as usize]
    }

    /// Unit normal for shading at a world position on the triangle: interpolated where the mesh has normals, else that
    /// of the face, and turned round when the triangle is seen from behind.
    pub(crate) fn shading_normal(
        &self,
        triangle: &Triangle,
        position: &Vector3<f64>,
        from_behind: bool,
    ) -> Vector3<f64> {
        let normal = self.interpolated_normal(triangle, position).unwrap_or(triangle.face_normal);
        if from_behind { -normal } else { normal }
    }

    fn interpolated_normal(&self, triangle: &Triangle, position: &Vector3<f64>) -> Option<Vector3<f64>> {
        let [to_b, to_c] = triangle.gradients?;
        let [origin, _, _] = self.positions(triangle);
        let [a, b, c] = self.of_corners(triangle, &self.normals);
        let offset = position - origin;
        let weight_b = to_b.dot(&offset).clamp(0.0, 1.0);
        let weight_c = to_c.dot(&offset).clamp(0.0, 1.0);
        let normal = a + (b - a) * weight_b + (c - a) * weight_c;
        normal.try_normalize(0.0).filter(|normal| normal.iter().all(|value| value.is_finite()))
    }

    fn of_corners(&self, triangle: &Triangle, values: &[Vector3<f64>]) -> [Vector3<f64>; 3] {
        let first = self.parts[triangle.part as usize].vertices.start;
        triangle.corners.map(|corner| values[first + corner as usize])
    }
}

impl Triangle {
    /// `None` for one that covers no area or is not finite.
    fn new(mesh: &BakedMesh, corners: [u32; 3], part: u32, look: u32, smooth: bool) -> Option<Self> {
        let at = |corner: u32| mesh.positions.get(corner as usize).map(|position| position.coords);
        let [first, second, third] = corners;
        let (a, b, c) = (at(first)?, at(second)?, at(third)?);
        let (to_b, to_c) = (b - a, c - a);
        let normal = to_b.cross(&to_c);
        let squared = normal.norm_squared();
        let finite =
            squared.is_finite() && [a, b, c].iter().flat_map(|corner| corner.iter()).all(|value| value.is_finite());
        (finite && squared > 0.0).then(|| Self {
            corners,
            part,
            look,
            face_normal: normal / squared.sqrt(),
            gradients: smooth.then(|| [to_c.cross(&normal) / squared, normal.cross(&to_b) / squared]),
        })
    }
}
