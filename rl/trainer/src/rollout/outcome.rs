//! Whose failure it was. The policy's own is a zero; every other one is no number at all, and is counted.

use crate::trajectory::Outcome;
use rl_protocol::{Code, DomainError, FailureClass, Reward, Unscorable};
use std::time::Duration;

/// A failure that is not the policy's.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub class: FailureClass,
    pub what: String,
    /// Whether a fresh environment may do better.
    pub retryable: bool,
    /// What the server asks to wait before.
    pub retry_after: Option<Duration>,
}

impl Failure {
    /// Of a reply that breaks the protocol.
    pub(super) fn odd(what: impl Into<String>) -> Self {
        Self { class: FailureClass::Env, what: what.into(), retryable: true, retry_after: None }
    }

    /// Of an answer that did not come in time.
    pub(super) fn deadline(within: Duration) -> Self {
        let what = format!("no answer within {within:?}");
        Self { class: FailureClass::Deadline, what, retryable: true, retry_after: None }
    }

    /// Of a task that cannot be played as it is.
    pub(super) fn task(what: impl Into<String>) -> Self {
        Self { class: FailureClass::Task, what: what.into(), retryable: false, retry_after: None }
    }

    /// Opening: what the request names is not there, or the server could not.
    pub(super) fn of_open(error: DomainError) -> Self {
        let class = match error.code {
            Code::InvalidArgument | Code::NotFound | Code::FailedPrecondition => return Self::task(error.to_string()),
            Code::ResourceExhausted => FailureClass::Quota,
            Code::DeadlineExceeded => FailureClass::Deadline,
            Code::Unavailable => FailureClass::Infra,
            Code::Internal => FailureClass::Env,
        };
        Self::retried(class, &error)
    }

    /// Step and score: bad calls are results, so an error is never the policy's. A session that the server does not
    /// know or does not let go on is played again in a fresh one.
    pub(super) fn of_episode(error: DomainError) -> Self {
        let class = match error.code {
            Code::NotFound | Code::FailedPrecondition => FailureClass::Stale,
            Code::ResourceExhausted => FailureClass::Quota,
            Code::DeadlineExceeded => FailureClass::Deadline,
            Code::Unavailable => FailureClass::Infra,
            Code::InvalidArgument | Code::Internal => FailureClass::Env,
        };
        Self { retryable: error.code != Code::InvalidArgument, ..Self::retried(class, &error) }
    }

    fn retried(class: FailureClass, error: &DomainError) -> Self {
        let retry_after = error.retry_after_ms.map(Duration::from_millis);
        Self { class, what: error.to_string(), retryable: true, retry_after }
    }
}

/// A reward as an outcome. Only an absence of class POLICY is the policy's, and only that is a zero.
///
/// # Errors
/// Any other absence, and a number that is none in [0, 1].
pub fn outcome_of(reward: Reward) -> Result<Outcome, Failure> {
    match reward.outcome {
        rl_protocol::Outcome::Value(value) if (0.0..=1.0).contains(&value) => {
            let components = reward.components.into_iter().map(|component| (component.name, component.value)).collect();
            Ok(Outcome::Scored { reward: value, components })
        }
        rl_protocol::Outcome::Value(value) => {
            Err(Failure { retryable: false, ..Failure::odd(format!("a reward of {value} is not in [0, 1]")) })
        }
        rl_protocol::Outcome::Unscorable(Unscorable { class: FailureClass::Policy, code, message, .. }) => {
            Ok(Outcome::PolicyFailure { what: format!("{code}: {message}") })
        }
        rl_protocol::Outcome::Unscorable(Unscorable { class, code, message, retryable }) => {
            Err(Failure { class, what: format!("{code}: {message}"), retryable, retry_after: None })
        }
    }
}

/// As the protocol writes it.
pub(super) fn class_name(class: FailureClass) -> &'static str {
    match class {
        FailureClass::Policy => "POLICY",
        FailureClass::Task => "TASK",
        FailureClass::Env => "ENV",
        FailureClass::Verifier => "VERIFIER",
        FailureClass::Infra => "INFRA",
        FailureClass::Quota => "QUOTA",
        FailureClass::Deadline => "DEADLINE",
        FailureClass::Cancelled => "CANCELLED",
        FailureClass::Stale => "STALE",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn absent(class: FailureClass, retryable: bool) -> Reward {
        let (code, message) = ("NO_FILE".into(), "nothing was written".into());
        Reward::unscorable("p/1", Unscorable { class, code, message, retryable })
    }

    #[test]
    fn only_the_policys_own_failure_is_a_zero() {
        let what = "NO_FILE: nothing was written".to_owned();
        let outcome = outcome_of(absent(FailureClass::Policy, false)).unwrap();
        assert_eq!(outcome, Outcome::PolicyFailure { what: what.clone() });
        for (class, retryable) in [
            (FailureClass::Infra, true),
            (FailureClass::Env, true),
            (FailureClass::Verifier, false),
            (FailureClass::Deadline, true),
            (FailureClass::Quota, true),
            (FailureClass::Task, false),
        ] {
            let failure = outcome_of(absent(class, retryable)).unwrap_err();
            assert_eq!(failure, Failure { class, what: what.clone(), retryable, retry_after: None });
        }
    }

    #[test]
    fn a_reward_that_is_no_number_is_a_failure() {
        for value in [f64::NAN, f64::INFINITY, -0.1, 1.5] {
            let outcome = rl_protocol::Outcome::Value(value);
            let failure = outcome_of(Reward { outcome, ..absent(FailureClass::Env, true) }).unwrap_err();
            assert_eq!((failure.class, failure.retryable), (FailureClass::Env, false));
        }
    }

    #[test]
    fn errors_are_sorted_by_what_a_fresh_environment_may_do() {
        let error = |code: Code| DomainError::new(code, "R", "m").retry_after(1500);
        let quota = Failure::of_open(error(Code::ResourceExhausted));
        assert_eq!((quota.class, quota.retryable), (FailureClass::Quota, true));
        assert_eq!(quota.retry_after, Some(Duration::from_millis(1500)));
        let unknown = Failure::of_open(error(Code::NotFound));
        assert_eq!((unknown.class, unknown.retryable), (FailureClass::Task, false));
        let lost = Failure::of_episode(error(Code::NotFound));
        assert_eq!((lost.class, lost.retryable), (FailureClass::Stale, true));
        assert!(!Failure::of_episode(error(Code::InvalidArgument)).retryable);
    }
}
