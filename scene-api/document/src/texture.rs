//! Textures, and how materials use them.

use crate::gltf::imported;
use crate::{Image, Kept, Source, TextureId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq)]
pub struct Texture {
    pub name: String,
    pub texels: Texels,
}

impl Texture {
    /// The file that it shows; `source` is the scene's. `None` where that is neither a PNG nor a JPEG, as with textures
    /// that only KHR_texture_basisu describes. An image of the source is copied, and is of any size and perhaps broken:
    /// `Image::rgba8` tells.
    #[must_use]
    pub fn image(&self, source: Option<&Source>) -> Option<Arc<Image>> {
        match &self.texels {
            Texels::Image { image, .. } => Some(Arc::clone(image)),
            Texels::Imported(place) => imported::image(source?, *place).map(Arc::new),
        }
    }

    /// glTF's defaults where the file does not say it: repeat, linear.
    #[must_use]
    pub fn sampler(&self, source: Option<&Source>) -> Sampler {
        match &self.texels {
            Texels::Image { sampler, .. } => *sampler,
            Texels::Imported(place) => source.map_or_else(Sampler::default, |source| imported::sampler(source, *place)),
        }
    }
}

/// What a texture shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Texels {
    Image {
        image: Arc<Image>,
        sampler: Sampler,
    },
    /// One of the file that the scene was read from, by its place there; it goes out as it came in.
    Imported(usize),
}

/// How texels between and beyond those of the image are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
pub struct Sampler {
    pub wrap_u: Wrap,
    pub wrap_v: Wrap,
    pub filter: Filter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Wrap {
    #[default]
    Repeat,
    MirroredRepeat,
    ClampToEdge,
}

/// Near and far: `Linear` mixes the mip levels too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    #[default]
    Linear,
    Nearest,
}

/// What of a material a texture changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextureSlot {
    /// RGB is sRGB-encoded, alpha is not; times `base_color`.
    BaseColor,
    /// Green times `roughness`, blue times `metallic`.
    MetallicRoughness,
    /// A tangent-space normal.
    Normal,
    /// Red: the share of indirect light that arrives.
    Occlusion,
    /// sRGB-encoded, times `emissive`.
    Emissive,
}

impl TextureSlot {
    pub const ALL: [Self; 5] =
        [Self::BaseColor, Self::MetallicRoughness, Self::Normal, Self::Occlusion, Self::Emissive];

    /// Where it stands in a glTF material.
    #[must_use]
    pub fn pointer(self) -> &'static str {
        match self {
            Self::BaseColor => "/pbrMetallicRoughness/baseColorTexture",
            Self::MetallicRoughness => "/pbrMetallicRoughness/metallicRoughnessTexture",
            Self::Normal => "/normalTexture",
            Self::Occlusion => "/occlusionTexture",
            Self::Emissive => "/emissiveTexture",
        }
    }

    /// Its glTF member, e.g. `baseColorTexture`.
    #[must_use]
    pub fn member(self) -> &'static str {
        self.pointer().rsplit('/').next().unwrap_or_default()
    }

    /// The glTF member that says how much the texture counts, where there is one.
    pub(crate) fn amount(self) -> Option<&'static str> {
        match self {
            Self::Normal => Some("scale"),
            Self::Occlusion => Some("strength"),
            Self::BaseColor | Self::MetallicRoughness | Self::Emissive => None,
        }
    }
}

pub type Textures = BTreeMap<TextureSlot, TextureUse>;

/// A texture in a slot of a material.
#[derive(Debug, Clone, PartialEq)]
pub struct TextureUse {
    pub texture: TextureId,
    /// Which texture coordinates of the mesh: TEXCOORD_n, n less than 8.
    pub tex_coord: u32,
    /// Scale of a normal texture, strength of an occlusion texture; 1 in other slots.
    pub amount: f64,
    pub transform: Option<UvTransform>,
    pub kept: Kept,
}

impl TextureUse {
    /// As it is, by the first texture coordinates.
    #[must_use]
    pub fn of(texture: TextureId) -> Self {
        Self { texture, tex_coord: 0, amount: 1.0, transform: None, kept: Kept::default() }
    }
}

/// KHR_texture_transform: coordinates are scaled, then turned about the origin, then moved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UvTransform {
    pub offset: [f64; 2],
    #[serde(rename = "rotation")]
    pub rotation_rad: f64,
    pub scale: [f64; 2],
    /// In place of the use's.
    #[serde(rename = "texCoord", skip_serializing_if = "Option::is_none")]
    pub tex_coord: Option<u32>,
}

impl Default for UvTransform {
    fn default() -> Self {
        Self { offset: [0.0; 2], rotation_rad: 0.0, scale: [1.0; 2], tex_coord: None }
    }
}

/// Sets of texture coordinates that a mesh may have.
pub(crate) const TEX_COORDS: u32 = 8;

/// How many sets of texture coordinates a mesh must have for these.
pub(crate) fn tex_coords_needed(textures: &Textures) -> u32 {
    let of = |used: &TextureUse| used.transform.and_then(|transform| transform.tex_coord).unwrap_or(used.tex_coord);
    textures.values().map(|used| of(used).saturating_add(1)).max().unwrap_or(0)
}
