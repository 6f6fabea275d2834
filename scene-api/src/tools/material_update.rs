//! `material.update`: other factors for a material that is there.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::extension_factors::ExtensionFactors;
use super::factors::{AlphaModeArgs, Factors};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{Edit, Material, MaterialId, Scene};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "material.update",
    group: Group::Look,
    description: "Changes a material wherever it is used; absent parts stay as they are. `used_by_nodes` counts the \
                  nodes that show it. `not_evaluated` names what no task judges: a task refuses the scene that \
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
    /// 1 to 128 characters.
    #[schemars(length(min = 1, max = 128))]
    name: Option<String>,
    /// Linear red, green, blue and, if given, alpha, each in [0, 1].
    #[schemars(length(min = 3, max = 4), inner(range(min = 0, max = 1)))]
    base_color: Option<Vec<f64>>,
    /// Instead of `base_color`: sRGB-encoded, each in [0, 1]; alpha is not encoded.
    #[schemars(length(min = 3, max = 4), inner(range(min = 0, max = 1)))]
    base_color_srgb: Option<Vec<f64>>,
    /// In [0, 1].
    #[schemars(range(min = 0, max = 1))]
    metallic: Option<f64>,
    /// In [0, 1].
    #[schemars(range(min = 0, max = 1))]
    roughness: Option<f64>,
    /// Linear red, green, blue, each in [0, 1].
    #[schemars(inner(range(min = 0, max = 1)))]
    emissive: Option<[f64; 3]>,
    /// Nits per unit of `emissive`.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    emissive_strength: Option<f64>,
    /// Whether alpha counts.
    alpha_mode: Option<AlphaModeArgs>,
    /// Whether back faces are drawn too.
    double_sided: Option<bool>,
    /// What glTF's material extensions add. All is exported; pictures show unlit, ior, specular and clearcoat; no task
    /// judges any.
    extensions: Option<ExtensionFactors>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let material = references::material(scene, "/material", &args.material)?;
    let factors = Factors {
        name: args.name,
        base_color: args.base_color,
        base_color_srgb: args.base_color_srgb,
        metallic: args.metallic,
        roughness: args.roughness,
        emissive: args.emissive,
        emissive_strength: args.emissive_strength,
        alpha_mode: args.alpha_mode,
        double_sided: args.double_sided,
        extensions: args.extensions.unwrap_or_default(),
    };
    if factors.is_empty() {
        return Err(ToolError::new(ErrorCode::InvalidArgument, "", "nothing to set").allowed(
            "at least one of name, base_color, base_color_srgb, metallic, roughness, emissive, emissive_strength, \
             alpha_mode, double_sided, extensions",
        ));
    }
    let before = scene.materials().get(&material).map(|found| Material::clone(found)).unwrap_or_default();
    let to = factors.onto(before)?;
    let mut result = json!({"material": material, "used_by_nodes": used_by_nodes(scene, material)});
    let not_evaluated = to.not_evaluated();
    if !not_evaluated.is_empty() {
        result["not_evaluated"] = json!(not_evaluated);
    }
    let applied = edit(scene, Edit::SetMaterial { material, to }, same_name)?;
    Ok(edited(applied, result))
}

fn used_by_nodes(scene: &Scene, material: MaterialId) -> usize {
    let meshes = scene.nodes().values().filter_map(|node| scene.meshes().get(&node.mesh?));
    meshes.filter(|mesh| mesh.primitives.iter().any(|primitive| primitive.material == Some(material))).count()
}
