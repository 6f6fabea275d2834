//! `light.update`: another strength, colour, kind or aim for a light that is there.

use super::arguments::typed;
use super::edits::{edit_all, edited};
use super::light_kind::{LightKindArgs, in_kind};
use super::look_at::aimed;
use super::ranges::positive;
use super::schema::schema_of;
use super::target::Target;
use super::{Group, Outcome, ToolInfo, references};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use scene_document::{Edit, Light, LightKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "light.update",
    group: Group::Look,
    description: "Changes a node's light; absent parts stay as they are. `target` turns the node, where it stands, to \
                  shine at a point or at the middle of a node.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a light, e.g. `n_7`.
    node: String,
    /// Another kind of light. Between directional and the others the unit changes: then give `intensity` too.
    light: Option<LightKindArgs>,
    /// Candela for point and spot, lux for directional; ≥ 0.
    #[schemars(range(min = 0))]
    intensity: Option<f64>,
    /// Linear red, green, blue, each in [0, 1].
    #[schemars(inner(range(min = 0, max = 1)))]
    color: Option<[f64; 3]>,
    /// Metres at which the light ends.
    #[schemars(transform = positive)]
    range_m: Option<f64>,
    /// Instead of `range_m`: whether the light goes on for ever; default false.
    #[serde(default)]
    endless: bool,
    /// A point in world space, metres, or the id of a node, to shine at.
    target: Option<Target>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (id, node, before) = references::light(scene, "/node", &args.node)?;
    let changes_light = args.light.is_some()
        || args.intensity.is_some()
        || args.color.is_some()
        || args.range_m.is_some()
        || args.endless;
    let mut edits = Vec::new();
    if changes_light {
        edits.push(Edit::SetLight { node: id, light: changed(before, &args)? });
    }
    if let Some(target) = &args.target {
        let target_m = target.point_m(scene, "/target")?;
        let transform = aimed(workspace, node.parent, node.transform, Some(target_m))?;
        edits.push(Edit::SetTransform { node: id, transform });
    }
    if edits.is_empty() {
        return Err(ToolError::new(ErrorCode::InvalidArgument, "", "nothing to set")
            .allowed("at least one of light, intensity, color, range_m, endless, target"));
    }
    let applied = edit_all(scene, edits, in_kind)?;
    let (_, node, light) = references::light(&applied.scene, "/node", &args.node)?;
    let result = json!({
        "node": id, "light": node.light, "kind": light.kind, "intensity": light.intensity, "color": light.color,
        "range_m": light.range_m, "rotation": node.transform.rotation,
    });
    Ok(edited(applied, result))
}

fn changed(before: &Light, args: &Args) -> Result<Light, ToolError> {
    let kind = args.light.map_or(before.kind, LightKind::from);
    let unit = |kind: LightKind| if kind == LightKind::Directional { "lux" } else { "candela" };
    let (unit_before, unit_now) = (unit(before.kind), unit(kind));
    if unit_before != unit_now && args.intensity.is_none() {
        let message =
            format!("{} {unit_before} are no number of {unit_now}; give the new intensity too", before.intensity);
        return Err(ToolError::new(ErrorCode::InvalidArgument, "/intensity", message)
            .allowed(format!("an intensity in {unit_now}")));
    }
    if args.endless && args.range_m.is_some() {
        let message = "range_m and endless exclude each other";
        return Err(ToolError::new(ErrorCode::InvalidArgument, "/endless", message)
            .given(true)
            .allowed("one of range_m, endless"));
    }
    Ok(Light {
        kind,
        intensity: args.intensity.unwrap_or(before.intensity),
        color: args.color.unwrap_or(before.color),
        range_m: if args.endless { None } else { args.range_m.or(before.range_m) },
        ..before.clone()
    })
}
