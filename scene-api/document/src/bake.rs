//! The scene in world space: what is measured, rasterised and scored. One row per node with a mesh, in id order; hidden
//! nodes have none, nor do they shine. Cameras are never hidden (KHR_node_visibility).

mod posed;

use crate::{
    AlphaMode, CameraId, Environment, Light, Material, MaterialId, MeshId, Node, NodeId, Projection, Scene, SkinId,
    Source, Table, Texture, TextureId, Triangles,
};
use nalgebra::{Matrix3, Matrix4, Point3, Vector3};
use posed::posed;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A blended surface with less alpha than this is not there, for any renderer.
pub const INVISIBLE_ALPHA: f64 = 0.05;

/// Material of one triangle, as far as it is measured; those who draw find the rest in [`Baked::materials`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    pub material: Option<MaterialId>,
    /// Linear RGBA.
    pub base_color: [f64; 4],
    /// In [0, 1].
    pub metallic: f64,
    /// Perceptual, in [0, 1].
    pub roughness: f64,
    /// Linear RGB, nits per unit, strength included.
    pub emissive: [f64; 3],
    pub alpha_mode: AlphaMode,
    pub alpha_cutoff: f64,
    pub double_sided: bool,
}

/// One mesh node with its morph weights and its skin or transform applied. What is mirrored (det < 0) has its winding
/// flipped (glTF's rule).
#[derive(Debug, Clone)]
pub struct BakedMesh {
    pub node: NodeId,
    pub name: String,
    pub mesh: MeshId,
    /// World space, metres.
    pub positions: Vec<Point3<f64>>,
    /// World space, one per position; a normal keeps the length that the file gave it, so lengths show faults.
    /// `None` where the file has none. Where only some primitives have them, the others get flat ones (glTF's rule),
    /// with three vertices of their own per triangle.
    pub normals: Option<Vec<Vector3<f64>>>,
    /// TEXCOORD_0, one per position; zero where a primitive has none. `None` where no primitive has them, and where no
    /// surface has textures.
    pub uvs: Option<Vec<[f32; 2]>>,
    pub triangles: Vec<[u32; 3]>,
    /// One per triangle, an index into `surfaces`.
    pub triangle_surface: Vec<u32>,
    pub surfaces: Vec<Surface>,
}

#[derive(Debug, Clone)]
pub struct BakedLight {
    pub node: NodeId,
    pub light: Light,
    pub position: Point3<f64>,
    /// Unit, the way the light shines.
    pub direction: Vector3<f64>,
}

#[derive(Debug, Clone)]
pub struct BakedCamera {
    pub node: NodeId,
    /// Of the node.
    pub name: String,
    pub camera: CameraId,
    pub projection: Projection,
    /// Rigid; scale removed.
    pub world_from_camera: Matrix4<f64>,
}

#[derive(Debug, Clone, Default)]
pub struct Baked {
    pub meshes: Vec<BakedMesh>,
    pub lights: Vec<BakedLight>,
    pub cameras: Vec<BakedCamera>,
    /// Index into `cameras`.
    pub active_camera: Option<usize>,
    pub environment: Option<Environment>,
    /// What surfaces and textures are made of: the scene's own tables, and the file that it was read from.
    pub materials: Table<MaterialId, Material>,
    pub textures: Table<TextureId, Texture>,
    pub source: Option<Arc<Source>>,
}

impl Scene {
    /// Applies every transform, skin and morph weight in f64, as the nodes stand. O(triangles).
    #[must_use]
    pub fn bake(&self) -> Baked {
        let world = self.world_matrices();
        let world_of = |id: NodeId| world.get(&id).copied().unwrap_or_else(Matrix4::identity);
        let skins: BTreeMap<SkinId, Vec<Matrix4<f64>>> =
            self.skins.iter().map(|(id, skin)| (*id, skin.world_from_mesh(world_of))).collect();
        let mut baked = Baked {
            environment: self.environment(),
            materials: self.materials.clone(),
            textures: self.textures.clone(),
            source: self.source.clone(),
            ..Baked::default()
        };
        for (id, node) in &self.nodes {
            let world_from_node = world_of(*id);
            let is_shown = self.is_shown(*id);
            if node.mesh.is_some() && is_shown {
                let joints = node.skin.and_then(|skin| skins.get(&skin)).map(Vec::as_slice).unwrap_or_default();
                baked.meshes.extend(self.bake_mesh(*id, node, &world_from_node, joints));
            }
            let world_from_camera = rigid(&world_from_node);
            if let Some(light) = node.light.filter(|_| is_shown).and_then(|light| self.lights.get(&light)) {
                baked.lights.push(BakedLight {
                    node: *id,
                    light: Light::clone(light),
                    position: Point3::from(world_from_node.fixed_view::<3, 1>(0, 3).into_owned()),
                    direction: -world_from_camera.fixed_view::<3, 1>(0, 2).into_owned(),
                });
            }
            if let Some((camera_id, camera)) = node.camera.and_then(|camera| self.cameras.get_key_value(&camera)) {
                if self.active_camera == Some(*id) {
                    baked.active_camera = Some(baked.cameras.len());
                }
                baked.cameras.push(BakedCamera {
                    node: *id,
                    name: node.name.clone(),
                    camera: *camera_id,
                    projection: camera.projection,
                    world_from_camera,
                });
            }
        }
        baked
    }

    /// Of every node, each computed once.
    fn world_matrices(&self) -> BTreeMap<NodeId, Matrix4<f64>> {
        let mut world: BTreeMap<NodeId, Matrix4<f64>> = BTreeMap::new();
        for id in self.nodes.keys() {
            let unknown: Vec<NodeId> = self.ancestry(*id).take_while(|id| !world.contains_key(id)).collect();
            for id in unknown.into_iter().rev() {
                let Some(node) = self.node(id) else { continue };
                let above = node.parent.and_then(|parent| world.get(&parent).copied());
                world.insert(id, above.unwrap_or_else(Matrix4::identity) * node.transform.matrix());
            }
        }
        world
    }

    /// `joints`: `world_from_mesh` by each joint of the node's skin; empty without one.
    fn bake_mesh(
        &self,
        id: NodeId,
        node: &Node,
        world_from_node: &Matrix4<f64>,
        joints: &[Matrix4<f64>],
    ) -> Option<BakedMesh> {
        let (mesh_id, mesh) = self.meshes.get_key_value(&node.mesh?)?;
        let parts: Vec<_> = mesh.primitives.iter().map(|primitive| primitive.geometry.triangles()).collect();
        let any_normals = parts.iter().any(|part| part.normals.is_some());
        let any_uvs = parts.iter().any(|part| part.uvs.is_some())
            && mesh
                .primitives
                .iter()
                .filter_map(|primitive| self.materials.get(&primitive.material?))
                .any(|material| !material.textures.is_empty());
        let weights = node.morph_weights(mesh);
        let linear: Matrix3<f64> = world_from_node.fixed_view::<3, 3>(0, 0).into_owned();
        let origin: Vector3<f64> = world_from_node.fixed_view::<3, 1>(0, 3).into_owned();
        let mirrored = linear.determinant() < 0.0;
        let normal_matrix = if mirrored { -cofactors(&linear) } else { cofactors(&linear) };

        let mut row = BakedMesh {
            node: id,
            name: node.name.clone(),
            mesh: *mesh_id,
            positions: Vec::new(),
            normals: any_normals.then(Vec::new),
            uvs: any_uvs.then(Vec::new),
            triangles: Vec::new(),
            triangle_surface: Vec::new(),
            surfaces: Vec::new(),
        };
        for (primitive, part) in mesh.primitives.iter().zip(&parts) {
            let is_flat = any_normals && part.normals.is_none();
            let first = index(row.positions.len());
            let surface = index(row.surfaces.len());
            if let Some(posed) = posed(part, primitive.geometry.deformation(), weights, joints, world_from_node) {
                add_uvs(&mut row.uvs, part, is_flat.then_some(posed.triangles.as_slice()));
                let posed = if is_flat { posed.flat() } else { posed };
                row.positions.extend(posed.positions);
                if let (Some(all), Some(normals)) = (&mut row.normals, posed.normals) {
                    all.extend(normals);
                }
                row.triangles.extend(posed.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
            } else {
                add_uvs(&mut row.uvs, part, is_flat.then_some(part.triangles.as_slice()));
                let flat = is_flat.then(|| flat_shaded(part));
                let part = flat.as_ref().unwrap_or(part);
                row.positions.extend(part.positions.iter().map(|p| Point3::from(linear * vector(p) + origin)));
                if let (Some(all), Some(normals)) = (&mut row.normals, &part.normals) {
                    all.extend(normals.iter().map(|normal| same_length(&normal_matrix, vector(normal))));
                }
                row.triangles.extend(part.triangles.iter().map(|[a, b, c]| {
                    if mirrored { [first + a, first + c, first + b] } else { [first + a, first + b, first + c] }
                }));
            }
            row.triangle_surface.resize(row.triangles.len(), surface);
            let material = primitive.material.and_then(|material| self.materials.get_key_value(&material));
            row.surfaces.push(material.map_or(Surface::WITHOUT_MATERIAL, |(id, material)| Surface::of(*id, material)));
        }
        Some(row)
    }
}

impl Surface {
    /// glTF's default material, but a dielectric: its metal would be black without surroundings to mirror.
    pub const WITHOUT_MATERIAL: Self = Self {
        material: None,
        base_color: [1.0; 4],
        metallic: 0.0,
        roughness: 1.0,
        emissive: [0.0; 3],
        alpha_mode: AlphaMode::Opaque,
        alpha_cutoff: 0.5,
        double_sided: false,
    };

    /// Whether it can be seen at all: masked at or above its cutoff, blended with at least `least_alpha`.
    #[must_use]
    pub fn is_visible(&self, least_alpha: f64) -> bool {
        let [_, _, _, alpha] = self.base_color;
        match self.alpha_mode {
            AlphaMode::Opaque => true,
            AlphaMode::Mask => alpha >= self.alpha_cutoff,
            AlphaMode::Blend => alpha >= least_alpha,
        }
    }

    fn of(id: MaterialId, material: &Material) -> Self {
        Self {
            material: Some(id),
            base_color: material.base_color,
            metallic: material.metallic,
            roughness: material.roughness,
            emissive: material.emissive.map(|part| part * material.emissive_strength),
            alpha_mode: material.alpha_mode,
            alpha_cutoff: material.alpha_cutoff,
            double_sided: material.double_sided,
        }
    }
}

/// Those of one primitive, where the mesh has any: one a vertex, or three for each of the `flat` triangles.
fn add_uvs(all: &mut Option<Vec<[f32; 2]>>, part: &Triangles, flat: Option<&[[u32; 3]]>) {
    let Some(all) = all else { return };
    let stored = part.uvs.as_deref().unwrap_or_default();
    let vertices = part.positions.len();
    let uv = |vertex: usize| stored.get(vertex).copied().unwrap_or_default();
    match flat {
        None => all.extend((0..vertices).map(uv)),
        Some(triangles) => {
            let whole = triangles.iter().filter(|corners| corners.iter().all(|corner| (*corner as usize) < vertices));
            all.extend(whole.flatten().map(|corner| uv(*corner as usize)));
        }
    }
}

/// Rows of vertices past u32 cannot be indexed by triangles at all; readers and edits stop long before.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn vector(stored: &[f32; 3]) -> Vector3<f64> {
    Vector3::from(stored.map(f64::from))
}

/// det(m) · m⁻ᵀ, which also exists where m has no inverse.
fn cofactors(m: &Matrix3<f64>) -> Matrix3<f64> {
    let (x, y, z) = (m.column(0).into_owned(), m.column(1).into_owned(), m.column(2).into_owned());
    Matrix3::from_columns(&[y.cross(&z), z.cross(&x), x.cross(&y)])
}

/// The transformed normal with the length it had; zero where the transform leaves no direction.
fn same_length(normal_matrix: &Matrix3<f64>, normal: Vector3<f64>) -> Vector3<f64> {
    let turned = normal_matrix * normal;
    let length = turned.norm();
    if length > 0.0 { turned * (normal.norm() / length) } else { Vector3::zeros() }
}

/// Three vertices of its own for each triangle, with the face's normal (zero where the triangle has no area).
fn flat_shaded(part: &Triangles) -> Triangles {
    let mut flat = Triangles { normals: Some(Vec::new()), ..Triangles::default() };
    for corners in &part.triangles {
        let [Some(a), Some(b), Some(c)] = corners.map(|corner| part.positions.get(corner as usize)) else { continue };
        let face = (vector(b) - vector(a)).cross(&(vector(c) - vector(a)));
        let normal = face.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        let first = index(flat.positions.len());
        flat.positions.extend([*a, *b, *c]);
        if let Some(normals) = &mut flat.normals {
            normals.extend([[normal.x as f32, normal.y as f32, normal.z as f32]; 3]);
        }
        flat.triangles.push([first, first + 1, first + 2]);
    }
    flat
}

/// The nearest right-handed frame without scale that keeps the −Z axis; no rotation where the axes give none.
fn rigid(world_from_node: &Matrix4<f64>) -> Matrix4<f64> {
    let axis = |column: usize| world_from_node.fixed_view::<3, 1>(0, column).into_owned();
    let rotation = axis(2)
        .try_normalize(0.0)
        .and_then(|back| (axis(1) - back * back.dot(&axis(1))).try_normalize(0.0).map(|up| (back, up)))
        .map_or_else(Matrix3::identity, |(back, up)| Matrix3::from_columns(&[up.cross(&back), up, back]));
    let mut rigid = Matrix4::identity();
    rigid.fixed_view_mut::<3, 3>(0, 0).copy_from(&rotation);
    rigid.fixed_view_mut::<3, 1>(0, 3).copy_from(&axis(3));
    rigid
}
