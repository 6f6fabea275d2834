//! The scene domain: tools that build a scene, tasks that ask for one, and the reward that measures it.

mod change_log;
mod consequences;
mod difference;
mod domain;
mod examples;
mod generate;
mod history;
mod limits;
mod measured;
mod modelling;
mod nearest;
mod picture_work;
mod reward;
mod studio;
mod task;
mod told;
mod tolerances;
mod tool_error;
mod tools;
mod workspace;

pub use change_log::ChangeLog;
pub use domain::{SceneDomain, play};
pub use examples::{ExampleScene, RefusedExample, ToolExample, example_scenes};
pub use generate::{Generated, Level};
pub use history::History;
pub use limits::Limits;
pub use reward::{Profile, evidence_ids, score_glb, score_with, stand_alone_seed};
pub use studio::{Renderability, Still, StillPass, Studio};
pub use task::SceneTask;
pub use tool_error::{ErrorCode, ToolError};
pub use tools::{Group, Groups, ToolInfo, call, tools};
pub use workspace::Workspace;
