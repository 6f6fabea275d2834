//! The scene domain behind `rl_protocol::Domain`.

mod episode;
mod history;
mod observation;
mod play;
mod score;
mod stills;

pub use play::play;

use crate::generate;
use crate::limits::Limits;
use crate::nearest::nearest;
use crate::reward::{Profile, judge, stand_alone_seed};
use crate::studio::Studio;
use crate::task::{SceneTask, TaskError};
use crate::tools::{Group, Groups, tools};
use crate::workspace::Workspace;
use async_trait::async_trait;
use episode::SceneEpisode;
use play::{delivered, replay, set_up};
use rl_protocol::{
    Body, Code, Content, Description, Domain, DomainError, Episode, Limit, OpenSpec, ProfileInfo, Reward, Subject,
    TaskInfo, ToolGroup, ToolSpec, compute,
};
use score::scored;
use std::sync::Arc;

const NAME: &str = "scene";
const DESCRIPTION: &str = "Build a 3D scene by tool calls; it is exported as GLB, read back, measured and rewarded. \
                           Metres, +Y up, right-handed, linear colour. Observations: task, history (what is new \
                           since a revision, in so many tokens), scene.json, scene.glb, and through the active camera \
                           preview.png by the reference rasteriser and ";
const PICTURES: &str = "beauty.png, ids.png, depth.png, normals.png by the renderer.";
const PICTURES_WITHOUT_RENDERER: &str = "ids.png, depth.png, normals.png likewise; beauty.png needs a renderer, which \
                                         this server lacks.";
const GLB: &str = "model/gltf-binary";
const GLTF: &str = "model/gltf+json";

/// Tasks, profiles, and a studio where pictures can be drawn. Episodes hold everything that changes.
pub struct SceneDomain {
    /// By id.
    tasks: Vec<Arc<SceneTask>>,
    profiles: Vec<Arc<Profile>>,
    studio: Option<Arc<dyn Studio>>,
}

impl SceneDomain {
    /// Without a renderer: no `render.still`, no `beauty.png`, no profile that needs one.
    ///
    /// # Errors
    /// A built-in task is faulty.
    pub fn new() -> Result<Self, TaskError> {
        Self::of(None)
    }

    /// # Errors
    /// A built-in task is faulty.
    pub fn with_studio(studio: Arc<dyn Studio>) -> Result<Self, TaskError> {
        Self::of(Some(studio))
    }

    fn of(studio: Option<Arc<dyn Studio>>) -> Result<Self, TaskError> {
        let usable = |profile: &Profile| studio.is_some() || !profile.needs_renderer();
        Ok(Self {
            tasks: SceneTask::built_in()?.into_iter().map(Arc::new).collect(),
            profiles: Profile::all().into_iter().filter(usable).map(Arc::new).collect(),
            studio,
        })
    }

    /// An episode's, before its first call.
    fn workspace(&self) -> Workspace {
        Workspace { has_renderer: self.studio.is_some(), ..Workspace::new(Limits::default()) }
    }

    /// One whose episode asks for these groups of tools.
    fn workspace_with(&self, tool_groups: &[String]) -> Result<Workspace, DomainError> {
        let mut groups = Groups::CORE;
        for name in tool_groups {
            groups = groups.with(Group::named(name).ok_or_else(|| unknown_group(name))?);
        }
        Ok(Workspace { groups, ..self.workspace() })
    }

    /// A listed one, or one that is generated from its id.
    fn task(&self, id: &str) -> Result<Arc<SceneTask>, DomainError> {
        let listed = self.tasks.iter().find(|task| task.id == id).cloned();
        listed.or_else(|| generate::by_id(id).map(Arc::new)).ok_or_else(|| {
            let known = self.tasks.iter().map(|task| task.id.as_str());
            DomainError::new(Code::NotFound, "TASK_NOT_FOUND", format!("there is no task {id:?}"))
                .field("task_id")
                .nearest(SceneTask::nearest_ids(id, known))
        })
    }

    /// In the order of their names.
    fn splits(&self) -> Vec<String> {
        let mut splits: Vec<String> = self.tasks.iter().map(|task| task.split.clone()).collect();
        splits.sort();
        splits.dedup();
        splits
    }

    /// The one asked for, else the task's own, else the one for files.
    fn profile(&self, asked: Option<&str>, task: Option<&SceneTask>) -> Result<Arc<Profile>, DomainError> {
        match asked {
            Some(id) => find_profile(&self.profiles, id),
            None => Ok(Arc::new(Profile::for_task(task))),
        }
    }
}

fn unknown_group(name: &str) -> DomainError {
    let known: Vec<&str> = Group::names().collect();
    let message = format!("there is no tool group {name:?}; there are {}", known.join(", "));
    DomainError::new(Code::InvalidArgument, "TOOL_GROUP_UNKNOWN", message)
        .field("tool_groups")
        .nearest(nearest(name, known))
}

fn find_profile(profiles: &[Arc<Profile>], id: &str) -> Result<Arc<Profile>, DomainError> {
    profiles.iter().find(|profile| profile.id == id).cloned().ok_or_else(|| {
        DomainError::new(Code::NotFound, "PROFILE_NOT_FOUND", format!("there is no profile {id:?}"))
            .field("profile")
            .nearest(nearest(id, profiles.iter().map(|profile| profile.id)))
    })
}

#[async_trait]
impl Domain for SceneDomain {
    async fn describe(&self) -> Result<Description, DomainError> {
        let has_renderer = self.studio.is_some();
        let pictures = if has_renderer { PICTURES } else { PICTURES_WITHOUT_RENDERER };
        Ok(Description {
            domain: NAME.into(),
            description: format!("{DESCRIPTION}{pictures}"),
            tools: tools(has_renderer)
                .map(|tool| ToolSpec {
                    name: tool.name.into(),
                    description: tool.description.into(),
                    arguments_schema: (tool.schema)(),
                    read_only: tool.read_only,
                    group: tool.group.name().into(),
                })
                .collect(),
            splits: self.splits(),
            profiles: self
                .profiles
                .iter()
                .map(|profile| ProfileInfo {
                    id: profile.id.into(),
                    description: profile.description.into(),
                    hash: profile.hash().to_vec(),
                })
                .collect(),
            limits: limits(&self.workspace()),
            tool_groups: Group::described()
                .map(|(name, description)| ToolGroup { name: name.into(), description: description.into() })
                .collect(),
        })
    }

    async fn tasks(&self, split: Option<&str>) -> Result<Vec<TaskInfo>, DomainError> {
        let splits = self.splits();
        if let Some(unknown) = split.filter(|split| !splits.iter().any(|known| known == split)) {
            let known = splits.iter().map(String::as_str);
            return Err(DomainError::new(Code::NotFound, "SPLIT_NOT_FOUND", format!("there is no split {unknown:?}"))
                .field("split")
                .nearest(nearest(unknown, known)));
        }
        let wanted = self.tasks.iter().filter(|task| split.is_none_or(|split| task.split == split));
        Ok(wanted
            .map(|task| TaskInfo {
                id: task.id.clone(),
                split: task.split.clone(),
                prompt: task.prompt.clone(),
                profile: task.profile.id.into(),
            })
            .collect())
    }

    async fn open(&self, spec: OpenSpec) -> Result<Vec<Box<dyn Episode>>, DomainError> {
        let task = self.task(&spec.task_id)?;
        let profile = self.profile(spec.profile.as_deref(), Some(&task))?;
        let workspace = self.workspace_with(&spec.tool_groups)?;
        let (profiles, studio) = (self.profiles.clone(), self.studio.clone());
        let workspace = if task.setup.is_empty() {
            set_up(workspace, &task)
        } else {
            let task = Arc::clone(&task);
            compute(move || set_up(workspace, &task)).await?
        };
        let episode = SceneEpisode::new(workspace, task, profile, profiles, spec.seed, studio);
        Ok((0..spec.count.max(1)).map(|_| Box::new(episode.clone()) as Box<dyn Episode>).collect())
    }

    async fn score(&self, subject: Subject, profile: Option<&str>) -> Result<Reward, DomainError> {
        match subject {
            Subject::Artifact { task_id, mime, data } => {
                let task = task_id.map(|id| self.task(&id)).transpose()?;
                let profile = self.profile(profile, task.as_deref())?;
                if mime != GLB && mime != GLTF {
                    let message = format!("{mime:?} cannot be scored; {GLB} and {GLTF} (without external files) can");
                    return Err(DomainError::new(Code::InvalidArgument, "MIME_UNKNOWN", message).field("mime"));
                }
                scored(self.studio.as_deref(), move || {
                    let seed = stand_alone_seed(task.as_deref(), &profile);
                    judge(&data, &|_| None, None, task.as_deref(), &profile, seed)
                })
                .await
            }
            Subject::CallLog { task_id, seed, calls, tool_groups } => {
                let task = self.task(&task_id)?;
                let profile = self.profile(profile, Some(&task))?;
                let workspace = self.workspace_with(&tool_groups)?;
                scored(self.studio.as_deref(), move || {
                    delivered(&replay(set_up(workspace, &task), &calls).workspace, &task, &profile, seed)
                })
                .await
            }
        }
    }

    /// Always: a studio that cannot draw says so to those who ask it for a picture, and most ask for none.
    async fn ready(&self) -> Result<(), DomainError> {
        Ok(())
    }
}

fn png(name: &str, data: Vec<u8>) -> Content {
    Content { name: name.into(), mime: "image/png".into(), body: Body::Data(data) }
}

fn limits(workspace: &Workspace) -> Vec<Limit> {
    let limits = &workspace.limits;
    let limit = |name: &str, value: f64, unit: &str| Limit { name: name.into(), value, unit: unit.into() };
    let mut listed = vec![
        limit("nodes", f64::from(limits.nodes), "nodes"),
        limit("depth", limits.depth as f64, "levels"),
        limit("triangles_per_mesh", limits.triangles_per_mesh as f64, "triangles"),
        limit("triangles", limits.triangles as f64, "triangles"),
        limit("materials", f64::from(limits.materials), "materials"),
        limit("lights", f64::from(limits.lights), "lights"),
        limit("cameras", f64::from(limits.cameras), "cameras"),
        limit("textures", f64::from(limits.textures), "textures"),
        limit("texture_bytes", limits.texture_bytes as f64, "bytes"),
        limit("coordinate", limits.coordinate_m, "m"),
        limit("extent_min", limits.extent_min_m, "m"),
        limit("calls", f64::from(limits.calls), "calls"),
        limit("request", limits.request_bytes as f64, "bytes"),
        limit("export", limits.export_bytes as f64, "bytes"),
    ];
    if workspace.has_renderer {
        listed.push(limit("pixels", limits.pixels as f64, "pixels"));
    }
    listed
}
