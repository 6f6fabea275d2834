//! One episode: a workspace, a task, and the reward at the end.

use super::observation::{known, observation, pass, prompt, to_draw};
use super::play::{Played, delivered, replay};
use super::score::scored;
use super::stills::draw;
use super::{find_profile, png};
use crate::reward::Profile;
use crate::studio::Studio;
use crate::task::SceneTask;
use crate::workspace::Workspace;
use async_trait::async_trait;
use rl_protocol::{
    Budget, Code, Content, DomainError, End, EndReason, Episode, ObserveOptions, Opening, Reward, StepOutcome,
    ToolCall, compute,
};
use std::sync::Arc;

#[derive(Clone)]
pub(super) struct SceneEpisode {
    workspace: Workspace,
    task: Arc<SceneTask>,
    profile: Arc<Profile>,
    profiles: Vec<Arc<Profile>>,
    /// The group's.
    seed: u64,
    studio: Option<Arc<dyn Studio>>,
    opening: Opening,
    /// Of the workspace, as the budget: forks take no time to measure it.
    state_hash: Vec<u8>,
    budget: Budget,
    ended: bool,
}

impl SceneEpisode {
    pub(super) fn new(
        workspace: Workspace,
        task: Arc<SceneTask>,
        profile: Arc<Profile>,
        profiles: Vec<Arc<Profile>>,
        seed: u64,
        studio: Option<Arc<dyn Studio>>,
    ) -> Self {
        let opening = Opening {
            observation: vec![prompt(&task, &workspace)],
            state_hash: workspace.scene.state_hash().0.to_vec(),
            budget: workspace.budget(),
            tool_groups: workspace.groups.names().map(str::to_owned).collect(),
        };
        let (state_hash, budget) = (opening.state_hash.clone(), opening.budget.clone());
        Self { workspace, task, profile, profiles, seed, studio, opening, state_hash, budget, ended: false }
    }

    fn running(&self) -> Result<(), DomainError> {
        if self.ended {
            let message = "the episode has ended; observe and score still work";
            return Err(DomainError::new(Code::FailedPrecondition, "EPISODE_ENDED", message));
        }
        Ok(())
    }

    async fn reward(&self, workspace: &Workspace, profile: Arc<Profile>) -> Result<Reward, DomainError> {
        let (workspace, task, seed) = (workspace.clone(), Arc::clone(&self.task), self.seed);
        scored(self.studio.as_deref(), move || delivered(&workspace, &task, &profile, seed)).await
    }

    async fn observation(&self, name: &str, options: ObserveOptions) -> Result<Content, DomainError> {
        let workspace = self.workspace.clone();
        if let (Some(pass), Some(studio)) = (pass(name), &self.studio) {
            let scene = workspace.scene.clone();
            let view = compute(move || to_draw(&workspace.scene, pass)).await??;
            return Ok(png(name, studio.still(scene, view, pass).await?.png));
        }
        let (name, task) = (name.to_owned(), Arc::clone(&self.task));
        let white_cd_m2 = self.profile.thresholds.white_cd_m2;
        compute(move || observation(&name, &workspace, &task, white_cd_m2, options)).await?
    }
}

#[async_trait]
impl Episode for SceneEpisode {
    fn opening(&self) -> &Opening {
        &self.opening
    }

    async fn step(&mut self, calls: Vec<ToolCall>) -> Result<StepOutcome, DomainError> {
        self.running()?;
        let (before, hash_before) = (self.workspace.clone(), self.state_hash.clone());
        let (mut played, state_hash) = compute(move || {
            let revision = before.revision;
            let played = replay(before, &calls);
            let is_same = played.workspace.revision == revision;
            let state_hash = if is_same { hash_before } else { played.workspace.scene.state_hash().0.to_vec() };
            (played, state_hash)
        })
        .await?;
        if let Some(studio) = &self.studio {
            draw(studio.as_ref(), &mut played).await?;
        }
        let Played { workspace, results, .. } = played;
        let end = end_of(&workspace);
        let reward = match end {
            Some(_) => Some(self.reward(&workspace, Arc::clone(&self.profile)).await?),
            None => None,
        };
        let budget = workspace.budget();
        // Nothing has changed where any of the above has failed.
        self.workspace = workspace;
        self.state_hash.clone_from(&state_hash);
        self.budget.clone_from(&budget);
        self.ended = end.is_some();
        Ok(StepOutcome { results, reward, end, state_hash, budget })
    }

    async fn fork(&mut self) -> Result<Box<dyn Episode>, DomainError> {
        self.running()?;
        let observation = self.opening.observation.clone();
        let opening = Opening {
            observation,
            state_hash: self.state_hash.clone(),
            budget: self.budget.clone(),
            tool_groups: self.opening.tool_groups.clone(),
        };
        Ok(Box::new(Self { opening, ..self.clone() }))
    }

    async fn observe(&mut self, want: &[String], options: ObserveOptions) -> Result<Vec<Content>, DomainError> {
        known(want)?;
        let mut contents = Vec::with_capacity(want.len());
        for name in want {
            contents.push(self.observation(name, options).await?);
        }
        Ok(contents)
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
