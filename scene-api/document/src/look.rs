//! Materials, punctual lights and cameras, with glTF's meanings and units.

use crate::{Kept, MaterialExtensions, TextureSlot, Textures};
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AlphaMode {
    #[default]
    Opaque,
    Mask,
    Blend,
}

/// glTF metallic-roughness factors; the textures that they are multiplied with; what extensions add.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    pub name: String,
    /// Linear RGBA in [0, 1].
    pub base_color: [f64; 4],
    pub metallic: f64,
    pub roughness: f64,
    /// Linear RGB in [0, 1], times `emissive_strength` (nits per unit).
    pub emissive: [f64; 3],
    pub emissive_strength: f64,
    pub alpha_mode: AlphaMode,
    pub alpha_cutoff: f64,
    pub double_sided: bool,
    pub textures: Textures,
    pub extensions: MaterialExtensions,
    pub kept: Kept,
}

impl Material {
    /// What of it no task judges, drawn or not: the names under which a reader lists it
    /// (`gltf::Import::not_evaluated`), in that order.
    #[must_use]
    pub fn not_evaluated(&self) -> Vec<&'static str> {
        let textures =
            self.textures.iter().filter(|(slot, used)| **slot != TextureSlot::Emissive && used.amount != 0.0);
        let mut names: Vec<&'static str> = textures.map(|(slot, _)| slot.member()).collect();
        names.extend(self.extensions.in_effect());
        if self.textures.contains_key(&TextureSlot::Emissive) && self.emissive != [0.0; 3] {
            names.push(TextureSlot::Emissive.member());
        }
        names
    }
}

impl Default for Material {
    /// glTF's defaults, except that a new material is dielectric (`metallic` 0).
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            metallic: 0.0,
            roughness: 1.0,
            emissive: [0.0; 3],
            emissive_strength: 1.0,
            alpha_mode: AlphaMode::Opaque,
            alpha_cutoff: 0.5,
            double_sided: false,
            textures: Textures::new(),
            extensions: MaterialExtensions::default(),
            kept: Kept::default(),
        }
    }
}

/// KHR_lights_punctual; shines along the node's −Z.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LightKind {
    /// Intensity in lux.
    Directional,
    /// Intensity in candela.
    Point,
    /// Intensity in candela; half-angles of the cone, 0 ≤ inner < outer ≤ π/2.
    Spot { inner_cone_rad: f64, outer_cone_rad: f64 },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Light {
    pub name: String,
    pub kind: LightKind,
    /// Linear RGB in [0, 1].
    pub color: [f64; 3],
    /// Candela (point, spot) or lux (directional).
    pub intensity: f64,
    /// Distance cut-off; `None` is infinite.
    pub range_m: Option<f64>,
    pub kept: Kept,
}

/// Looks along the node's −Z, up is +Y.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Projection {
    /// `aspect` (width / height) `None` means that of the viewport; `zfar_m` `None` is infinite.
    Perspective { yfov_rad: f64, aspect: Option<f64>, znear_m: f64, zfar_m: Option<f64> },
    /// Half extents of the view volume.
    Orthographic { xmag_m: f64, ymag_m: f64, znear_m: f64, zfar_m: f64 },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Camera {
    pub name: String,
    pub projection: Projection,
    pub kept: Kept,
}
