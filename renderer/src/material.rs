//! The material of everything that is drawn, and its shader: surfaces in light, or one fact of each.
//!
//! A row is one mesh of the scene with one of its surfaces. What its surface is like stands in a buffer, at the row's
//! number, so that rows of one class share a material. Rows that are layered (see `Finish`) have texture coordinates,
//! and with them pipelines of their own. Shadow maps know no textures: what is cut out by one throws the shadow of all
//! of its surface.

use crate::finish::Finish;
use bevy::app::App;
use bevy::asset::{Asset, Assets, Handle, uuid_handle};
use bevy::material::AlphaMode;
use bevy::math::Vec3;
use bevy::mesh::{Mesh, MeshVertexBufferLayoutRef};
use bevy::pbr::{Material, MaterialPipeline, MaterialPipelineKey, MaterialPlugin, MeshPipelineKey};
use bevy::reflect::TypePath;
use bevy::render::render_resource::{
    AsBindGroup, Buffer, Face, RenderPipelineDescriptor, SpecializedMeshPipelineError,
};
use bevy::shader::{Shader, ShaderRef};
use scene_document::{AlphaMode as Alpha, INVISIBLE_ALPHA, Surface};
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
pub(crate) const LOOK_WORDS: usize = 20;

/// Bits of a look's flags.
const UNLIT: u32 = 1;
const BLENDED: u32 = 2;

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
    /// Linear RGB, from all sides.
    #[uniform(1)]
    pub(crate) environment_cd_m2: Vec3,
    /// Five for each material with textures.
    #[storage(2, read_only, buffer)]
    pub(crate) slots: Buffer,
    #[storage(3, read_only, buffer)]
    pub(crate) texels: Buffer,
    pub(crate) class: Class,
}

pub(crate) fn add_to(app: &mut App) -> Result<(), RenderError> {
    app.add_plugins(MaterialPlugin::<SceneMaterial>::default());
    let source = concat!(include_str!("material.wgsl"), include_str!("texture.wgsl"));
    let shader = Shader::from_wgsl(source, "material.wgsl");
    let mut shaders = app.world_mut().resource_mut::<Assets<Shader>>();
    shaders.insert(SHADER.id(), shader).map_err(|error| RenderError::Device { what: error.to_string() })
}

/// A surface as the shader takes it. What a factor alone hides of an alpha mask was left out before, so that without
/// textures it is opaque unless it is blended.
pub(crate) fn look(surface: &Surface, finish: &Finish, class: Class, mesh_id: u32) -> [u32; LOOK_WORDS] {
    let bits = |value: f64| if value.is_finite() { (value as f32).to_bits() } else { 0 };
    // Where alpha is less, nothing is.
    let least_alpha = match surface.alpha_mode {
        Alpha::Opaque => 0.0,
        Alpha::Mask => surface.alpha_cutoff,
        Alpha::Blend => INVISIBLE_ALPHA,
    };
    let [red, green, blue, alpha] = surface.base_color;
    let is_cut = surface.alpha_mode == Alpha::Mask && finish.is_layered();
    let alpha = if class.blend || is_cut { alpha } else { 1.0 };
    let [glow_red, glow_green, glow_blue] = surface.emissive.map(bits);
    let [red, green, blue, alpha] = [red, green, blue, alpha].map(bits);
    let [metallic, roughness, least_alpha] = [surface.metallic, surface.roughness, least_alpha].map(bits);
    let [back_red, back_green, back_blue] = finish.reflectance.map(bits);
    let [coat, coat_roughness] = [finish.clearcoat.factor, finish.clearcoat.roughness].map(bits);
    let flags = if finish.unlit { UNLIT } else { 0 } | if class.blend { BLENDED } else { 0 };
    let rows = [
        [red, green, blue, alpha],
        [glow_red, glow_green, glow_blue, metallic],
        [back_red, back_green, back_blue, roughness],
        [coat, coat_roughness, least_alpha, flags],
        [mesh_id, finish.first_slot, 0, 0],
    ];
    bytemuck::cast(rows)
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
        layout: &MeshVertexBufferLayoutRef,
        key: MaterialPipelineKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        // Bevy's depth prepass draws shadow maps and nothing else here. A one-sided wall stops light from either side,
        // so in them nothing is culled.
        let is_shadow_map = key.mesh_key.contains(MeshPipelineKey::DEPTH_PREPASS);
        let both_sides = key.bind_group_data.double_sided || is_shadow_map;
        descriptor.primitive.cull_mode = if both_sides { None } else { Some(Face::Back) };
        if let Some(fragment) = &mut descriptor.fragment
            && layout.0.contains(Mesh::ATTRIBUTE_UV_0)
        {
            fragment.shader_defs.push("STANDARD_MATERIAL_CLEARCOAT".into());
        }
        Ok(())
    }
}
