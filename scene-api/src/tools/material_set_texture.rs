//! `material.set_texture`: a texture in a slot of a material, or none.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{Edit, Material, MaterialId, NodeId, Scene, TextureSlot, TextureUse, UvTransform};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "material.set_texture",
    group: Group::Texture,
    description: "Puts a texture into a slot of a material, in the place of the one there, or empties the slot. \
                  `without_uvs` lists nodes that show one texel of it until mesh.unwrap. Beauty and \
                  albedo show textures; `not_evaluated` names what no task judges: a task refuses the scene that \
                  has it.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Material id, e.g. `mat_1`.
    material: String,
    /// What the texture is multiplied with; `normal` and `occlusion` stand for themselves.
    slot: SlotArgs,
    /// Texture id, e.g. `tex_1`; absent to empty the slot.
    texture: Option<String>,
    /// Scale of a normal texture, strength (0 to 1) of an occlusion texture; default 1.
    #[schemars(range(min = -1000, max = 1000))]
    amount: Option<f64>,
    /// Moves the texture coordinates; default 0, 0.
    #[schemars(inner(range(min = -1_000_000, max = 1_000_000)))]
    offset: Option<[f64; 2]>,
    /// Turns the texture coordinates about their origin; default 0.
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    rotation_rad: Option<f64>,
    /// Times the texture coordinates: 2 shows the image twice. Default 1, 1.
    #[schemars(inner(range(min = -1_000_000, max = 1_000_000)))]
    scale: Option<[f64; 2]>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SlotArgs {
    BaseColor,
    MetallicRoughness,
    Normal,
    Occlusion,
    Emissive,
}

impl From<SlotArgs> for TextureSlot {
    fn from(slot: SlotArgs) -> Self {
        match slot {
            SlotArgs::BaseColor => Self::BaseColor,
            SlotArgs::MetallicRoughness => Self::MetallicRoughness,
            SlotArgs::Normal => Self::Normal,
            SlotArgs::Occlusion => Self::Occlusion,
            SlotArgs::Emissive => Self::Emissive,
        }
    }
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let id = references::material(scene, "/material", &args.material)?;
    let slot = TextureSlot::from(args.slot);
    let mut material = scene.materials().get(&id).map(|found| Material::clone(found)).unwrap_or_default();
    let texture = args.texture.as_deref().map(|given| references::texture(scene, "/texture", given)).transpose()?;
    let had_one = match texture {
        None => {
            let placed = args.amount.is_some() || args.offset.is_some() || args.rotation_rad.is_some();
            if placed || args.scale.is_some() {
                let message = "amount, offset, rotation_rad and scale are of a texture, and none is given";
                return Err(ToolError::new(ErrorCode::InvalidArgument, "/texture", message).allowed("a texture id"));
            }
            material.textures.remove(&slot).is_some()
        }
        Some(texture) => {
            let usual = UvTransform::default();
            let transform = UvTransform {
                offset: args.offset.unwrap_or(usual.offset),
                rotation_rad: args.rotation_rad.unwrap_or(usual.rotation_rad),
                scale: args.scale.unwrap_or(usual.scale),
                tex_coord: None,
            };
            let used = TextureUse {
                amount: args.amount.unwrap_or(1.0),
                transform: (transform != usual).then_some(transform),
                ..TextureUse::of(texture)
            };
            material.textures.insert(slot, used).is_some()
        }
    };
    if texture.is_none() && !had_one {
        let message = format!("the slot {} of {id} is empty already", slot.member());
        return Err(ToolError::new(ErrorCode::NotFound, "/texture", message).allowed("a texture id"));
    }
    let not_evaluated = material.not_evaluated();
    let applied = edit(scene, Edit::SetMaterial { material: id, to: material }, same_name)?;
    let without_uvs = without_uvs(&applied.scene, id);
    let result = json!({
        "material": id, "slot": slot, "texture": texture, "without_uvs": without_uvs, "not_evaluated": not_evaluated,
    });
    Ok(edited(applied, result))
}

/// Nodes that show the material on something without texture coordinates; none where it has no texture.
fn without_uvs(scene: &Scene, id: MaterialId) -> Vec<NodeId> {
    if scene.materials().get(&id).is_none_or(|material| material.textures.is_empty()) {
        return Vec::new();
    }
    let meshes = scene.nodes().iter().filter_map(|(node, found)| Some((*node, scene.meshes().get(&found.mesh?)?)));
    let bare = meshes.filter(|(_, mesh)| {
        mesh.primitives.iter().any(|primitive| primitive.material == Some(id) && !primitive.geometry.has_uvs())
    });
    bare.map(|(node, _)| node).collect()
}
