//! `material.create`: a metallic-roughness material.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::extension_factors::ExtensionFactors;
use super::factors::{AlphaModeArgs, Factors};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::{Edit, Material};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "material.create",
    group: Group::Core,
    description: "Makes a physically based material (glTF metallic-roughness) and returns its id; put it on meshes \
                  with material.assign. A scene holds 64 materials.",
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
    /// Nits per unit of `emissive`; default 1.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    emissive_strength: Option<f64>,
    /// Default `OPAQUE`.
    alpha_mode: Option<AlphaModeArgs>,
    /// Whether back faces are drawn too; default false.
    double_sided: Option<bool>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let factors = Factors {
        name: Some(args.name),
        base_color: args.base_color,
        base_color_srgb: args.base_color_srgb,
        metallic: args.metallic,
        roughness: args.roughness,
        emissive: args.emissive,
        emissive_strength: args.emissive_strength,
        alpha_mode: args.alpha_mode,
        double_sided: args.double_sided,
        extensions: ExtensionFactors::default(),
    };
    let material = factors.onto(Material::default())?;
    let applied = edit(&workspace.scene, Edit::CreateMaterial(material), same_name)?;
    let result = json!({"material": applied.changed.materials.last()});
    Ok(edited(applied, result))
}
