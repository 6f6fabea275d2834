//! Tools that an episode asks for when it is opened.

use super::{Verdict, described, ensure, misspelt, refused, spec};
use crate::Sample;
use rl_protocol::{Code, Domain, OpenSpec, ToolCall, ToolResult};
use std::collections::BTreeSet;

pub(crate) async fn tools_are_of_groups_that_are_described(domain: &dyn Domain) -> Verdict {
    let description = described(domain).await?;
    let mut names = BTreeSet::new();
    for group in &description.tool_groups {
        let complete = !group.name.is_empty() && !group.description.is_empty();
        ensure(complete, || format!("the tool group {:?} lacks name or description", group.name))?;
        ensure(names.insert(group.name.as_str()), || format!("two tool groups are named {}", group.name))?;
    }
    let stray = description.tools.iter().find(|tool| !tool.group.is_empty() && !names.contains(tool.group.as_str()));
    stray.map_or(Ok(()), |tool| Err(format!("{} is of the group {:?}, which is not described", tool.name, tool.group)))
}

pub(crate) async fn an_unknown_one_is_refused(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let known = described(domain).await?.tool_groups.into_iter().next().map(|group| group.name);
    let unknown = misspelt(known.as_deref().unwrap_or("no_such_group"));
    let opened = domain.open(OpenSpec { tool_groups: vec![unknown], ..spec(sample, 1) }).await;
    let error = refused("opening with an unknown tool group", opened, &[Code::InvalidArgument])?;
    ensure(error.field == "tool_groups", || format!("the field is {:?}, not tool_groups", error.field))?;
    let offered = known.is_none_or(|known| error.nearest.contains(&known));
    ensure(offered, || format!("the group that was misspelt is not among the nearest {:?}", error.nearest))
}

/// A client learns at the opening which tools there are.
pub(crate) async fn those_asked_for_are_told(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let known: Vec<String> = described(domain).await?.tool_groups.into_iter().map(|group| group.name).collect();
    let opened = domain.open(OpenSpec { tool_groups: known.clone(), ..spec(sample, 1) }).await;
    let episode = opened.map_err(|error| format!("open: {error}"))?.pop().ok_or("no episode")?;
    let told = &episode.opening().tool_groups;
    ensure(told.len() == known.len() && known.iter().all(|name| told.contains(name)), || {
        format!("opened with the groups {known:?}, an episode says that it offers {told:?}")
    })
}

/// Without its group a tool is as unknown as one that does not exist.
pub(crate) async fn a_tool_is_offered_with_its_group_only(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let description = described(domain).await?;
    for group in description.tool_groups {
        let Some(tool) = description.tools.iter().find(|tool| tool.group == group.name) else { continue };
        let without = called(domain, sample, Vec::new(), &tool.name).await?;
        ensure(!without.ok, || format!("{} may be called without the group {}", tool.name, group.name))?;
        let with = called(domain, sample, vec![group.name.clone()], &tool.name).await?;
        let offered = with.ok || with.json["error"]["message"] != without.json["error"]["message"];
        ensure(offered, || format!("{} may not be called with the group {}", tool.name, group.name))?;
    }
    Ok(())
}

async fn called(
    domain: &dyn Domain,
    sample: &Sample,
    tool_groups: Vec<String>,
    tool: &str,
) -> Result<ToolResult, String> {
    let spec = OpenSpec { tool_groups, ..spec(sample, 1) };
    let mut episode = domain.open(spec).await.map_err(|error| format!("open: {error}"))?.pop().ok_or("no episode")?;
    let call = ToolCall { name: tool.to_owned(), arguments_json: "{}".into() };
    let outcome = episode.step(vec![call]).await.map_err(|error| format!("{tool}: {error}"))?;
    outcome.results.into_iter().next().ok_or_else(|| format!("{tool}: no result for one call"))
}
