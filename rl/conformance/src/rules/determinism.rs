//! The same calls from the same seed give the same bytes.

use super::{Played, Verdict, ensure, equal_rewards, opened, played};
use crate::Sample;
use rl_protocol::Domain;

pub(crate) async fn same_calls_same_bytes(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let (first, second) = (played(domain, sample).await?, played(domain, sample).await?);
    same(&first, &second)
}

/// `there` is the same domain in another process.
pub(crate) async fn here_as_there(here: &dyn Domain, there: &dyn Domain, sample: &Sample) -> Verdict {
    let (here, there) = (played(here, sample).await?, played(there, sample).await?);
    ensure(here.episode.opening() == there.episode.opening(), || "the openings differ".into())?;
    same(&here, &there)
}

pub(crate) async fn grouping_changes_nothing(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let singly = played(domain, sample).await?;
    let mut episode = opened(domain, sample).await?;
    let at_once = episode.step(sample.calls.clone()).await.map_err(|error| format!("step: {error}"))?;
    let singly_hash = singly.outcomes.last().map(|outcome| outcome.state_hash.as_slice());
    ensure(singly_hash == Some(at_once.state_hash.as_slice()), || "the state hashes differ".into())?;
    let reward = at_once.reward.ok_or("all calls in one step brought no reward")?;
    equal_rewards("one call a step and all in one", &singly.reward, &reward)
}

fn same(left: &Played, right: &Played) -> Verdict {
    for (index, (left, right)) in left.outcomes.iter().zip(&right.outcomes).enumerate() {
        ensure(left.state_hash == right.state_hash, || format!("step {}: the state hashes differ", index + 1))?;
        ensure(left.results == right.results, || {
            format!("step {}: the results differ:\n    {:?}\n    {:?}", index + 1, left.results, right.results)
        })?;
        ensure(left.budget == right.budget, || format!("step {}: the budgets differ", index + 1))?;
    }
    equal_rewards("two plays", &left.reward, &right.reward)
}
