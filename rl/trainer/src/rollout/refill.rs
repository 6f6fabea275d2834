//! A member that the environment failed is played again from its start: the same task and seed, and so the same tokens.

use super::outcome::Failure;
use std::time::Duration;

/// Of one member, the first included; then it is dropped and counted.
const TRIES: u32 = 3;
const FIRST_DELAY: Duration = Duration::from_millis(50);
/// However long the server asks to wait.
const MAX_DELAY: Duration = Duration::from_secs(5);

/// How long to wait before the next try, after `tries` of them: doubled each time, or longer where the server asks for
/// it. `None` when there is no next one.
pub(super) fn delay(tries: u32, failure: &Failure) -> Option<Duration> {
    if !failure.retryable || tries >= TRIES {
        return None;
    }
    let own = FIRST_DELAY * 2_u32.pow(tries.saturating_sub(1));
    Some(own.max(failure.retry_after.unwrap_or_default()).min(MAX_DELAY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end() {
        let failure = Failure::odd("x");
        let delays: Vec<_> = (1..=3).map(|tries| delay(tries, &failure)).collect();
        assert_eq!(delays, [Some(Duration::from_millis(50)), Some(Duration::from_millis(100)), None]);
        let asked = |secs| Failure { retry_after: Some(Duration::from_secs(secs)), ..failure.clone() };
        assert_eq!(delay(1, &asked(2)), Some(Duration::from_secs(2)));
        assert_eq!(delay(1, &asked(60)), Some(MAX_DELAY));
        assert_eq!(delay(1, &Failure::task("x")), None);
    }
}
