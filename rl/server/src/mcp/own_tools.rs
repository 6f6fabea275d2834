//! The tools of this server beside the domain's.

use super::offer::object;
use crate::tool_names::wire_name;
use rl_protocol::{Code, DomainError};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy)]
pub(super) enum OwnTool {
    Reward,
    Restart,
}

impl OwnTool {
    pub(super) const ALL: [Self; 2] = [Self::Reward, Self::Restart];

    /// `episode.reward` too, as the domain's own are written.
    pub(super) fn named(name: &str) -> Option<Self> {
        let name = wire_name(name);
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Reward => "episode_reward",
            Self::Restart => "episode_restart",
        }
    }

    /// As a client is told of it; `task_id` is that of an episode that names none.
    pub(super) fn listed(self, task_id: &str) -> Tool {
        let hints = ToolAnnotations::new().open_world(false);
        let (description, properties, hints) = match self {
            Self::Reward => (
                "Scores the state as it stands: the number, its parts, and for each fault the place, the value and what \
                 would mend it. Costs no call of the budget."
                    .to_owned(),
                json!({}),
                hints.read_only(true).destructive(false),
            ),
            Self::Restart => (
                "Begins another episode; the state of this one is gone. Returns the prompt of its task.".to_owned(),
                json!({"task_id": {"type": "string", "description": format!("Id of a task; default {task_id}.")}}),
                hints.read_only(false).destructive(true),
            ),
        };
        let schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
        Tool::new(self.name(), description, object(schema)).with_annotations(hints)
    }
}

/// Of `episode_reward`, which takes none.
pub(super) fn no_arguments(arguments: &JsonObject) -> Result<(), DomainError> {
    only(arguments, &[])
}

/// Of `episode_restart`.
pub(super) fn task_argument(arguments: &JsonObject) -> Result<Option<String>, DomainError> {
    only(arguments, &["task_id"])?;
    match arguments.get("task_id") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(id)) => Ok(Some(id.clone())),
        Some(other) => Err(refused("task_id", format!("task_id is the id of a task, not {other}"), &[])),
    }
}

fn only(arguments: &JsonObject, known: &[&str]) -> Result<(), DomainError> {
    match arguments.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(refused(name, format!("there is no argument {name:?}"), known)),
        None => Ok(()),
    }
}

fn refused(name: &str, message: String, nearest: &[&str]) -> DomainError {
    let nearest = nearest.iter().map(|name| (*name).to_owned()).collect();
    DomainError::new(Code::InvalidArgument, "INVALID_ARGUMENT", message).field(name).nearest(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dotted_name_is_known_too() {
        assert!(matches!(OwnTool::named("episode.reward"), Some(OwnTool::Reward)));
        assert!(matches!(OwnTool::named("episode_restart"), Some(OwnTool::Restart)));
        assert!(OwnTool::named("episode.submit").is_none());
    }

    #[test]
    fn arguments_are_checked() {
        let of = |arguments: Value| task_argument(&object(arguments));
        assert_eq!(of(json!({})).unwrap(), None);
        assert_eq!(of(json!({"task_id": "scene/crate"})).unwrap().as_deref(), Some("scene/crate"));
        let misspelt = of(json!({"task": "scene/crate"})).unwrap_err();
        assert_eq!((misspelt.field.as_str(), misspelt.nearest), ("task", vec!["task_id".to_owned()]));
        assert_eq!(of(json!({"task_id": 7})).unwrap_err().field, "task_id");
        assert!(no_arguments(&object(json!({"task_id": null}))).is_err());
    }
}
