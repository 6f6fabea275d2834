//! Tool calls in, a scene and its reward out, without sessions.

use crate::limits::Limits;
use crate::reward::{Judged, Maker, Profile, judge};
use crate::task::SceneTask;
use crate::tools::{Group, Groups, Wanted, called};
use crate::workspace::Workspace;
use rl_protocol::{FailureClass, Reward, ToolCall, ToolResult, Unscorable};
use scene_document::NodeId;
use scene_document::gltf::{WriteError, write_glb};

/// Calls after the end that are still answered: as many as one step may bring.
const REFUSED_AT_MOST: usize = 64;

/// Plays the calls on the scene that the task starts from and scores what they leave, submitted or not, by the task's
/// own profile. Without a renderer: `render.still` is an unknown tool.
#[must_use]
pub fn play(task: &SceneTask, calls: &[ToolCall], seed: u64) -> (Workspace, Vec<ToolResult>, Reward) {
    let Played { workspace, results, .. } = replay(set_up(Workspace::new(Limits::default()), task), calls);
    let reward = delivered(&workspace, task, &Profile::for_task(Some(task)), seed).alone();
    (workspace, results, reward)
}

/// The workspace as an episode of the task starts. The scene is the set-up's; revisions and budgets are the episode's.
pub(super) fn set_up(workspace: Workspace, task: &SceneTask) -> Workspace {
    let limits = Limits { calls: task.calls, ..workspace.limits };
    let groups = task.tool_groups.iter().filter_map(|name| Group::named(name)).fold(workspace.groups, Groups::with);
    let scene = replay(workspace.clone(), &task.setup).workspace.scene;
    Workspace { scene, limits, groups, ..workspace }
}

/// What became of some calls: one result per call, and the pictures that results lack, by place.
pub(super) struct Played {
    pub(super) workspace: Workspace,
    pub(super) results: Vec<ToolResult>,
    pub(super) wanted: Vec<(usize, Box<Wanted>)>,
}

/// Calls after the end are refused, and those past what one step may bring are not played.
pub(super) fn replay(workspace: Workspace, calls: &[ToolCall]) -> Played {
    let mut played = Played { workspace, results: Vec::new(), wanted: Vec::new() };
    let mut refused = 0;
    for step in calls {
        if played.workspace.has_ended() {
            refused += 1;
            if refused > REFUSED_AT_MOST {
                break;
            }
        }
        let (after, result, wanted) = called(&played.workspace, &step.name, &step.arguments_json);
        played.workspace = after;
        played.wanted.extend(wanted.map(|wanted| (played.results.len(), wanted)));
        played.results.push(result);
    }
    played
}

/// Judges the scene as it is delivered: exported, and read back.
pub(super) fn delivered(workspace: &Workspace, task: &SceneTask, profile: &Profile, seed: u64) -> Judged {
    // The exporter writes nodes in the order of their ids.
    let ids: Vec<NodeId> = workspace.scene.nodes().keys().copied().collect();
    match write_glb(&workspace.scene) {
        Ok(glb) => {
            let maker = Maker { ids: &ids, groups: workspace.groups };
            judge(&glb, &|_| None, Some(maker), Some(task), profile, seed)
        }
        Err(error) => Judged::unscorable(profile, unwritable(&error)),
    }
}

/// The tools admit nothing that cannot be written, so this is a fault of ours.
fn unwritable(error: &WriteError) -> Unscorable {
    Unscorable { class: FailureClass::Env, code: "EXPORT_FAILED".into(), message: error.to_string(), retryable: false }
}
