//! The material of everything that is drawn, and its shader: surfaces in light, or one fact of each.
//!
//! A row is one mesh of the scene with one of its surfaces. What its surface is like stands in a buffer, at the row's
//! number, so that rows of one class share a material.

use bevy::app::App;
use bevy::asset::{Asset, Assets, Handle, uuid_handle};
use bevy::material::AlphaMode;
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{Material, MaterialPipeline, MaterialPipelineKey, MaterialPlugin, MeshPipelineKey};
use bevy::reflect::TypePath;
use bevy::render::render_resource::{
    AsBindGroup, Buffer, Face, RenderPipelineDescriptor, SpecializedMeshPipelineError,
};
use bevy::shader::{Shader, ShaderRef};
use scene_document::Surface;
use scene_probe::RenderError;

const SHADER: Handle<Shader> = uuid_handle!("6f0c3a52-7d5e-4b4c-9a0e-2f1d8c6b7e11");

/// What the shader gives out. The numbers are the shader's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    Lit = 0,
    Albedo = 1,
    Normal = 2,
    Depth = 3,
    MeshId = 4,
}

/// What Bevy has a pipeline of its own for: rows of one class are drawn alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Class {
    pub(crate) blend: bool,
    pub(crate) double_sided: bool,
}

/// 32-bit words of the shader's `Look`, padding included.
pub(crate) const LOOK_WORDS: usize = 12;

#[derive(Asset, AsBindGroup, TypePath, Debug, Clone)]
#[bind_group_data(Class)]
pub(crate) struct SceneMaterial {
    /// `LOOK_WORDS` for each row of the scene. The shader finds a row's by its mesh tag, which is its number.
    #[storage(0, read_only, buffer)]
    pub(crate) looks: Buffer,
    /// An `Output`.
    #[uniform(1)]
    pub(crate) output: u32,
    #[uniform(1)]
    pub(crate) metres_per_unit: f32,
    pub(crate) class: Class,
}

pub(crate) fn add_to(app: &mut App) -> Result<(), RenderError> {
    app.add_plugins(MaterialPlugin::<SceneMaterial>::default());
    let shader = Shader::from_wgsl(include_str!("material.wgsl"), "material.wgsl");
    let mut shaders = app.world_mut().resource_mut::<Assets<Shader>>();
    shaders.insert(SHADER.id(), shader).map_err(|error| RenderError::Device { what: error.to_string() })
}

/// A surface as the shader takes it. Unless it is blended it is opaque: what an alpha mask hides was left out before.
pub(crate) fn look(surface: &Surface, class: Class, mesh_id: u32) -> [u32; LOOK_WORDS] {
    let bits = |value: f64| if value.is_finite() { (value as f32).to_bits() } else { 0 };
    let [red, green, blue, alpha] = surface.base_color;
    let alpha = if class.blend { alpha } else { 1.0 };
    let [glow_red, glow_green, glow_blue] = surface.emissive.map(bits);
    let [red, green, blue, alpha] = [red, green, blue, alpha].map(bits);
    let [metallic, roughness] = [surface.metallic, surface.roughness].map(bits);
    [red, green, blue, alpha, glow_red, glow_green, glow_blue, metallic, roughness, mesh_id, 0, 0]
}

impl From<&SceneMaterial> for Class {
    fn from(material: &SceneMaterial) -> Self {
        material.class
    }
}

impl Material for SceneMaterial {
    fn fragment_shader() -> ShaderRef {
        SHADER.into()
    }

    fn alpha_mode(&self) -> AlphaMode {
        if self.class.blend { AlphaMode::Blend } else { AlphaMode::Opaque }
    }

    fn specialize(
        _: &MaterialPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        _: &MeshVertexBufferLayoutRef,
        key: MaterialPipelineKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        // Bevy's depth prepass draws shadow maps and nothing else here. A one-sided wall stops light from either side,
        // so in them nothing is culled.
        let is_shadow_map = key.mesh_key.contains(MeshPipelineKey::DEPTH_PREPASS);
        let both_sides = key.bind_group_data.double_sided || is_shadow_map;
        descriptor.primitive.cull_mode = if both_sides { None } else { Some(Face::Back) };
        Ok(())
    }
}
