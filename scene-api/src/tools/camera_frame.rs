//! `camera.frame`: puts a camera where it just sees something.

use super::arguments::typed;
use super::bearing::{bearing_rad, direction};
use super::edits::{edit_all, edited};
use super::framing::{Axes, fitted};
use super::look_at::{aimed, world_from_parent};
use super::placement::flat_parent;
use super::schema::schema_of;
use super::{Group, Outcome, ToolInfo, references};
use crate::measured::{four_digits, four_digits_each, union_aabb};
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use geometry_checks::Aabb;
use nalgebra::Point3;
use scene_document::{Camera, Edit, NodeId, Projection, Scene, Trs};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub(super) const TOOL: ToolInfo = ToolInfo {
    name: "camera.frame",
    group: Group::Core,
    description: "Moves and turns a camera so that the bounds of some nodes, or of everything, fill its picture but \
                  for a margin. Clip planes that would cut them are moved, and a parallel projection is made as large \
                  as they are.",
    read_only: false,
    schema: schema_of::<Args>,
    run: |workspace, arguments| run(workspace, typed(arguments)?),
};

const MARGIN: f64 = 0.1;
/// Of the pictures that are taken where nothing is said.
const ASPECT: f64 = 4.0 / 3.0;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of a node with a camera, e.g. `n_9`.
    camera: String,
    /// What is to be seen: ids of nodes, each with all below it; absent for everything.
    nodes: Option<Vec<String>>,
    /// Share of the picture's half width and half height that stays free at the border; default 0.1.
    #[schemars(range(min = 0, max = 0.9))]
    margin: Option<f64>,
    /// Where the camera stands, seen from the nodes: 0 is +Z, 90 is +X; default the side that it now looks from.
    #[schemars(range(min = -360, max = 360))]
    azimuth_deg: Option<f64>,
    /// How high it stands: 0 is level, 90 straight above; default as it now looks.
    #[schemars(range(min = -90, max = 90))]
    elevation_deg: Option<f64>,
    /// Width / height of the picture; default the camera's own, else 4 / 3.
    #[schemars(range(min = 0.25, max = 4))]
    aspect: Option<f64>,
}

fn run(workspace: &Workspace, args: Args) -> Result<Outcome, ToolError> {
    let scene = &workspace.scene;
    let (id, node, camera) = references::camera(scene, "/camera", &args.camera)?;
    let bounds = bounds(scene, id, args.nodes.as_deref())?;
    let from_parent = world_from_parent(scene, node.parent);
    let parent_from_world = from_parent.try_inverse().ok_or_else(flat_parent)?;
    let in_parent = |world: Point3<f64>| -> [f64; 3] { parent_from_world.transform_point(&world).coords.into() };

    let (azimuth_now, elevation_now) = bearing_rad(&Axes::of(&scene.world_from_node(id)).back);
    let azimuth_rad = args.azimuth_deg.map_or(azimuth_now, f64::to_radians);
    let elevation_rad = args.elevation_deg.map_or(elevation_now, f64::to_radians);
    let centre = bounds.centre();
    // A mirrored axis would turn the view round.
    let scale = node.transform.scale.map(f64::abs);
    let aside = Trs { translation: in_parent(centre + direction(azimuth_rad, elevation_rad)), scale, ..node.transform };
    let turned = aimed(workspace, node.parent, aside, Some(centre.coords.into()))?;

    let axes = Axes::of(&(from_parent * turned.matrix()));
    let aspect = args.aspect.unwrap_or_else(|| own_aspect(camera.projection));
    let fit = fitted(&bounds, axes, camera.projection, aspect, args.margin.unwrap_or(MARGIN));
    let transform = Trs { translation: in_parent(fit.eye_m), ..turned };
    let mut edits = vec![Edit::SetTransform { node: id, transform }];
    if fit.projection != camera.projection {
        let camera = Camera { projection: fit.projection, ..camera.clone() };
        edits.push(Edit::SetCamera { node: id, camera });
    }
    let applied = edit_all(scene, edits, |_| String::new())?;
    let result = json!({
        "camera": id,
        "world_translation_m": four_digits_each(fit.eye_m.iter().copied()),
        "target_m": four_digits_each(centre.iter().copied()),
        "distance_m": four_digits(fit.distance_m),
        "azimuth_deg": four_digits(azimuth_rad.to_degrees()),
        "elevation_deg": four_digits(elevation_rad.to_degrees()),
        "reach": four_digits_each(fit.reach),
        "projection": fit.projection,
    });
    Ok(edited(applied, result))
}

/// Of the meshes of these nodes and of all below them, but for what moves with the camera.
fn bounds(scene: &Scene, camera: NodeId, nodes: Option<&[String]>) -> Result<Aabb, ToolError> {
    let wanted = nodes.map(|given| references::nodes(scene, given)).transpose()?;
    let is_wanted = |id: NodeId| references::is_among(wanted.as_ref(), scene, id) && !scene.is_within(id, camera);
    union_aabb(scene, scene.nodes().keys().copied().filter(|id| is_wanted(*id))).ok_or_else(|| {
        ToolError::new(ErrorCode::NotFound, "/nodes", "there is no mesh to be seen in these nodes")
            .given(json!(nodes))
            .allowed("nodes with a mesh that is shown in or below them, and that do not move with the camera")
    })
}

fn own_aspect(projection: Projection) -> f64 {
    match projection {
        Projection::Perspective { aspect, .. } => aspect.unwrap_or(ASPECT),
        Projection::Orthographic { xmag_m, ymag_m, .. } => xmag_m / ymag_m,
    }
}
