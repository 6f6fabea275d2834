//! The tools: one file each, a table, and `call`, which runs one of them on a workspace.

mod animation_add_channel;
mod animation_create;
mod animation_delete;
mod animation_evaluate;
mod arguments;
mod axis;
mod batch_apply;
mod bearing;
mod camera_add;
mod camera_frame;
mod camera_look_at;
mod camera_set_active;
mod camera_update;
mod checkpoint_restore;
mod checkpoint_save;
mod copies;
mod edits;
mod episode_submit;
mod extension_factors;
mod extent;
mod factors;
mod fits;
mod framing;
mod group;
mod history_redo;
mod history_undo;
mod keys;
mod label;
mod lens;
mod light_add;
mod light_add_rig;
mod light_kind;
mod light_rigs;
mod light_set_environment;
mod light_update;
mod look_at;
mod material_assign;
mod material_create;
mod material_set_texture;
mod material_update;
mod mesh_add_extrusion;
mod mesh_add_lathe;
mod mesh_add_morph_target;
mod mesh_add_primitive;
mod mesh_add_sweep;
mod mesh_add_text;
mod mesh_apply_transform;
mod mesh_bevel;
mod mesh_boolean;
mod mesh_flip_normals;
mod mesh_merge_by_distance;
mod mesh_on_node;
mod mesh_recalculate_normals;
mod mesh_set_data;
mod mesh_subdivide;
mod mesh_unwrap;
mod motion;
mod node_array;
mod node_create;
mod node_delete;
mod node_duplicate;
mod node_mirror;
mod node_rename;
mod node_set_extras;
mod node_set_morph_weights;
mod node_set_parent;
mod node_set_transform;
mod node_set_visibility;
mod outcome;
mod place_against;
mod place_align;
mod place_distribute;
mod place_drop;
mod place_face;
mod place_on;
mod placement;
mod query_bounds;
mod query_distance;
mod query_lighting;
mod query_mesh_report;
mod query_overlaps;
mod query_raycast;
mod query_support;
mod query_visible;
mod ranges;
mod references;
mod render_still;
mod scene_create;
mod scene_describe;
mod scene_diff;
mod scene_export;
mod scene_filter;
mod schema;
mod seen;
mod shift;
mod solid;
mod target;
mod texture_create;
mod unique;

use crate::consequences::consequences;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::Workspace;
use outcome::{Done, Outcome, entered};
use rl_protocol::ToolResult;
use scene_document::Changed;
use serde_json::{Value, json};
use std::sync::LazyLock;

pub use group::{Group, Groups};
pub(crate) use render_still::Wanted;

/// One tool as a model sees it.
#[derive(Debug, Clone, Copy)]
pub struct ToolInfo {
    pub name: &'static str,
    pub group: Group,
    pub description: &'static str,
    /// Changes neither scene nor episode.
    pub read_only: bool,
    /// JSON Schema of the arguments: an object, self-contained.
    pub schema: fn() -> Value,
    /// The arguments fit the schema.
    run: fn(&Workspace, Value) -> Result<Outcome, ToolError>,
}

/// By group, in the order of `Group`.
static TOOLS: &[ToolInfo] = &[
    scene_create::TOOL,
    scene_describe::TOOL,
    node_create::TOOL,
    node_set_transform::TOOL,
    node_set_parent::TOOL,
    node_delete::TOOL,
    mesh_add_primitive::TOOL,
    mesh_set_data::TOOL,
    material_create::TOOL,
    material_assign::TOOL,
    light_add::TOOL,
    camera_add::TOOL,
    camera_look_at::TOOL,
    camera_frame::TOOL,
    camera_set_active::TOOL,
    place_on::TOOL,
    query_overlaps::TOOL,
    scene_export::TOOL,
    render_still::TOOL,
    episode_submit::TOOL,
    node_duplicate::TOOL,
    node_array::TOOL,
    node_mirror::TOOL,
    node_rename::TOOL,
    node_set_visibility::TOOL,
    node_set_extras::TOOL,
    mesh_add_lathe::TOOL,
    mesh_add_extrusion::TOOL,
    mesh_add_sweep::TOOL,
    mesh_add_text::TOOL,
    mesh_subdivide::TOOL,
    mesh_merge_by_distance::TOOL,
    mesh_recalculate_normals::TOOL,
    mesh_flip_normals::TOOL,
    mesh_apply_transform::TOOL,
    mesh_boolean::TOOL,
    mesh_bevel::TOOL,
    mesh_add_morph_target::TOOL,
    node_set_morph_weights::TOOL,
    material_update::TOOL,
    light_add_rig::TOOL,
    light_set_environment::TOOL,
    light_update::TOOL,
    camera_update::TOOL,
    place_against::TOOL,
    place_align::TOOL,
    place_distribute::TOOL,
    place_drop::TOOL,
    place_face::TOOL,
    query_bounds::TOOL,
    query_distance::TOOL,
    query_raycast::TOOL,
    query_support::TOOL,
    query_visible::TOOL,
    query_lighting::TOOL,
    query_mesh_report::TOOL,
    history_undo::TOOL,
    history_redo::TOOL,
    checkpoint_save::TOOL,
    checkpoint_restore::TOOL,
    scene_diff::TOOL,
    batch_apply::TOOL,
    animation_create::TOOL,
    animation_add_channel::TOOL,
    animation_delete::TOOL,
    animation_evaluate::TOOL,
    texture_create::TOOL,
    material_set_texture::TOOL,
    mesh_unwrap::TOOL,
];

static SCHEMAS: LazyLock<Vec<Value>> = LazyLock::new(|| TOOLS.iter().map(|tool| (tool.schema)()).collect());

/// The tools of a domain with or without a renderer, in the order in which a model is told of them.
pub fn tools(has_renderer: bool) -> impl Iterator<Item = &'static ToolInfo> {
    TOOLS.iter().filter(move |tool| has_renderer || tool.name != render_still::TOOL.name)
}

/// Those that the workspace's calls may name.
fn offered(workspace: &Workspace) -> impl Iterator<Item = &'static ToolInfo> {
    tools(workspace.has_renderer).filter(|tool| workspace.groups.has(tool.group))
}

/// Runs one call. Pure. A refused call returns the workspace as it was but for `calls_used` and `log`; a successful one
/// that is not read-only counts one revision (a batch only where one of its calls does). The result of `render.still`
/// lacks its picture.
#[must_use]
pub fn call(workspace: &Workspace, name: &str, arguments_json: &str) -> (Workspace, ToolResult) {
    let (after, result, _) = called(workspace, name, arguments_json);
    (after, result)
}

/// As `call`, with the picture that the result lacks.
pub(crate) fn called(
    workspace: &Workspace,
    name: &str,
    arguments_json: &str,
) -> (Workspace, ToolResult, Option<Box<Wanted>>) {
    let mut after = workspace.clone();
    after.calls_used = after.calls_used.saturating_add(1);
    let done = attempt(workspace, name, arguments_json).and_then(|outcome| carried_out(&mut after, outcome));
    after.log = match &done {
        Ok((json, _)) => after.log.taken(name, workspace, &after, &json["result"]),
        Err(error) => workspace.log.refused(name, after.revision, error),
    };
    let ok = done.is_ok();
    let (mut json, wanted) = done.unwrap_or_else(|error| (json!({ "error": error }), None));
    json["ok"] = json!(ok);
    json["revision"] = json!(after.revision);
    json["budget"] = budget(&after);
    (after, ToolResult { ok, json, contents: Vec::new() }, wanted)
}

fn attempt(workspace: &Workspace, name: &str, arguments_json: &str) -> Result<Outcome, ToolError> {
    if workspace.submitted {
        let message = "the episode was submitted; no call is taken after that";
        return Err(ToolError::new(ErrorCode::EpisodeOver, "", message).allowed("no further call"));
    }
    if workspace.has_ended() {
        let most = workspace.limits.calls;
        return Err(ToolError::new(
            ErrorCode::BudgetExhausted,
            "",
            format!("all {most} calls of this episode are used"),
        )
        .given(workspace.calls_used)
        .allowed(format!("at most {most} calls")));
    }
    let (bytes, most) = (arguments_json.len(), workspace.limits.request_bytes);
    if bytes > most {
        return Err(ToolError::limit("", "bytes of arguments", bytes as u64, most as u64));
    }
    let (tool, schema) = named(workspace, name)?;
    (tool.run)(workspace, arguments::checked(arguments_json, schema)?)
}

/// The tool of this name and the schema of its arguments.
///
/// # Errors
/// `NotFound`, also for a tool that the workspace does not offer.
fn named(workspace: &Workspace, name: &str) -> Result<(&'static ToolInfo, &'static Value), ToolError> {
    let offered: Vec<&str> = offered(workspace).map(|tool| tool.name).collect();
    let known = TOOLS.iter().zip(SCHEMAS.iter()).find(|(tool, _)| tool.name == name);
    known.filter(|(tool, _)| offered.contains(&tool.name)).ok_or_else(|| {
        let unknown = ToolError::unknown("", "tool", name, &offered);
        match known {
            Some((tool, _)) if tool.group != Group::Core && !workspace.groups.has(tool.group) => {
                unknown.allowed(format!("tools of this episode; {name} is of group {:?}", tool.group.name()))
            }
            _ => unknown,
        }
    })
}

/// Puts into the workspace what a tool did, unless a limit forbids it, and says what came of it and is yet to be drawn.
fn carried_out(after: &mut Workspace, outcome: Outcome) -> Result<(Value, Option<Box<Wanted>>), ToolError> {
    let before = after.scene.clone();
    let Done { changed, result, reshaped, wanted } = entered(after, outcome)?;
    let mut json = json!({"changed": ids(&changed), "result": result});
    if let Some(reshaped) = reshaped {
        json["consequences"] = json!(consequences(&before, &after.scene, &reshaped));
    }
    Ok((json, wanted))
}

/// As replies tell it.
pub(crate) fn budget(workspace: &Workspace) -> Value {
    let mut budget = json!({"calls_left": workspace.calls_left()});
    for (name, left) in workspace.left() {
        budget[format!("{name}_left")] = json!(left);
    }
    budget
}

fn ids(changed: &Changed) -> Vec<String> {
    let nodes = changed.nodes.iter().map(ToString::to_string);
    let meshes = changed.meshes.iter().map(ToString::to_string);
    let materials = changed.materials.iter().map(ToString::to_string);
    let lights = changed.lights.iter().map(ToString::to_string);
    let cameras = changed.cameras.iter().map(ToString::to_string);
    let animations = changed.animations.iter().map(ToString::to_string);
    let textures = changed.textures.iter().map(ToString::to_string);
    let skins = changed.skins.iter().map(ToString::to_string);
    let environment = changed.environment.then(|| "environment".to_owned());
    let looks = materials.chain(lights).chain(cameras);
    nodes.chain(meshes).chain(looks).chain(animations).chain(textures).chain(skins).chain(environment).collect()
}
