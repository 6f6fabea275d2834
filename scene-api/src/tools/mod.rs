//! The tools: one file each, a table, and `call`, which runs one of them on a workspace.

mod arguments;
mod camera_add;
mod camera_look_at;
mod edits;
mod episode_submit;
mod label;
mod light_add;
mod look_at;
mod material_assign;
mod material_create;
mod mesh_add_primitive;
mod mesh_set_data;
mod node_create;
mod node_delete;
mod node_set_transform;
mod placement;
mod query_overlaps;
mod ranges;
mod references;
mod scene_create;
mod scene_describe;
mod scene_export;
mod schema;

use crate::consequences::consequences;
use crate::tool_error::{ErrorCode, ToolError};
use crate::workspace::{Reply, Workspace};
use scene_document::{Applied, Changed};
use serde_json::{Value, json};

/// One tool as a model sees it.
#[derive(Debug, Clone, Copy)]
pub struct ToolInfo {
    pub name: &'static str,
    pub description: &'static str,
    /// Changes neither scene nor episode.
    pub read_only: bool,
    /// JSON Schema of the arguments: an object, self-contained.
    pub schema: fn() -> Value,
    run: fn(&Workspace, &str) -> Result<Outcome, ToolError>,
}

/// What a tool did.
enum Outcome {
    Answer(Value),
    Edited { applied: Box<Applied>, result: Value },
    Submitted,
}

const TOOLS: [ToolInfo; 15] = [
    scene_create::TOOL,
    scene_describe::TOOL,
    node_create::TOOL,
    node_set_transform::TOOL,
    node_delete::TOOL,
    mesh_add_primitive::TOOL,
    mesh_set_data::TOOL,
    material_create::TOOL,
    material_assign::TOOL,
    light_add::TOOL,
    camera_add::TOOL,
    camera_look_at::TOOL,
    query_overlaps::TOOL,
    scene_export::TOOL,
    episode_submit::TOOL,
];

/// All tools, in the order in which a model is told of them.
#[must_use]
pub fn tools() -> &'static [ToolInfo] {
    &TOOLS
}

/// Runs one call. Pure. A refused call returns the workspace as it was but for `calls_used`; a successful one that is
/// not read-only counts one revision.
#[must_use]
pub fn call(workspace: &Workspace, name: &str, arguments_json: &str) -> (Workspace, Reply) {
    let mut after = workspace.clone();
    after.calls_used = after.calls_used.saturating_add(1);
    match attempt(workspace, name, arguments_json) {
        Ok(Outcome::Answer(result)) => {
            let json = accepted(&after, Vec::new(), result, &workspace.scene);
            (after, Reply { ok: true, json })
        }
        Ok(Outcome::Edited { applied, result }) => {
            let Applied { scene, changed } = *applied;
            after.scene = scene;
            after.revision += 1;
            let json = accepted(&after, ids(&changed), result, &workspace.scene);
            (after, Reply { ok: true, json })
        }
        Ok(Outcome::Submitted) => {
            after.submitted = true;
            after.revision += 1;
            let json = accepted(&after, Vec::new(), json!({"submitted": true}), &workspace.scene);
            (after, Reply { ok: true, json })
        }
        Err(error) => {
            let json = json!({"ok": false, "revision": after.revision, "error": error, "budget": budget(&after)});
            (after, Reply { ok: false, json })
        }
    }
}

fn attempt(workspace: &Workspace, name: &str, arguments_json: &str) -> Result<Outcome, ToolError> {
    if workspace.submitted {
        let message = "the episode was submitted; no call is taken after that";
        return Err(ToolError::new(ErrorCode::EpisodeOver, "", message));
    }
    if workspace.calls_used >= workspace.limits.calls {
        let message = format!("all {} calls of this episode are used", workspace.limits.calls);
        return Err(ToolError::new(ErrorCode::BudgetExhausted, "", message)
            .given(workspace.calls_used)
            .allowed(format!("at most {} calls", workspace.limits.calls)));
    }
    let (bytes, most) = (arguments_json.len(), workspace.limits.request_bytes);
    if bytes > most {
        let message = format!("the arguments are {bytes} bytes long; at most {most} are allowed");
        return Err(ToolError::new(ErrorCode::LimitExceeded, "", message)
            .given(bytes)
            .allowed(format!("at most {most} bytes")));
    }
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
        let names = TOOLS.map(|tool| tool.name);
        return Err(ToolError::unknown("", "tool", name, &names));
    };
    let outcome = (tool.run)(workspace, arguments_json)?;
    if let Outcome::Edited { applied, .. } = &outcome {
        workspace.limits.admit(&workspace.scene, &applied.scene)?;
    }
    Ok(outcome)
}

fn accepted(after: &Workspace, changed: Vec<String>, result: Value, before: &scene_document::Scene) -> Value {
    json!({
        "ok": true,
        "revision": after.revision,
        "changed": changed,
        "result": result,
        "consequences": consequences(before, &after.scene),
        "budget": budget(after),
    })
}

fn budget(workspace: &Workspace) -> Value {
    let left = workspace.budget();
    json!({"calls_left": left.calls_left, "triangles_left": left.triangles_left, "nodes_left": left.nodes_left})
}

fn ids(changed: &Changed) -> Vec<String> {
    let nodes = changed.nodes.iter().map(ToString::to_string);
    let meshes = changed.meshes.iter().map(ToString::to_string);
    let materials = changed.materials.iter().map(ToString::to_string);
    let lights = changed.lights.iter().map(ToString::to_string);
    let cameras = changed.cameras.iter().map(ToString::to_string);
    nodes.chain(meshes).chain(materials).chain(lights).chain(cameras).collect()
}
