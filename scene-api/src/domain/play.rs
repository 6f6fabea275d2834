//! Tool calls in, a scene and its reward out, without sessions.

use crate::limits::Limits;
use crate::reward::{Profile, score_glb};
use crate::task::SceneTask;
use crate::tools::call;
use crate::workspace::{Reply, Workspace};
use rl_protocol::{FailureClass, Reward, ToolCall, Unscorable};
use scene_document::gltf::{WriteError, write_glb};

/// Plays the calls on an empty scene and scores what they leave, submitted or not, by the task's own profile.
#[must_use]
pub fn play(task: &SceneTask, calls: &[ToolCall], seed: u64) -> (Workspace, Vec<Reply>, Reward) {
    let (workspace, replies) = replay(Workspace::new(Limits::default()), calls);
    let reward = delivered(&workspace, task, &Profile::for_task(Some(task)), seed);
    (workspace, replies, reward)
}

/// One reply per call; calls after the end are refused.
pub(super) fn replay(workspace: Workspace, calls: &[ToolCall]) -> (Workspace, Vec<Reply>) {
    calls.iter().fold((workspace, Vec::with_capacity(calls.len())), |(workspace, mut replies), step| {
        let (after, reply) = call(&workspace, &step.name, &step.arguments_json);
        replies.push(reply);
        (after, replies)
    })
}

/// Scores the scene as it is delivered: exported, and read back.
pub(super) fn delivered(workspace: &Workspace, task: &SceneTask, profile: &Profile, seed: u64) -> Reward {
    match write_glb(&workspace.scene) {
        Ok(glb) => score_glb(&glb, &|_| None, Some(task), profile, seed),
        Err(error) => Reward::unscorable(profile.id, unwritable(&error)),
    }
}

/// The tools admit nothing that cannot be written, so this is a fault of ours.
fn unwritable(error: &WriteError) -> Unscorable {
    Unscorable { class: FailureClass::Env, code: "EXPORT_FAILED".into(), message: error.to_string(), retryable: false }
}
