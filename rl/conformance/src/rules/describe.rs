//! What a domain says of itself.

use super::{Verdict, described, ensure, misspelt, not_found};
use crate::Sample;
use rl_protocol::Domain;
use std::collections::BTreeSet;

pub(crate) async fn texts_are_given(domain: &dyn Domain) -> Verdict {
    let description = described(domain).await?;
    ensure(!description.domain.is_empty(), || "the domain has no name".into())?;
    ensure(!description.description.is_empty(), || "the domain has no description".into())?;
    ensure(!description.tools.is_empty(), || "there are no tools".into())?;
    ensure(!description.splits.is_empty(), || "there are no splits".into())?;
    ensure(!description.profiles.is_empty(), || "there are no reward profiles".into())?;
    let mut names = BTreeSet::new();
    for tool in &description.tools {
        ensure(!tool.name.is_empty(), || "a tool has no name".into())?;
        ensure(!tool.description.is_empty(), || format!("tool {} has no description", tool.name))?;
        ensure(names.insert(&tool.name), || format!("two tools are named {}", tool.name))?;
    }
    for profile in &description.profiles {
        let complete = !profile.id.is_empty() && !profile.description.is_empty() && !profile.hash.is_empty();
        ensure(complete, || format!("profile {:?} lacks id, description or hash", profile.id))?;
    }
    Ok(())
}

pub(crate) async fn schemas_are_objects(domain: &dyn Domain) -> Verdict {
    for tool in described(domain).await?.tools {
        let kind = tool.arguments_schema.get("type").and_then(|kind| kind.as_str());
        ensure(kind == Some("object"), || format!("the schema of {} is of type {kind:?}, not object", tool.name))?;
    }
    Ok(())
}

pub(crate) async fn tasks_are_listed(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let description = described(domain).await?;
    let tasks = domain.tasks(None).await.map_err(|error| format!("tasks: {error}"))?;
    ensure(tasks.iter().any(|task| task.id == sample.task_id), || format!("{} is not listed", sample.task_id))?;
    ensure(tasks.is_sorted_by(|left, right| left.id < right.id), || "tasks are not ordered by id".into())?;
    let mut in_splits = 0;
    for split in &description.splits {
        let of_split = domain.tasks(Some(split)).await.map_err(|error| format!("tasks of {split}: {error}"))?;
        ensure(of_split.iter().all(|task| task.split == *split), || format!("{split} lists tasks of other splits"))?;
        in_splits += of_split.len();
    }
    ensure(in_splits == tasks.len(), || format!("{} tasks in all, {in_splits} in the splits", tasks.len()))?;
    for task in &tasks {
        ensure(!task.prompt.is_empty(), || format!("task {} has no prompt", task.id))?;
        let known = description.profiles.iter().any(|profile| profile.id == task.profile);
        ensure(known, || format!("task {} has the unknown profile {:?}", task.id, task.profile))?;
    }
    Ok(())
}

/// The id says which domain to ask.
pub(crate) async fn task_ids_begin_with_the_domain(domain: &dyn Domain) -> Verdict {
    let prefix = format!("{}/", described(domain).await?.domain);
    let tasks = domain.tasks(None).await.map_err(|error| format!("tasks: {error}"))?;
    let stray = tasks.iter().find(|task| !task.id.starts_with(&prefix));
    stray.map_or(Ok(()), |task| Err(format!("the task id {:?} does not begin with {prefix}", task.id)))
}

pub(crate) async fn unknown_split_is_not_found(domain: &dyn Domain) -> Verdict {
    let splits = described(domain).await?.splits;
    let known = splits.first().ok_or("there are no splits")?;
    not_found("the tasks of an unknown split", domain.tasks(Some(&misspelt(known))).await, "split", known)
}

pub(crate) async fn it_is_ready(domain: &dyn Domain) -> Verdict {
    domain.ready().await.map_err(|error| error.to_string())
}
