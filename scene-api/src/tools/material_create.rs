//! `material.create`: a metallic-roughness material.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::label::label;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{AlphaMode, Edit, Material};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "material.create",
    group: Group::Core,
    description: "Makes a physically based material (glTF metallic-roughness) and returns its id; put it on meshes \
                  with material.assign.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// 1 to 128 characters.
    #[schemars(length(min = 1, max = 128))]
    name: String,
    /// Linear red, green, blue and, if given, alpha, each in [0, 1]; default white.
    #[schemars(length(min = 3, max = 4), inner(range(min = 0, max = 1)))]
    base_color: Option<Vec<f64>>,
    /// Instead of `base_color`: sRGB-encoded, each in [0, 1]; alpha is not encoded.
    #[schemars(length(min = 3, max = 4), inner(range(min = 0, max = 1)))]
    base_color_srgb: Option<Vec<f64>>,
    /// In [0, 1]; default 0.
    #[schemars(range(min = 0, max = 1))]
    metallic: Option<f64>,
    /// In [0, 1]; default 1.
    #[schemars(range(min = 0, max = 1))]
    roughness: Option<f64>,
    /// Linear red, green, blue, each in [0, 1]; default black.
    #[schemars(inner(range(min = 0, max = 1)))]
    emissive: Option<[f64; 3]>,
    /// Nits per unit of `emissive`, ≥ 0; default 1.
    #[schemars(range(min = 0))]
    emissive_strength: Option<f64>,
    /// Default `OPAQUE`.
    alpha_mode: Option<AlphaModeArgs>,
    /// Whether back faces are drawn too; default false.
    double_sided: Option<bool>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum AlphaModeArgs {
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

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let usual = Material::default();
    let base_color = match (args.base_color, args.base_color_srgb) {
        (Some(_), Some(_)) => {
            let message = "base_color and base_color_srgb exclude each other";
            return Err(ToolError::new(ErrorCode::InvalidArgument, "/base_color_srgb", message)
                .allowed("one of base_color, base_color_srgb"));
        }
        (Some(linear), None) => color("/base_color", &linear)?,
        (None, Some(encoded)) => {
            let [r, g, b, alpha] = color("/base_color_srgb", &encoded)?;
            [linear_from_srgb(r), linear_from_srgb(g), linear_from_srgb(b), alpha]
        }
        (None, None) => usual.base_color,
    };
    let material = Material {
        name: label("/name", &args.name)?,
        base_color,
        metallic: args.metallic.unwrap_or(usual.metallic),
        roughness: args.roughness.unwrap_or(usual.roughness),
        emissive: args.emissive.unwrap_or(usual.emissive),
        emissive_strength: args.emissive_strength.unwrap_or(usual.emissive_strength),
        alpha_mode: args.alpha_mode.map_or(usual.alpha_mode, AlphaMode::from),
        double_sided: args.double_sided.unwrap_or(usual.double_sided),
        ..usual
    };
    let applied = edit(&workspace.scene, Edit::CreateMaterial(material), same_name)?;
    let result = json!({"material": applied.changed.materials.last()});
    Ok(edited(applied, result))
}

/// RGBA; opaque where alpha is not given.
fn color(pointer: &str, given: &[f64]) -> Result<[f64; 4], ToolError> {
    match *given {
        [r, g, b] => Ok([r, g, b, 1.0]),
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
