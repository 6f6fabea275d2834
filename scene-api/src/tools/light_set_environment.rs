//! `light.set_environment`: light from all around.

use super::arguments::typed;
use super::edits::{edit, edited, same_name};
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use scene_document::{Edit, Environment};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "light.set_environment",
    group: Group::Look,
    description: "Sets the light that comes from all around, in the place of what there was. A matt surface of albedo \
                  ρ reflects ρ times its luminance, where 100 cd/m² are white. It has no direction and casts no \
                  shadow, so alone it shows no shape: use little, 10 to 20, to fill the shadows of other lights. Where \
                  no lamp reaches an object a task's lighting is 0.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// cd/m² of white; 0 takes the environment away.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    luminance_cd_m2: f64,
    /// Linear red, green, blue, each in [0, 1]; default white.
    #[schemars(inner(range(min = 0, max = 1)))]
    color: Option<[f64; 3]>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let Args { luminance_cd_m2, color } = args;
    let asked = Environment { color: color.unwrap_or([1.0; 3]), luminance_cd_m2 };
    let environment = (luminance_cd_m2 != 0.0).then_some(asked);
    let applied = edit(scene, Edit::SetEnvironment { environment }, same_name)?;
    Ok(edited(applied, json!({"environment": environment, "before": scene.environment()})))
}
