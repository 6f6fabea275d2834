//! The tools that the model is told of, under names that endpoints take.

use super::chat::Call;
use crate::tool_groups;
use crate::tool_names::{domain_name, ensure_told_apart, wire_name};
use anyhow::{Result, ensure};
use rl_protocol::{Description, ToolCall, ToolSpec};

/// What endpoints take.
pub(super) const NAME_MAX_CHARS: usize = 64;

/// What this episode offers.
///
/// # Errors
/// A name that endpoints do not take, or one for two tools.
pub(super) fn told(description: &Description, groups: &[String]) -> Result<Vec<ToolSpec>> {
    let tools = tool_groups::offered(description, groups);
    check_names(&tools)?;
    Ok(tools)
}

fn check_names(tools: &[ToolSpec]) -> Result<()> {
    for ToolSpec { name, .. } in tools {
        ensure!(
            (1..=NAME_MAX_CHARS).contains(&wire_name(name).len()),
            "endpoints take names of 1 to {NAME_MAX_CHARS} characters for a tool, not {name:?}"
        );
    }
    ensure_told_apart(tools.iter().map(|tool| tool.name.as_str()))
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

    fn spec(name: &str) -> ToolSpec {
        let (description, group) = (String::new(), String::new());
        ToolSpec { name: name.into(), description, arguments_schema: true.into(), read_only: true, group }
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
        let scene = SceneDomain::new().unwrap().describe().await.unwrap();
        let tools = told(&scene, &[]).unwrap();
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
