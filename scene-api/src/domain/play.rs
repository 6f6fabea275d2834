//! Tool calls in, a scene and its reward out, without sessions.

use crate::limits::Limits;
use crate::reward::{Profile, score_exported};
use crate::task::SceneTask;
use crate::tools::call;
use crate::workspace::Workspace;
use rl_protocol::{FailureClass, Reward, ToolCall, ToolResult, Unscorable};
use scene_document::NodeId;
use scene_document::gltf::{WriteError, write_glb};

/// Calls after the end that are still answered: as many as one step may bring.
const REFUSED_AT_MOST: usize = 64;

/// Plays the calls on an empty scene and scores what they leave, submitted or not, by the task's own profile.
#[must_use]
pub fn play(task: &SceneTask, calls: &[ToolCall], seed: u64) -> (Workspace, Vec<ToolResult>, Reward) {
    let (workspace, results) = replay(Workspace::new(Limits::default()), calls);
    let reward = delivered(&workspace, task, &Profile::for_task(Some(task)), seed);
    (workspace, results, reward)
}

/// One result per call; calls after the end are refused, and those past what one step may bring are not played.
pub(super) fn replay(mut workspace: Workspace, calls: &[ToolCall]) -> (Workspace, Vec<ToolResult>) {
    let mut results = Vec::new();
    let mut refused = 0;
    for step in calls {
        if workspace.has_ended() {
            refused += 1;
            if refused > REFUSED_AT_MOST {
                break;
            }
        }
        let (after, result) = call(&workspace, &step.name, &step.arguments_json);
        workspace = after;
        results.push(result);
    }
    (workspace, results)
}

/// Scores the scene as it is delivered: exported, and read back.
pub(super) fn delivered(workspace: &Workspace, task: &SceneTask, profile: &Profile, seed: u64) -> Reward {
    // The exporter writes nodes in the order of their ids.
    let ids: Vec<NodeId> = workspace.scene.nodes().keys().copied().collect();
    match write_glb(&workspace.scene) {
        Ok(glb) => score_exported(&glb, &ids, task, profile, seed),
        Err(error) => Reward::unscorable(profile.id, unwritable(&error)),
    }
}

/// The tools admit nothing that cannot be written, so this is a fault of ours.
fn unwritable(error: &WriteError) -> Unscorable {
    Unscorable { class: FailureClass::Env, code: "EXPORT_FAILED".into(), message: error.to_string(), retryable: false }
}
