//! Names of tools as clients take them: many allow only `[a-zA-Z0-9_-]`, and ours have dots.

use rl_protocol::ToolSpec;

/// `node.create` → `node_create`.
pub(crate) fn wire_name(name: &str) -> String {
    name.replace('.', "_")
}

/// The tool that a client means by `node_create`, or by `node.create`.
pub(crate) fn domain_name<'a>(wire: &str, tools: &'a [ToolSpec]) -> Option<&'a str> {
    tools.iter().map(|tool| tool.name.as_str()).find(|name| *name == wire || wire_name(name) == wire)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_go_out_and_come_back() {
        let tools = ["scene.create", "query.mesh_report", "add"].map(|name| ToolSpec {
            name: name.into(),
            description: String::new(),
            arguments_schema: json!({}),
            read_only: false,
            group: String::new(),
        });
        assert_eq!(wire_name("query.mesh_report"), "query_mesh_report");
        for tool in &tools {
            assert_eq!(domain_name(&wire_name(&tool.name), &tools), Some(tool.name.as_str()));
            assert_eq!(domain_name(&tool.name, &tools), Some(tool.name.as_str()));
        }
        assert_eq!(domain_name("query_mesh.report", &tools), None);
    }
}
