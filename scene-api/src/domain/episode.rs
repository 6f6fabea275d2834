//! One episode: a workspace, a task, and the reward at the end.

use super::play::{delivered, replay};
use super::{GLB, find_profile};
use crate::nearest::nearest;
use crate::reward::Profile;
use crate::task::SceneTask;
use crate::workspace::Workspace;
use async_trait::async_trait;
use rl_protocol::{
    Body, Code, Content, DomainError, End, EndReason, Episode, Opening, Reward, StepOutcome, ToolCall, compute,
    compute_scoring,
};
use scene_document::gltf::write_glb;
use scene_raster::{RasterScene, View, depth_picture, id_picture, normal_picture, png_rgb, tonemapped};
use std::sync::Arc;

const OBSERVATIONS: [&str; 7] =
    ["task", "scene.json", "scene.glb", "preview.png", "ids.png", "depth.png", "normals.png"];
const PICTURE_WIDTH_PX: u32 = 512;
const PICTURE_HEIGHT_PX: u32 = 384;

#[derive(Debug, Clone)]
pub(super) struct SceneEpisode {
    workspace: Workspace,
    task: Arc<SceneTask>,
    profile: Arc<Profile>,
    profiles: Vec<Arc<Profile>>,
    /// The group's.
    seed: u64,
    opening: Opening,
    ended: bool,
}

impl SceneEpisode {
    pub(super) fn new(
        workspace: Workspace,
        task: Arc<SceneTask>,
        profile: Arc<Profile>,
        profiles: Vec<Arc<Profile>>,
        seed: u64,
    ) -> Self {
        let opening = Opening {
            observation: vec![prompt(&task, &workspace)],
            state_hash: workspace.scene.state_hash().0.to_vec(),
            budget: workspace.budget(),
        };
        Self { workspace, task, profile, profiles, seed, opening, ended: false }
    }

    async fn reward(&self, workspace: &Workspace, profile: Arc<Profile>) -> Result<Reward, DomainError> {
        let (workspace, task, seed) = (workspace.clone(), Arc::clone(&self.task), self.seed);
        compute_scoring(move || delivered(&workspace, &task, &profile, seed)).await
    }
}

#[async_trait]
impl Episode for SceneEpisode {
    fn opening(&self) -> &Opening {
        &self.opening
    }

    async fn step(&mut self, calls: Vec<ToolCall>) -> Result<StepOutcome, DomainError> {
        if self.ended {
            let message = "the episode has ended; observe and score still work";
            return Err(DomainError::new(Code::FailedPrecondition, "EPISODE_ENDED", message));
        }
        let workspace = self.workspace.clone();
        let (workspace, results, state_hash) = compute(move || {
            let (workspace, results) = replay(workspace, &calls);
            let state_hash = workspace.scene.state_hash().0.to_vec();
            (workspace, results, state_hash)
        })
        .await?;
        let end = end_of(&workspace);
        let reward = match end {
            Some(_) => Some(self.reward(&workspace, Arc::clone(&self.profile)).await?),
            None => None,
        };
        let budget = workspace.budget();
        self.workspace = workspace;
        self.ended = end.is_some();
        Ok(StepOutcome { results, reward, end, state_hash, budget })
    }

    async fn observe(&mut self, want: &[String]) -> Result<Vec<Content>, DomainError> {
        if let Some(unknown) = want.iter().find(|name| !OBSERVATIONS.contains(&name.as_str())) {
            let message = format!("there is no observation {unknown:?}; there are {}", OBSERVATIONS.join(", "));
            return Err(DomainError::new(Code::InvalidArgument, "OBSERVATION_UNKNOWN", message)
                .field("want")
                .nearest(nearest(unknown, OBSERVATIONS)));
        }
        let (workspace, task, want) = (self.workspace.clone(), Arc::clone(&self.task), want.to_vec());
        let white_cd_m2 = self.profile.thresholds.white_cd_m2;
        let observed = move || {
            let each = want.iter().map(|name| observation(name, &workspace, &task, white_cd_m2));
            each.collect::<Result<Vec<_>, _>>()
        };
        compute(observed).await?
    }

    async fn score(&mut self, profile: Option<&str>) -> Result<Reward, DomainError> {
        let profile = match profile {
            Some(id) => find_profile(&self.profiles, id)?,
            None => Arc::clone(&self.profile),
        };
        self.reward(&self.workspace, profile).await
    }
}

fn end_of(workspace: &Workspace) -> Option<End> {
    if workspace.submitted {
        return Some(End { terminated: true, truncated: false, reason: EndReason::Submitted });
    }
    workspace.has_ended().then_some(End { terminated: false, truncated: true, reason: EndReason::CallLimit })
}

/// What a model is told at the start.
fn prompt(task: &SceneTask, workspace: &Workspace) -> Content {
    let limits = &workspace.limits;
    let text = format!(
        "{}\n\nLimits: {} tool calls, {} nodes, {} triangles, {} lights, {} materials.\n",
        task.prompt.trim_end(),
        limits.calls,
        limits.nodes,
        limits.triangles,
        limits.lights,
        limits.materials
    );
    Content { name: "task".into(), mime: "text/plain".into(), body: Body::Text(text) }
}

fn observation(name: &str, workspace: &Workspace, task: &SceneTask, white_cd_m2: f64) -> Result<Content, DomainError> {
    let content = |mime: &str, body: Body| Content { name: name.into(), mime: mime.into(), body };
    match name {
        "scene.json" => Ok(content("application/json", Body::Text(workspace.scene.to_canonical_json()))),
        "scene.glb" => {
            let glb = write_glb(&workspace.scene)
                .map_err(|error| DomainError::new(Code::Internal, "EXPORT_FAILED", error.to_string()))?;
            Ok(content(GLB, Body::Data(glb)))
        }
        "preview.png" | "ids.png" | "depth.png" | "normals.png" => {
            Ok(content("image/png", Body::Data(picture(name, workspace, white_cd_m2)?)))
        }
        _ => Ok(prompt(task, workspace)),
    }
}

/// The reference rasteriser's picture through the active camera, with the scorer's exposure.
fn picture(name: &str, workspace: &Workspace, white_cd_m2: f64) -> Result<Vec<u8>, DomainError> {
    let baked = workspace.scene.bake();
    let camera = baked.active_camera.and_then(|index| baked.cameras.get(index)).or_else(|| baked.cameras.first());
    let Some(camera) = camera else {
        let message = "the scene has no camera to look through; add one with camera.add";
        return Err(DomainError::new(Code::FailedPrecondition, "NO_CAMERA", message).field("want"));
    };
    let (width, height) = (PICTURE_WIDTH_PX, PICTURE_HEIGHT_PX);
    let view = View { world_from_camera: camera.world_from_camera, projection: camera.projection, width, height };
    let raster = RasterScene::new(&baked);
    let frame = raster.frame(&view);
    let pixels = match name {
        "ids.png" => id_picture(&frame),
        "depth.png" => depth_picture(&frame),
        "normals.png" => normal_picture(&raster.shade(&view, &frame)),
        _ => tonemapped(&raster.light(&view, &frame), &frame, white_cd_m2),
    };
    png_rgb(width, height, &pixels)
        .map_err(|error| DomainError::new(Code::Internal, "PICTURE_FAILED", error.to_string()))
}
