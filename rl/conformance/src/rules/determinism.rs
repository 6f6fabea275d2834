//! The same calls from the same seed give the same bytes, and different states different ones.

use super::{Played, Verdict, ensure, equal_rewards, opened, parted, played, stepped};
use crate::Sample;
use rl_protocol::{Domain, Episode};

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

/// The opening, the state before the end and the end; those without a number are left out.
pub(crate) async fn states_that_score_differently_hash_differently(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let (before, last) = parted(sample)?;
    let mut episode = opened(domain, sample).await?;
    let hash = episode.opening().state_hash.clone();
    let mut states = vec![("the opening", hash, value("the opening", episode.as_mut()).await?)];
    for (what, calls) in [("the state before the end", before), ("the end", last)] {
        let outcome = stepped(what, episode.as_mut(), calls).await?;
        let value = value(what, episode.as_mut()).await?;
        for (earlier, hash, worth) in &states {
            let differ = worth.is_some() && value.is_some() && *worth != value;
            ensure(!differ || *hash != outcome.state_hash, || {
                format!("{earlier} is worth {worth:?} and {what} {value:?}, but their state hashes are equal")
            })?;
        }
        states.push((what, outcome.state_hash, value));
    }
    Ok(())
}

async fn value(what: &str, episode: &mut dyn Episode) -> Result<Option<f64>, String> {
    let reward = episode.score(None).await.map_err(|error| format!("score of {what}: {error}"))?;
    Ok(reward.value())
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
