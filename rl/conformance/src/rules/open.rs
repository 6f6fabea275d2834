//! What Open promises.

use super::{Verdict, ensure, misspelt, not_found, profile, spec};
use crate::Sample;
use rl_protocol::{Domain, OpenSpec};

pub(crate) async fn unknown_task_is_not_found(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let spec = OpenSpec { task_id: misspelt(&sample.task_id), ..spec(sample, 1) };
    not_found("opening an unknown task", domain.open(spec).await, "task_id", &sample.task_id)
}

pub(crate) async fn unknown_profile_is_not_found(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let known = profile(domain).await?;
    let spec = OpenSpec { profile: Some(misspelt(&known)), ..spec(sample, 1) };
    not_found("opening with an unknown profile", domain.open(spec).await, "profile", &known)
}

pub(crate) async fn siblings_are_equal(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let siblings = domain.open(spec(sample, 3)).await.map_err(|error| format!("open: {error}"))?;
    ensure(siblings.len() == 3, || format!("{} episodes; 3 were asked for", siblings.len()))?;
    let same = siblings.windows(2).all(|pair| match pair {
        [left, right] => left.opening() == right.opening(),
        _ => true,
    });
    ensure(same, || "siblings do not open alike".into())?;
    ensure(siblings.iter().all(|sibling| !sibling.opening().state_hash.is_empty()), || "there is no state hash".into())
}

pub(crate) async fn siblings_are_apart(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let mut siblings = domain.open(spec(sample, 2)).await.map_err(|error| format!("open: {error}"))?;
    let [acting, idle] = siblings.as_mut_slice() else {
        return Err(format!("{} episodes; 2 were asked for", siblings.len()));
    };
    let calls = sample.calls.iter().take(1).cloned().collect();
    acting.step(calls).await.map_err(|error| format!("step: {error}"))?;
    let before = idle.opening().state_hash.clone();
    let after = idle.step(Vec::new()).await.map_err(|error| format!("a step without calls: {error}"))?;
    ensure(after.state_hash == before, || "a step of one sibling changed the other".into())
}
