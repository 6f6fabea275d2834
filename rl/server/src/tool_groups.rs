//! Which groups of tools an episode is asked for, and what it then offers.

use anyhow::{Result, bail};
use rl_protocol::{Description, ToolSpec};
use std::convert::Infallible;

const ALL: &str = "all";

/// Of a command line, where people write a space after a comma.
pub(crate) fn group_name(text: &str) -> Result<String, Infallible> {
    Ok(text.trim().to_owned())
}

/// The groups to ask for, `all` for every one.
///
/// # Errors
/// There is no such group.
pub(crate) fn wanted(description: &Description, asked: &[String]) -> Result<Vec<String>> {
    let known: Vec<&str> = description.tool_groups.iter().map(|group| group.name.as_str()).collect();
    if let Some(unknown) = asked.iter().find(|group| *group != ALL && !known.contains(&group.as_str())) {
        bail!("there is no group of tools {unknown:?}; there are {}, and {ALL}", known.join(", "));
    }
    let all = asked.iter().any(|group| group == ALL);
    Ok(known.into_iter().filter(|group| all || asked.iter().any(|name| name == group)).map(str::to_owned).collect())
}

/// The tools of every episode and those of the groups that this one offers.
pub(crate) fn offered(description: &Description, groups: &[String]) -> Vec<ToolSpec> {
    let is_offered = |tool: &&ToolSpec| tool.group.is_empty() || groups.contains(&tool.group);
    description.tools.iter().filter(is_offered).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rl_protocol::Domain as _;
    use scene_api::SceneDomain;

    #[tokio::test]
    async fn groups_are_told_on_request() {
        let scene = SceneDomain::new().unwrap().describe().await.unwrap();
        let count = |groups: &[&str]| {
            let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
            let groups = wanted(&scene, &groups).map_err(|error| error.to_string())?;
            Ok::<usize, String>(offered(&scene, &groups).len())
        };
        let core = count(&[]).unwrap();
        assert!(core < count(&["place"]).unwrap() && count(&["place"]) < count(&["place", "query"]));
        assert_eq!(count(&["all"]), Ok(scene.tools.len()));
        let error = count(&["plaice"]).unwrap_err();
        assert!(error.contains("\"plaice\"") && error.contains("place"), "{error}");
    }
}
