//! Factors of a metallic-roughness material, as a model writes them.

use super::extension_factors::ExtensionFactors;
use super::label::label;
use crate::tool_error::{ErrorCode, ToolError};
use scene_document::{AlphaMode, Material};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// As given; an absent one keeps what is there. Linear, except `base_color_srgb`.
pub(super) struct Factors {
    pub(super) name: Option<String>,
    pub(super) base_color: Option<Vec<f64>>,
    pub(super) base_color_srgb: Option<Vec<f64>>,
    pub(super) metallic: Option<f64>,
    pub(super) roughness: Option<f64>,
    pub(super) emissive: Option<[f64; 3]>,
    pub(super) emissive_strength: Option<f64>,
    pub(super) alpha_mode: Option<AlphaModeArgs>,
    pub(super) double_sided: Option<bool>,
    pub(super) extensions: ExtensionFactors,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum AlphaModeArgs {
    Opaque,
    Mask,
    Blend,
}

impl From<AlphaModeArgs> for AlphaMode {
    fn from(mode: AlphaModeArgs) -> Self {
        match mode {
            AlphaModeArgs::Opaque => Self::Opaque,
            AlphaModeArgs::Mask => Self::Mask,
            AlphaModeArgs::Blend => Self::Blend,
        }
    }
}

impl Factors {
    pub(super) fn is_empty(&self) -> bool {
        self.name.is_none()
            && self.base_color.is_none()
            && self.base_color_srgb.is_none()
            && self.metallic.is_none()
            && self.roughness.is_none()
            && self.emissive.is_none()
            && self.emissive_strength.is_none()
            && self.alpha_mode.is_none()
            && self.double_sided.is_none()
            && self.extensions.is_empty()
    }

    /// A colour of three numbers keeps the alpha that is there.
    ///
    /// # Errors
    /// `OutOfRange` for a name that is none; `InvalidArgument` for two base colours; `TypeMismatch` for a colour of
    /// neither 3 nor 4 numbers.
    pub(super) fn onto(self, base: Material) -> Result<Material, ToolError> {
        let alpha_before = base.base_color[3];
        let base_color = match (self.base_color, self.base_color_srgb) {
            (Some(_), Some(_)) => {
                let message = "base_color and base_color_srgb exclude each other";
                return Err(ToolError::new(ErrorCode::InvalidArgument, "/base_color_srgb", message)
                    .allowed("one of base_color, base_color_srgb"));
            }
            (Some(linear), None) => color("/base_color", &linear, alpha_before)?,
            (None, Some(encoded)) => {
                let [r, g, b, alpha] = color("/base_color_srgb", &encoded, alpha_before)?;
                [linear_from_srgb(r), linear_from_srgb(g), linear_from_srgb(b), alpha]
            }
            (None, None) => base.base_color,
        };
        Ok(Material {
            name: match self.name {
                Some(given) => label("/name", &given)?,
                None => base.name,
            },
            base_color,
            metallic: self.metallic.unwrap_or(base.metallic),
            roughness: self.roughness.unwrap_or(base.roughness),
            emissive: self.emissive.unwrap_or(base.emissive),
            emissive_strength: self.emissive_strength.unwrap_or(base.emissive_strength),
            alpha_mode: self.alpha_mode.map_or(base.alpha_mode, AlphaMode::from),
            alpha_cutoff: base.alpha_cutoff,
            double_sided: self.double_sided.unwrap_or(base.double_sided),
            textures: base.textures,
            extensions: self.extensions.onto(base.extensions),
            kept: base.kept,
        })
    }
}

/// RGBA; `alpha_before` where alpha is not given.
fn color(pointer: &str, given: &[f64], alpha_before: f64) -> Result<[f64; 4], ToolError> {
    match *given {
        [r, g, b] => Ok([r, g, b, alpha_before]),
        [r, g, b, alpha] => Ok([r, g, b, alpha]),
        _ => {
            let message = format!("a colour of {} numbers; 3 or 4 are wanted", given.len());
            Err(ToolError::new(ErrorCode::TypeMismatch, pointer, message)
                .given(json!(given))
                .allowed("[r, g, b] or [r, g, b, alpha]"))
        }
    }
}

/// IEC 61966-2-1.
fn linear_from_srgb(encoded: f64) -> f64 {
    if encoded <= 0.04045 { encoded / 12.92 } else { libm::pow((encoded + 0.055) / 1.055, 2.4) }
}
