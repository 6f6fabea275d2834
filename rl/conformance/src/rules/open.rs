//! What Open promises.

use super::{NO_SUCH_PROFILE, Verdict, ensure, refused, spec};
use crate::Sample;
use rl_protocol::{Code, Domain, OpenSpec};

pub(crate) async fn unknown_task_is_not_found(domain: &dyn Domain) -> Verdict {
    let spec = OpenSpec { task_id: "no/such-task".into(), count: 1, seed: 0, profile: None };
    let error = refused("an unknown task", domain.open(spec).await, &[Code::NotFound])?;
    ensure(error.field == "task_id", || format!("the field is {:?}, not task_id", error.field))
}

pub(crate) async fn unknown_profile_is_refused(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let spec = OpenSpec { profile: Some(NO_SUCH_PROFILE.into()), ..spec(sample, 1) };
    refused("an unknown profile", domain.open(spec).await, &[Code::NotFound, Code::InvalidArgument]).map(drop)
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
    ensure(after.state_hash == before, || "a step of one sibling, or a step without calls, changed the other".into())
}
