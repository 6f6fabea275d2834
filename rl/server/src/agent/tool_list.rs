//! The tools that the model is told of, under names that endpoints take.

use super::chat::Call;
use crate::tool_names::{domain_name, wire_name};
use anyhow::{Result, bail, ensure};
use rl_protocol::{Description, ToolCall, ToolSpec};
use std::collections::BTreeMap;

const ALL: &str = "all";
const NAME_MAX_CHARS: usize = 64;

/// The groups to ask for.
///
/// # Errors
/// There is no such group.
pub(super) fn groups(description: &Description, asked: &[String]) -> Result<Vec<String>> {
    let known: Vec<&str> = description.tool_groups.iter().map(|group| group.name.as_str()).collect();
    if let Some(unknown) = asked.iter().find(|group| *group != ALL && !known.contains(&group.as_str())) {
        bail!("there is no group of tools {unknown:?}; there are {}, and {ALL}", known.join(", "));
    }
    let all = asked.iter().any(|group| group == ALL);
    Ok(known.into_iter().filter(|group| all || asked.iter().any(|name| name == group)).map(str::to_owned).collect())
}

/// Those of every episode and those of the groups that this one offers.
///
/// # Errors
/// Two tools would have one name.
pub(super) fn told(description: &Description, offered: &[String]) -> Result<Vec<ToolSpec>> {
    let is_told = |tool: &&ToolSpec| tool.group.is_empty() || offered.contains(&tool.group);
    let tools: Vec<ToolSpec> = description.tools.iter().filter(is_told).cloned().collect();
    check_names(&tools)?;
    Ok(tools)
}

fn check_names(tools: &[ToolSpec]) -> Result<()> {
    let mut taken = BTreeMap::new();
    for ToolSpec { name, .. } in tools {
        let wire = wire_name(name);
        ensure!(
            (1..=NAME_MAX_CHARS).contains(&wire.len()),
            "endpoints take names of 1 to {NAME_MAX_CHARS} characters for a tool, not {name:?}"
        );
        if let Some(other) = taken.insert(wire, name) {
            bail!("the tools {other:?} and {name:?} would have one name for the endpoint");
        }
    }
    Ok(())
}

/// The call as the domain takes it. A tool that the model was not told of keeps its name on the wire, so that the
/// domain refuses it, in words that help the model.
pub(super) fn domain_call(call: &Call, tools: &[ToolSpec]) -> ToolCall {
    let wire = wire_name(&call.name);
    let name = domain_name(&wire, tools).unwrap_or(&wire).to_owned();
    ToolCall { name, arguments_json: call.arguments_json.clone() }
}

/// Whether a call may change the episode; an unknown tool changes nothing.
pub(super) fn is_risky(call: &ToolCall, tools: &[ToolSpec]) -> bool {
    tools.iter().any(|tool| tool.name == call.name && !tool.read_only)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rl_protocol::Domain as _;
    use scene_api::SceneDomain;

    async fn scene() -> Description {
        SceneDomain::new().unwrap().describe().await.unwrap()
    }

    fn spec(name: &str) -> ToolSpec {
        let (description, group) = (String::new(), String::new());
        ToolSpec { name: name.into(), description, arguments_schema: true.into(), read_only: true, group }
    }

    #[tokio::test]
    async fn groups_are_told_on_request() {
        let scene = scene().await;
        let count = |groups: &[&str]| {
            let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
            let offered = super::groups(&scene, &groups).map_err(|error| error.to_string())?;
            told(&scene, &offered).map(|tools| tools.len()).map_err(|error| error.to_string())
        };
        let core = count(&[]).unwrap();
        assert!(core < count(&["place"]).unwrap() && count(&["place"]) < count(&["place", "query"]));
        assert_eq!(count(&["all"]), Ok(scene.tools.len()));
        let error = count(&["plaice"]).unwrap_err();
        assert!(error.contains("\"plaice\"") && error.contains("place"), "{error}");
    }

    #[test]
    fn names_are_one_to_one() {
        assert!(check_names(&[spec("a.b_c"), spec("a_b_d")]).is_ok());
        let error = check_names(&[spec("a.b_c"), spec("a_b.c")]).unwrap_err().to_string();
        assert!(error.contains("\"a.b_c\" and \"a_b.c\""), "{error}");
        assert!(check_names(&[spec(&"x".repeat(65))]).is_err());
    }

    #[tokio::test]
    async fn calls_go_to_the_tools_that_the_model_was_told_of() {
        let tools = told(&scene().await, &[]).unwrap();
        for (given, expected, risky) in [
            ("node_create", "node.create", true),
            ("node.create", "node.create", true),
            ("scene_describe", "scene.describe", false),
            ("place.align", "place_align", false),
            ("paint", "paint", false),
        ] {
            let call = Call { id: "a".into(), name: given.into(), arguments_json: "{}".into() };
            let call = domain_call(&call, &tools);
            assert_eq!((call.name.as_str(), is_risky(&call, &tools)), (expected, risky), "{given}");
        }
    }
}
