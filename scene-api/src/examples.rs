//! For each tool one call that works and one that is refused: what pages show and tests play.

use rl_protocol::ToolCall;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

const SCENES: &str = include_str!("../../assets/tools.json");

/// A scene, and calls on it by the names of their tools; each is made on the scene as it is here.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleScene {
    /// What is in it, in Markdown.
    pub about: String,
    /// Makes it from nothing, in an episode with all groups of tools.
    pub setup: Vec<ToolCall>,
    pub tools: BTreeMap<String, ToolExample>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolExample {
    pub arguments: Value,
    pub refused: RefusedExample,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedExample {
    pub arguments: Value,
    /// Of the error, e.g. `OUT_OF_RANGE`.
    pub code: String,
    /// JSON pointer to what is wrong.
    pub pointer: String,
}

/// In the order in which they are numbered for readers.
///
/// # Errors
/// The file that is built in is not of this form.
pub fn example_scenes() -> serde_json::Result<Vec<ExampleScene>> {
    serde_json::from_str(SCENES)
}
