//! The scene in Bevy's world, brought in by difference: an entity for each row, which is one mesh of the scene with one
//! of its surfaces.
//!
//! Of surfaces in the same place the one that is drawn last is seen, and a new camera draws entities in ascending
//! order. So rows are put on entities in that order. Positions are in world space; no entity is transformed.

use crate::extent::Extent;
use crate::material::{Class, LOOK_WORDS, Output, SceneMaterial, look};
use crate::texels::{Slots, Texels};
use bevy::asset::{Assets, Handle, RenderAssetUsages};
use bevy::camera::visibility::NoFrustumCulling;
use bevy::ecs::entity::Entity;
use bevy::ecs::world::World;
use bevy::math::Vec3;
use bevy::mesh::{Indices, Mesh, Mesh3d, MeshTag, PrimitiveTopology};
use bevy::pbr::MeshMaterial3d;
use bevy::render::render_resource::{BufferInitDescriptor, BufferUsages};
use bevy::render::renderer::RenderDevice;
use scene_document::{AlphaMode, Baked, DrawnMesh, DrawnPart, INVISIBLE_ALPHA, MaterialId};
use std::collections::{BTreeMap, BTreeSet};

/// What is in the world. A mesh there is never changed: it stays as long as a row has its geometry.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// Of each row, ascending.
    entities: Vec<Entity>,
    classes: Vec<Class>,
    looks: Vec<[u32; LOOK_WORDS]>,
    /// Whether one of them is (see `Finish`).
    is_layered: bool,
    slots: Slots,
    texels: Texels,
    /// The rows' meshes by the digest of their geometry. Equal rows have a mesh each: Bevy would draw instances of one
    /// mesh in any order.
    meshes: BTreeMap<[u8; 32], Vec<Handle<Mesh>>>,
    /// What the rows' materials give out, and the environment; `None` where they are another scene's.
    dressed: Option<(Output, Vec3)>,
}

/// In Bevy's units.
struct Geometry {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    /// One per position where the row is layered (see `Finish`), else none.
    uvs: Vec<[f32; 2]>,
    indices: Vec<u32>,
}

impl Rows {
    /// What of the scene's textures is not drawn.
    pub(crate) fn notes(&self) -> &[String] {
        &self.slots.notes
    }

    /// Whether one of them has more than factors (see `Finish`).
    pub(crate) fn is_layered(&self) -> bool {
        self.is_layered
    }

    /// Brings the scene into the world and answers how many meshes were new.
    pub(crate) fn show(&mut self, world: &mut World, scene: &Baked, extent: &Extent) -> usize {
        let drawn: Vec<DrawnMesh> = scene.meshes.iter().map(|mesh| mesh.drawn(INVISIBLE_ALPHA)).collect();
        let parts: Vec<(u32, &DrawnMesh, &DrawnPart)> = drawn
            .iter()
            .zip(1..)
            .flat_map(|(mesh, mesh_id)| mesh.parts.iter().map(move |part| (mesh_id, mesh, part)))
            .collect();
        self.resize(world, parts.len());
        self.classes.clear();
        self.looks.clear();
        self.is_layered = false;
        self.dressed = None;
        let used: BTreeSet<MaterialId> = parts.iter().filter_map(|(_, _, part)| part.surface.material).collect();
        self.slots = self.texels.lay_out(scene, &used);
        let mut spare = std::mem::take(&mut self.meshes);
        let mut made = 0;
        let mut places = Vec::new();
        for ((mesh_id, mesh, part), (entity, tag)) in parts.into_iter().zip(self.entities.iter().zip(0..)) {
            let blend = part.surface.alpha_mode == AlphaMode::Blend;
            let class = Class { blend, double_sided: part.surface.double_sided };
            self.classes.push(class);
            let finish = self.slots.finish(scene, part.surface.material);
            self.looks.push(look(&part.surface, &finish, class, mesh_id));
            self.is_layered |= finish.is_layered();
            let geometry = Geometry::of(mesh, part, finish.is_layered(), extent.units(1.0), &mut places);
            let digest = geometry.digest();
            let handle = take_first(&mut spare, &digest).unwrap_or_else(|| {
                made += 1;
                world.resource_mut::<Assets<Mesh>>().add(geometry.into_mesh())
            });
            put(world, *entity, tag, &handle);
            self.meshes.entry(digest).or_default().push(handle);
        }
        made
    }

    fn resize(&mut self, world: &mut World, count: usize) {
        for surplus in self.entities.drain(count.min(self.entities.len())..) {
            world.despawn(surplus);
        }
        while self.entities.len() < count {
            // Most pictures show all of their scene, so that culling would save nothing.
            self.entities.push(world.spawn(NoFrustumCulling).id());
        }
        self.entities.sort_unstable();
    }

    /// Gives the rows materials with this output.
    pub(crate) fn dress(&mut self, world: &mut World, output: Output, environment_cd_m2: Vec3, extent: &Extent) {
        if self.dressed == Some((output, environment_cd_m2)) || self.entities.is_empty() {
            return;
        }
        self.dressed = Some((output, environment_cd_m2));
        let device = world.resource::<RenderDevice>();
        let upload = |label: &str, words: &[u8]| {
            let usage = BufferUsages::STORAGE;
            device.create_buffer_with_data(&BufferInitDescriptor { label: Some(label), contents: words, usage })
        };
        let looks = upload("looks", bytemuck::cast_slice(&self.looks));
        let slots = upload("slots", bytemuck::cast_slice(&self.slots.slots));
        let texels = self.texels.buffer(device);
        let mut materials: BTreeMap<Class, Handle<SceneMaterial>> = BTreeMap::new();
        for (entity, class) in self.entities.iter().zip(&self.classes) {
            // Of surfaces behind each other, a fact is the nearest one's.
            let class = Class { blend: class.blend && output == Output::Lit, ..*class };
            let material = materials.entry(class).or_insert_with(|| {
                let metres_per_unit = (1.0 / extent.units_per_metre) as f32;
                let material = SceneMaterial {
                    looks: looks.clone(),
                    output: output as u32,
                    metres_per_unit,
                    environment_cd_m2,
                    slots: slots.clone(),
                    texels: texels.clone(),
                    class,
                };
                world.resource_mut::<Assets<SceneMaterial>>().add(material)
            });
            world.entity_mut(*entity).insert(MeshMaterial3d(material.clone()));
        }
    }
}

fn take_first(meshes: &mut BTreeMap<[u8; 32], Vec<Handle<Mesh>>>, digest: &[u8; 32]) -> Option<Handle<Mesh>> {
    let equal = meshes.get_mut(digest)?;
    (!equal.is_empty()).then(|| equal.remove(0))
}

/// What the entity has already is left alone.
fn put(world: &mut World, entity: Entity, tag: u32, mesh: &Handle<Mesh>) {
    let mut entity = world.entity_mut(entity);
    if entity.get::<Mesh3d>().is_none_or(|shown| shown.0 != *mesh) {
        entity.insert(Mesh3d(mesh.clone()));
    }
    if entity.get::<MeshTag>().is_none_or(|shown| shown.0 != tag) {
        entity.insert(MeshTag(tag));
    }
}

impl Geometry {
    /// The triangles of one part and the vertices that they use, in the order of their first use. `places` is scratch,
    /// all `None` before and after: to make it anew for each of many parts of one mesh would cost their product.
    fn of(
        mesh: &DrawnMesh,
        part: &DrawnPart,
        has_uvs: bool,
        units_per_metre: f32,
        places: &mut Vec<Option<u32>>,
    ) -> Self {
        if places.len() < mesh.positions_m.len() {
            places.resize(mesh.positions_m.len(), None);
        }
        let indices = Vec::with_capacity(part.indices.len());
        let mut geometry = Self { positions: Vec::new(), normals: Vec::new(), uvs: Vec::new(), indices };
        for index in &part.indices {
            let vertex = *index as usize;
            let index = *places[vertex].get_or_insert_with(|| {
                geometry.positions.push(mesh.positions_m[vertex].map(|metres| metres * units_per_metre));
                geometry.normals.push(mesh.normals[vertex]);
                if has_uvs {
                    let uv = mesh.uvs.get(vertex).filter(|uv| uv.iter().all(|part| part.is_finite()));
                    geometry.uvs.push(uv.copied().unwrap_or_default());
                }
                geometry.positions.len() as u32 - 1
            });
            geometry.indices.push(index);
        }
        for index in &part.indices {
            places[*index as usize] = None;
        }
        geometry
    }

    fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        let parts: [&[u8]; 4] = [
            bytemuck::cast_slice(&self.positions),
            bytemuck::cast_slice(&self.normals),
            bytemuck::cast_slice(&self.uvs),
            bytemuck::cast_slice(&self.indices),
        ];
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        hasher.finalize().into()
    }

    /// Its data are dropped here once they are on the graphics card.
    fn into_mesh(self) -> Mesh {
        let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, self.positions)
            .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, self.normals)
            .with_inserted_indices(Indices::U32(self.indices));
        if self.uvs.is_empty() { mesh } else { mesh.with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, self.uvs) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;
    use scene_document::{BakedMesh, MeshId, NodeId, Surface};

    /// A triangle with its first corner at (x, 0, 0).
    fn triangle(x: f64) -> BakedMesh {
        BakedMesh {
            node: NodeId(1),
            name: String::new(),
            mesh: MeshId(1),
            positions: vec![Point3::new(x, 0.0, 0.0), Point3::new(x + 1.0, 0.0, 0.0), Point3::new(x, 1.0, 0.0)],
            normals: None,
            uvs: None,
            triangles: vec![[0, 1, 2]],
            triangle_surface: vec![0],
            surfaces: vec![Surface::WITHOUT_MATERIAL],
        }
    }

    /// The ground is larger than the rest, so that scenes with other places have the same extent.
    fn at(places: &[f64]) -> Baked {
        let mut ground = triangle(-30.0);
        ground.positions[1] = Point3::new(30.0, 0.0, 0.0);
        let others = places.iter().map(|x| triangle(*x));
        Baked { meshes: std::iter::once(ground).chain(others).collect(), ..Baked::default() }
    }

    struct Stage {
        world: World,
        rows: Rows,
    }

    impl Stage {
        fn new() -> Self {
            let mut world = World::new();
            world.init_resource::<Assets<Mesh>>();
            Self { world, rows: Rows::default() }
        }

        /// How many meshes were new.
        fn show(&mut self, scene: &Baked) -> usize {
            let made = self.rows.show(&mut self.world, scene, &Extent::of(scene));
            assert!(self.rows.entities.is_sorted());
            let tags = self.rows.entities.iter().map(|entity| self.world.get::<MeshTag>(*entity).unwrap().0);
            assert!(tags.eq(0..scene.meshes.len() as u32));
            made
        }

        fn meshes(&self) -> Vec<Handle<Mesh>> {
            self.rows.entities.iter().map(|entity| self.world.get::<Mesh3d>(*entity).unwrap().0.clone()).collect()
        }
    }

    #[test]
    fn only_what_changed_is_made_anew() {
        let mut stage = Stage::new();
        assert_eq!(stage.show(&at(&[0.0, 2.0, 4.0])), 4);
        let before = stage.meshes();
        assert_eq!(stage.show(&at(&[0.0, 2.0, 4.0])), 0);
        assert_eq!(stage.meshes(), before);
        assert_eq!(stage.show(&at(&[0.0, 3.0, 4.0])), 1);
        let after = stage.meshes();
        let same: Vec<bool> = before.iter().zip(&after).map(|(before, after)| before == after).collect();
        assert_eq!(same, [true, true, false, true]);
    }

    #[test]
    fn rows_move_up_and_back_without_new_meshes() {
        let mut stage = Stage::new();
        stage.show(&at(&[0.0, 2.0, 4.0]));
        let before = stage.meshes();
        assert_eq!(stage.show(&at(&[2.0, 4.0])), 0);
        assert_eq!(stage.meshes(), [&before[..1], &before[2..]].concat());
        assert_eq!(stage.show(&at(&[0.0, 2.0, 4.0, 6.0])), 2);
        assert_eq!(stage.show(&at(&[])), 0);
        assert_eq!(stage.rows.entities.len(), 1);
    }

    /// Both use all vertices of the mesh: nothing of the first may be left when the second is made.
    #[test]
    fn parts_that_share_vertices_have_each_their_own() {
        let mesh = BakedMesh {
            normals: Some(vec![nalgebra::Vector3::z(); 3]),
            triangles: vec![[0, 1, 2]; 2],
            triangle_surface: vec![0, 1],
            surfaces: vec![Surface::WITHOUT_MATERIAL; 2],
            ..triangle(1.0)
        };
        let (drawn, mut places) = (mesh.drawn(INVISIBLE_ALPHA), Vec::new());
        let [first, second] = [0, 1].map(|part| Geometry::of(&drawn, &drawn.parts[part], false, 1.0, &mut places));
        assert_eq!(second.positions.len(), 3);
        assert_eq!(first.digest(), second.digest());
    }

    /// Only what is layered has them: zeros where the mesh says none, or nothing that can be used.
    #[test]
    fn texture_coordinates_are_a_part_of_the_geometry() {
        let mesh = BakedMesh {
            normals: Some(vec![nalgebra::Vector3::z(); 3]),
            uvs: Some(vec![[0.25, 0.5], [f32::NAN, 0.0], [1.0, 1.0]]),
            ..triangle(1.0)
        };
        let of = |mesh: &BakedMesh, has_uvs: bool| {
            let drawn = mesh.drawn(INVISIBLE_ALPHA);
            Geometry::of(&drawn, &drawn.parts[0], has_uvs, 1.0, &mut Vec::new())
        };
        assert_eq!(of(&mesh, true).uvs, [[0.25, 0.5], [0.0, 0.0], [1.0, 1.0]]);
        let without = BakedMesh { uvs: None, ..mesh.clone() };
        assert_eq!(of(&without, true).uvs, [[0.0; 2]; 3]);
        assert!(of(&mesh, false).uvs.is_empty());
        let digests = [of(&mesh, true), of(&without, true), of(&mesh, false)].map(|geometry| geometry.digest());
        assert!(digests[0] != digests[1] && digests[1] != digests[2]);
    }

    #[test]
    fn equal_rows_have_a_mesh_each() {
        let mut stage = Stage::new();
        assert_eq!(stage.show(&at(&[1.0, 1.0])), 3);
        let meshes = stage.meshes();
        assert_ne!(meshes[1], meshes[2]);
        assert_eq!(stage.show(&at(&[1.0, 1.0])), 0);
        assert_eq!(stage.meshes(), meshes);
    }

    #[test]
    fn a_change_of_look_needs_no_new_mesh() {
        let mut stage = Stage::new();
        let mut scene = at(&[1.0]);
        stage.show(&scene);
        let before = stage.rows.looks.clone();
        scene.meshes[1].surfaces[0].base_color = [0.5, 0.0, 0.0, 0.2];
        assert_eq!(stage.show(&scene), 0);
        assert_eq!(stage.rows.looks[0], before[0]);
        assert_eq!(stage.rows.looks[1][..4], [0.5_f32, 0.0, 0.0, 1.0].map(f32::to_bits));
    }
}
