//! Names of tools for clients that take letters, digits, `_` and `-` only: `node.create` is called `node_create`.

use anyhow::{Result, bail};
use rl_protocol::ToolSpec;
use std::collections::BTreeMap;

/// Whatever else a name has becomes `_`.
pub(crate) fn wire_name(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' }).collect()
}

/// The tool that a client means by `node_create`, or by `node.create`.
pub(crate) fn domain_name<'a>(wire: &str, tools: &'a [ToolSpec]) -> Option<&'a str> {
    tools.iter().map(|tool| tool.name.as_str()).find(|name| *name == wire || wire_name(name) == wire)
}

/// Two tools of one name would be one to a client.
///
/// # Errors
/// Which two.
pub(crate) fn ensure_told_apart<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let mut taken = BTreeMap::new();
    for name in names {
        if let Some(other) = taken.insert(wire_name(name), name) {
            bail!("the tools {other:?} and {name:?} would have one name for a client");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rl_protocol::Domain as _;
    use scene_api::SceneDomain;

    #[test]
    fn what_clients_do_not_take_becomes_an_underscore() {
        assert_eq!(wire_name("mesh.add_primitive"), "mesh_add_primitive");
        assert_eq!(wire_name("a-b/c d.é1"), "a-b_c_d__1");
    }

    #[tokio::test]
    async fn every_tool_of_the_scene_is_found_by_its_name_on_the_wire() {
        let tools = SceneDomain::new().unwrap().describe().await.unwrap().tools;
        for tool in &tools {
            assert_eq!(domain_name(&wire_name(&tool.name), &tools), Some(tool.name.as_str()));
        }
        assert_eq!(domain_name("node.create", &tools), Some("node.create"));
        assert_eq!(domain_name("query_mesh.report", &tools), None);
        assert_eq!(domain_name("paint", &tools), None);
    }
}
