//! How long to wait before something is tried again.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
/// However long the other side asks for.
const LONGEST: Duration = Duration::from_secs(60);

/// What the other side asks for, else twice as long each time; `tries` counts those before.
pub(super) fn delay(tries: u32, asked_for: Option<Duration>) -> Duration {
    asked_for.unwrap_or_else(|| FIRST.saturating_mul(1 << tries.min(16))).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_a_bound() {
        let secs = [0, 1, 3, 20].map(|tries| delay(tries, None).as_secs_f64());
        assert_eq!(secs, [0.5, 1.0, 4.0, 60.0]);
        assert_eq!(delay(9, Some(Duration::ZERO)), Duration::ZERO);
        assert_eq!(delay(0, Some(Duration::MAX)), LONGEST);
    }
}
