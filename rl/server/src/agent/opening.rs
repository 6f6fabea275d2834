//! What the model is told before its first answer.

use super::chat;
use crate::observations::texts;
use crate::tool_names::{domain_name, wire_name};
use rl_protocol::{Budget, Description, Opening, ToolSpec};
use serde_json::Value;

/// Of the tool by which an episode is handed in, where a domain has one.
pub(super) const SUBMIT: &str = "episode.submit";

/// What the episode is, then what is to be done.
pub(super) fn messages(
    description: &Description,
    opening: &Opening,
    tools: &[ToolSpec],
    shows_pictures: bool,
) -> Vec<Value> {
    let mut messages =
        vec![chat::system(&rules(description, &opening.budget, tools)), chat::user(&texts(&opening.observation))];
    messages.extend(chat::pictures(&opening.observation).filter(|_| shows_pictures));
    messages
}

fn rules(description: &Description, budget: &Budget, tools: &[ToolSpec]) -> String {
    let (name, about) = (&description.domain, &description.description);
    let mut text = format!(
        "You do a task in the environment {name:?} by calling tools. {about}\n\
         You may make several calls at once; they are played in order. A refused call says why, and changes nothing \
         but the budget. {}",
        left(budget)
    );
    let dotted = tools.iter().find(|tool| wire_name(&tool.name) != tool.name);
    if let Some(ToolSpec { name, .. }) = dotted {
        text.push_str(&format!("\nTexts name the tool {} by its long name, {name}.", wire_name(name)));
    }
    if let Some(name) = domain_name(&wire_name(SUBMIT), tools) {
        text.push_str(&format!("\nWhen the work is done, call {}.", wire_name(name)));
    }
    text
}

fn left(budget: &Budget) -> String {
    let others = budget.left.iter().map(|limit| format!(", {} {}", limit.value, limit.name));
    format!("The budget: {} calls{}.", budget.calls_left, others.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rl_protocol::{Domain as _, OpenSpec};
    use scene_api::SceneDomain;

    #[tokio::test]
    async fn the_model_is_told_what_it_is_in_and_what_to_do() {
        let scene = SceneDomain::new().unwrap();
        let description = scene.describe().await.unwrap();
        let task_id = "scene/crate".into();
        let spec = OpenSpec { task_id, count: 1, seed: 0, profile: None, tool_groups: Vec::new() };
        let episode = scene.open(spec).await.unwrap().remove(0);
        let messages = messages(&description, episode.opening(), &description.tools, true);
        assert_eq!(messages.len(), 2);
        let [system, task] = [0, 1].map(|index| messages[index]["content"].as_str().unwrap());
        for expected in ["\"scene\"", "The budget: 200 calls, ", "triangles", "call episode_submit"] {
            assert!(system.contains(expected), "{system}");
        }
        assert!(task.contains("crate"), "{task}");
    }
}
