//! One call, with the way back where it may change something and the environment fails.

use super::backoff::delay;
use rl_protocol::{Code, DomainError, Episode, StepOutcome, ToolCall};
use std::time::Duration;
use tokio::time::sleep;

/// Plays the call; after a failure of the environment that may pass, goes back to the state before it and plays it
/// again, at most `retries` times. A refused call is a reply and no failure.
///
/// A fork is O(1), since states are immutable values with shared structure: a snapshot before every risky call copies
/// no scene, and to go back is to go on with the fork.
///
/// # Errors
/// What the environment said last.
pub(super) async fn played(
    episode: &mut Box<dyn Episode>,
    call: &ToolCall,
    is_risky: bool,
    retries: u32,
    say: &dyn Fn(&str),
) -> Result<StepOutcome, DomainError> {
    let mut snapshot = if is_risky { fork(episode, say).await } else { None };
    let mut tries = 0;
    loop {
        let error = match episode.step(vec![call.clone()]).await {
            Ok(outcome) => return Ok(outcome),
            Err(error) => error,
        };
        if tries == retries || !may_pass(error.code, snapshot.is_some()) {
            return Err(error);
        }
        let delay = delay(tries, error.retry_after_ms.map(Duration::from_millis));
        let way = if snapshot.is_some() { "rolled back, and tried" } else { "tried" };
        say(&format!("{}: the environment failed ({error}); {way} again in {:.1} s", call.name, delay.as_secs_f64()));
        sleep(delay).await;
        if let Some(before) = snapshot.take() {
            *episode = before;
            snapshot = fork(episode, say).await;
        }
        tries += 1;
    }
}

/// Without one the call is played all the same, since most failures leave the episode as it was.
async fn fork(episode: &mut Box<dyn Episode>, say: &dyn Fn(&str)) -> Option<Box<dyn Episode>> {
    match episode.fork().await {
        Ok(fork) => Some(fork),
        Err(error) => {
            say(&format!("no snapshot before the next call ({error})"));
            None
        }
    }
}

/// `Internal` has ended the episode; its fork goes on.
fn may_pass(code: Code, has_snapshot: bool) -> bool {
    match code {
        Code::Unavailable | Code::ResourceExhausted | Code::DeadlineExceeded => true,
        Code::Internal => has_snapshot,
        Code::InvalidArgument | Code::NotFound | Code::FailedPrecondition => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use rl_protocol::{Content, Domain as _, ObserveOptions, OpenSpec, Opening, Reward};
    use scene_api::SceneDomain;
    use serde_json::json;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    const CALLS: usize = 190;
    const FAILURES: u32 = 20;

    /// The scene's, but steps fail now and then: some are played and their reply is lost, some end the episode.
    struct Failing {
        inner: Box<dyn Episode>,
        is_broken: bool,
        /// Of all forks together.
        steps: Arc<AtomicU32>,
        failures: Arc<AtomicU32>,
    }

    #[async_trait]
    impl Episode for Failing {
        fn opening(&self) -> &Opening {
            self.inner.opening()
        }

        async fn step(&mut self, calls: Vec<ToolCall>) -> Result<StepOutcome, DomainError> {
            let step = self.steps.fetch_add(1, Ordering::SeqCst);
            let fails = step % 9 == 5 && self.failures.load(Ordering::SeqCst) < FAILURES;
            if !fails && !self.is_broken {
                return self.inner.step(calls).await;
            }
            self.inner.step(calls).await?;
            self.is_broken = true;
            self.failures.fetch_add(1, Ordering::SeqCst);
            let code = if step.is_multiple_of(2) { Code::Internal } else { Code::Unavailable };
            Err(DomainError::new(code, "INJECTED", "as planned").retry_after(0))
        }

        async fn fork(&mut self) -> Result<Box<dyn Episode>, DomainError> {
            let (steps, failures) = (Arc::clone(&self.steps), Arc::clone(&self.failures));
            Ok(Box::new(Self { inner: self.inner.fork().await?, is_broken: false, steps, failures }))
        }

        async fn observe(&mut self, want: &[String], options: ObserveOptions) -> Result<Vec<Content>, DomainError> {
            self.inner.observe(want, options).await
        }

        async fn score(&mut self, profile: Option<&str>) -> Result<Reward, DomainError> {
            self.inner.score(profile).await
        }
    }

    async fn scene() -> Box<dyn Episode> {
        let task_id = "scene/crate".into();
        let spec = OpenSpec { task_id, count: 1, seed: 0, profile: None, tool_groups: Vec::new() };
        SceneDomain::new().unwrap().open(spec).await.unwrap().remove(0)
    }

    fn failing(inner: Box<dyn Episode>) -> (Box<dyn Episode>, Arc<AtomicU32>) {
        let failures = Arc::new(AtomicU32::new(0));
        let steps = Arc::new(AtomicU32::new(0));
        (Box::new(Failing { inner, is_broken: false, steps, failures: Arc::clone(&failures) }), failures)
    }

    fn created(number: usize) -> ToolCall {
        let arguments_json = json!({ "name": format!("node_{number}") }).to_string();
        ToolCall { name: "node.create".into(), arguments_json }
    }

    #[tokio::test]
    async fn an_episode_with_failures_rolled_back_ends_as_the_undisturbed_one() {
        let mut undisturbed = scene().await;
        let (mut disturbed, failures) = failing(scene().await);
        for number in 0..CALLS {
            let expected = undisturbed.step(vec![created(number)]).await.unwrap();
            let outcome = played(&mut disturbed, &created(number), true, 2, &|_| {}).await.unwrap();
            assert_eq!((outcome.state_hash, outcome.budget), (expected.state_hash, expected.budget), "call {number}");
        }
        assert_eq!(failures.load(Ordering::SeqCst), FAILURES);
    }

    #[tokio::test]
    async fn failures_that_last_are_errors_and_what_ended_the_episode_needs_a_snapshot() {
        let (mut episode, failures) = failing(scene().await);
        for number in 0..5 {
            played(&mut episode, &created(number), true, 0, &|_| {}).await.unwrap();
        }
        let error = played(&mut episode, &created(5), true, 0, &|_| {}).await.unwrap_err();
        assert_eq!((&*error.reason, failures.load(Ordering::SeqCst)), ("INJECTED", 1));
        assert!(!may_pass(Code::Internal, false) && may_pass(Code::Internal, true));
        assert!(may_pass(Code::Unavailable, false) && !may_pass(Code::NotFound, true));
    }
}
