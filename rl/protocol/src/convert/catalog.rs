//! Descriptions and tasks.

use super::InvalidField;
use crate::{Description, Limit, ProfileInfo, TaskInfo, ToolGroup, ToolSpec, wire};

impl From<Description> for wire::DescribeDomainResponse {
    fn from(description: Description) -> Self {
        Self {
            domain: description.domain,
            description: description.description,
            tools: description.tools.into_iter().map(Into::into).collect(),
            splits: description.splits,
            profiles: description.profiles.into_iter().map(Into::into).collect(),
            limits: description.limits.into_iter().map(Into::into).collect(),
            tool_groups: description.tool_groups.into_iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<wire::DescribeDomainResponse> for Description {
    type Error = InvalidField;

    fn try_from(reply: wire::DescribeDomainResponse) -> Result<Self, InvalidField> {
        Ok(Self {
            domain: reply.domain,
            description: reply.description,
            tools: reply.tools.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            splits: reply.splits,
            profiles: reply.profiles.into_iter().map(Into::into).collect(),
            limits: reply.limits.into_iter().map(Into::into).collect(),
            tool_groups: reply.tool_groups.into_iter().map(Into::into).collect(),
        })
    }
}

impl From<ToolSpec> for wire::Tool {
    fn from(tool: ToolSpec) -> Self {
        Self {
            name: tool.name,
            description: tool.description,
            arguments_schema_json: tool.arguments_schema.to_string(),
            read_only: tool.read_only,
            group: tool.group,
        }
    }
}

impl TryFrom<wire::Tool> for ToolSpec {
    type Error = InvalidField;

    fn try_from(tool: wire::Tool) -> Result<Self, InvalidField> {
        let arguments_schema = serde_json::from_str(&tool.arguments_schema_json)
            .map_err(|error| InvalidField::new("tools.arguments_schema_json", format!("{}: {error}", tool.name)))?;
        let wire::Tool { name, description, read_only, group, .. } = tool;
        Ok(Self { name, description, arguments_schema, read_only, group })
    }
}

impl From<ToolGroup> for wire::ToolGroup {
    fn from(group: ToolGroup) -> Self {
        Self { name: group.name, description: group.description }
    }
}

impl From<wire::ToolGroup> for ToolGroup {
    fn from(group: wire::ToolGroup) -> Self {
        Self { name: group.name, description: group.description }
    }
}

impl From<ProfileInfo> for wire::Profile {
    fn from(profile: ProfileInfo) -> Self {
        Self { id: profile.id, description: profile.description, hash: profile.hash }
    }
}

impl From<wire::Profile> for ProfileInfo {
    fn from(profile: wire::Profile) -> Self {
        Self { id: profile.id, description: profile.description, hash: profile.hash }
    }
}

impl From<Limit> for wire::Limit {
    fn from(limit: Limit) -> Self {
        Self { name: limit.name, value: limit.value, unit: limit.unit }
    }
}

impl From<wire::Limit> for Limit {
    fn from(limit: wire::Limit) -> Self {
        Self { name: limit.name, value: limit.value, unit: limit.unit }
    }
}

impl From<TaskInfo> for wire::Task {
    fn from(task: TaskInfo) -> Self {
        let TaskInfo { id, split, prompt, profile } = task;
        Self { id, split, prompt, profile }
    }
}

impl From<wire::Task> for TaskInfo {
    fn from(task: wire::Task) -> Self {
        let wire::Task { id, split, prompt, profile } = task;
        Self { id, split, prompt, profile }
    }
}
