//! What every client is offered: tools, resources, and the task that its episode begins with.

use super::own_tools::OwnTool;
use crate::tool_groups;
use crate::tool_names::{ensure_told_apart, wire_name};
use anyhow::Result;
use rl_protocol::{Code, Description, Domain, DomainError, Episode, ObserveOptions, OpenSpec, ToolSpec};
use rmcp::model::{JsonObject, Resource, Tool, ToolAnnotations};
use serde_json::Value;
use std::sync::Arc;

pub(super) const URI_SCHEME: &str = "maquette://";
/// Observations that are resources where a domain has them: name, MIME type, what it is.
const OBSERVATIONS: [(&str, &str, &str); 2] = [
    ("task", "text/plain", "What is to be done in this episode"),
    ("scene.glb", "model/gltf-binary", "The scene as it stands, as a GLB"),
];

pub(super) struct Offer {
    domain: Arc<dyn Domain>,
    /// Of the first episode, and of each that does not name another.
    pub(super) task_id: String,
    tool_groups: Vec<String>,
    /// Of the domain, with and without a group.
    pub(super) tools: Vec<ToolSpec>,
    pub(super) resources: Vec<Resource>,
    pub(super) instructions: String,
}

impl Offer {
    /// Opens an episode to see that task and groups are there.
    pub(super) async fn new(domain: Arc<dyn Domain>, task_id: String, groups: &[String]) -> Result<Self> {
        let description = domain.describe().await?;
        let tool_groups = tool_groups::wanted(&description, groups)?;
        let (tools, resources, instructions) = (Vec::new(), Vec::new(), String::new());
        let mut offer = Self { domain, task_id, tool_groups, tools, resources, instructions };
        let mut episode = offer.open(None).await?;
        let offered = &episode.opening().tool_groups;
        offer.instructions = self::instructions(&description, &offer.task_id, offered);
        offer.tools = tool_groups::offered(&description, offered);
        let own = OwnTool::ALL.map(OwnTool::name);
        ensure_told_apart(offer.tools.iter().map(|tool| tool.name.as_str()).chain(own))?;
        for (name, mime, what) in OBSERVATIONS {
            let observed = episode.observe(&[name.to_owned()], ObserveOptions::default()).await;
            if observed.is_ok_and(|contents| !contents.is_empty()) {
                let resource = Resource::new(format!("{URI_SCHEME}{name}"), name);
                offer.resources.push(resource.with_mime_type(mime).with_description(what));
            }
        }
        Ok(offer)
    }

    /// An episode of this task, or (`None`) of the first one's.
    pub(super) async fn open(&self, task_id: Option<&str>) -> Result<Box<dyn Episode>, DomainError> {
        let spec = OpenSpec {
            task_id: task_id.unwrap_or(&self.task_id).to_owned(),
            count: 1,
            seed: 0,
            profile: None,
            tool_groups: self.tool_groups.clone(),
        };
        let opened = self.domain.open(spec).await?.pop();
        opened.ok_or_else(|| DomainError::new(Code::Internal, "NO_EPISODE", "the domain opened no episode"))
    }

    /// The domain's, then the server's own.
    pub(super) fn listed(&self) -> Vec<Tool> {
        let own = OwnTool::ALL.map(|tool| tool.listed(&self.task_id));
        self.tools.iter().map(listed).chain(own).collect()
    }
}

fn listed(spec: &ToolSpec) -> Tool {
    let mut hints = ToolAnnotations::new().read_only(spec.read_only).open_world(false);
    if spec.read_only {
        hints = hints.destructive(false);
    }
    let schema = object(spec.arguments_schema.clone());
    Tool::new(wire_name(&spec.name), spec.description.clone(), schema).with_annotations(hints)
}

pub(super) fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    }
}

fn instructions(description: &Description, task_id: &str, tool_groups: &[String]) -> String {
    let mut lines = vec![
        description.description.clone(),
        format!("The task is {task_id}: the prompt `task` and the resource {URI_SCHEME}task say what it asks for."),
        "A call that is refused changes nothing; its error names the argument, what is allowed, and the nearest names."
            .into(),
        format!("`{}` says what the state is worth, with evidence and fixes.", OwnTool::Reward.name()),
        format!(
            "A submitted episode takes no more calls; `{}` begins another, also of another task.",
            OwnTool::Restart.name()
        ),
    ];
    let missing = description.tool_groups.iter().filter(|group| !tool_groups.contains(&group.name));
    let missing: Vec<String> = missing.map(|group| format!("{} ({})", group.name, group.description)).collect();
    if !missing.is_empty() {
        let missing = missing.join(", ");
        lines.push(format!("Groups of tools that this server was started without (--groups): {missing}."));
    }
    lines.join("\n")
}
