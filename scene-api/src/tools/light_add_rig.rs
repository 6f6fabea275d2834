//! `light.add_rig`: several lights around a subject, as strong as its size and albedo need.

use super::arguments::typed;
use super::bearing::{bearing_rad, direction};
use super::edits::{and_edit, created, edit, edited, same_name};
use super::label::label;
use super::light_rigs::{DISTANCE_RADII, Rig};
use super::look_at::aimed;
use super::schema::schema_of;
use super::target::Target;
use super::{Group, Outcome, ToolInfo};
use crate::limits::Blame;
use crate::measured::{four_digits, four_digits_each};
use crate::tool_error::ToolError;
use crate::workspace::Workspace;
use nalgebra::Vector3;
use scene_document::{Edit, LightKind, Node, Scene, Trs};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "light.add_rig",
    group: Group::Look,
    description: "Makes a node at a subject with the lights of a rig below it, so strong that matt sides of the \
                  subject that face the viewer or up get about 20 to 40 cd/m², where 100 are white. Deleting the node \
                  deletes the rig.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

/// Metres; of what has no bounds.
const RADIUS_M: f64 = 1.0;
const ALBEDO: f64 = 0.5;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Name of the node that holds the lights; unique among the roots.
    #[schemars(length(min = 1, max = 128))]
    name: String,
    /// `three_point` is a key, a weak fill and a rim light from behind; `studio` is even light from four sides;
    /// `sun_sky` is a warm sun and a bluish sky, all parallel light, for a whole scene.
    rig: Rig,
    /// The subject: the id of a node, or a point in world space, metres.
    target: Target,
    /// Metres around the middle of the subject that are to be lit; default that of the node's bounds, else 1.
    #[schemars(range(min = 0.001, max = 1000))]
    radius_m: Option<f64>,
    /// Where the viewer stands, seen from the subject: 0 is +Z, 90 is +X; default the active camera's side, else 0.
    #[schemars(range(min = -360, max = 360))]
    azimuth_deg: Option<f64>,
    /// Share of the light that the subject reflects; default 0.5.
    #[schemars(range(min = 0.05, max = 1))]
    albedo: Option<f64>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let name = label("/name", &args.name)?;
    let (target_m, own_radius_m) = args.target.sphere_m(scene, "/target")?;
    let radius_m = args.radius_m.or(own_radius_m).unwrap_or(RADIUS_M);
    let distance_m = DISTANCE_RADII * radius_m;
    let azimuth_rad = args.azimuth_deg.map_or_else(|| viewer_azimuth_rad(scene, target_m), f64::to_radians);

    let holder = Node { name, transform: Trs::from_translation(target_m), ..Node::default() };
    let mut applied = edit(scene, Edit::CreateNode(holder), same_name)?;
    let node = created(&applied)?;
    let mut lights: Vec<Value> = Vec::new();
    for lamp in args.rig.lamps() {
        let offset_m =
            distance_m * direction(azimuth_rad + lamp.azimuth_deg.to_radians(), lamp.elevation_deg.to_radians());
        let at = Trs::from_translation((Vector3::from(target_m) + offset_m).into());
        let in_world = aimed(workspace, None, at, Some(target_m))?;
        let light = lamp.light(distance_m, args.albedo.unwrap_or(ALBEDO));
        let lamp_node = Node {
            name: lamp.name.into(),
            parent: Some(node),
            transform: Trs { translation: offset_m.into(), ..in_world },
            ..Node::default()
        };
        applied = and_edit(applied, Edit::CreateNode(lamp_node), same_name)?;
        let lit = created(&applied)?;
        let unit = if light.kind == LightKind::Directional { "lux" } else { "candela" };
        lights.push(json!({"node": lit, "name": lamp.name, "intensity": four_digits(light.intensity), "unit": unit}));
        applied = and_edit(applied, Edit::SetLight { node: lit, light }, same_name)?;
    }
    let result = json!({
        "node": node,
        "rig": args.rig,
        "target_m": four_digits_each(target_m),
        "radius_m": four_digits(radius_m),
        "azimuth_deg": four_digits(azimuth_rad.to_degrees()),
        "lights": lights,
    });
    Ok(edited(applied, result).blaming(Blame { place: "/target", ..Blame::default() }))
}

/// The side of the target that the active camera is on; 0 without one.
fn viewer_azimuth_rad(scene: &Scene, target_m: [f64; 3]) -> f64 {
    let Some(camera) = scene.active_camera() else { return 0.0 };
    let eye_m = scene.world_from_node(camera).fixed_view::<3, 1>(0, 3).into_owned();
    bearing_rad(&(eye_m - Vector3::from(target_m))).0
}
