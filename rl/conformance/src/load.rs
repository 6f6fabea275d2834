//! Calls a second that many callers at once get answered. For measurements.

use std::{
    fmt,
    time::{Duration, Instant},
};

/// Not counted: until then connections and buffers find their size.
const WARM_UP: Duration = Duration::from_secs(1);
const ROUND: Duration = Duration::from_secs(1);
const ROUNDS: u32 = 5;

/// One caller's. It calls while this runs, and notes every answer.
#[derive(Debug, Clone)]
pub struct Stopwatch {
    begin: Instant,
    /// Each in its round, with the time that it took.
    answers: Vec<(u32, Duration)>,
}

impl Stopwatch {
    /// Runs for six seconds; clones run with it.
    #[must_use]
    pub fn start() -> Self {
        Self { begin: Instant::now(), answers: Vec::new() }
    }

    #[must_use]
    pub fn is_running(&self) -> bool {
        self.begin.elapsed() < WARM_UP + ROUND * ROUNDS
    }

    /// A call that was sent then has been answered now.
    pub fn note(&mut self, sent: Instant) {
        self.noted(self.begin.elapsed(), sent.elapsed());
    }

    /// `after_start` is when the answer came.
    fn noted(&mut self, after_start: Duration, took: Duration) {
        let Some(counted) = after_start.checked_sub(WARM_UP) else { return };
        if let Some(round) = (0..ROUNDS).find(|round| counted < ROUND * (round + 1)) {
            self.answers.push((round, took));
        }
    }
}

/// What all callers together got.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Answers a second in each round, sorted.
    per_sec: Vec<f64>,
    /// Sorted.
    took: Vec<Duration>,
}

impl Load {
    #[must_use]
    pub fn of(callers: &[Stopwatch]) -> Self {
        let answers = || callers.iter().flat_map(|caller| &caller.answers);
        let in_round = |round: u32| answers().filter(|(of, _)| *of == round).count() as f64 / ROUND.as_secs_f64();
        let mut per_sec: Vec<f64> = (0..ROUNDS).map(in_round).collect();
        per_sec.sort_by(f64::total_cmp);
        let mut took: Vec<Duration> = answers().map(|(_, took)| *took).collect();
        took.sort_unstable();
        Self { per_sec, took }
    }

    /// The median of the rounds.
    #[must_use]
    pub fn per_sec(&self) -> f64 {
        self.per_sec.get(self.per_sec.len() / 2).copied().unwrap_or_default()
    }

    fn took_ms(&self, percent: usize) -> f64 {
        self.took.get(self.took.len() * percent / 100).copied().unwrap_or_default().as_secs_f64() * 1e3
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = |rate: Option<&f64>| rate.copied().unwrap_or_default();
        let (least, most) = (bound(self.per_sec.first()), bound(self.per_sec.last()));
        let (median, p50_ms, p99_ms) = (self.per_sec(), self.took_ms(50), self.took_ms(99));
        write!(
            f,
            "{median:.0}/s (median of {ROUNDS} rounds, {least:.0}-{most:.0}), p50 {p50_ms:.2} ms, p99 {p99_ms:.2} ms"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_counted_after_the_warm_up() {
        let mut watch = Stopwatch::start();
        for (after_start_ms, took_ms) in
            [(999, 70), (1000, 1), (1999, 2), (2000, 3), (3500, 4), (3600, 5), (3700, 6), (5999, 7), (6000, 80)]
        {
            watch.noted(Duration::from_millis(after_start_ms), Duration::from_millis(took_ms));
        }
        let load = Load::of(&[watch.clone(), watch]);
        assert_eq!(load.per_sec, [0.0, 2.0, 2.0, 4.0, 6.0]);
        assert_eq!(load.per_sec(), 2.0);
        assert_eq!((load.took_ms(0), load.took_ms(50), load.took_ms(99)), (1.0, 4.0, 7.0));
        assert_eq!(Load::of(&[]).per_sec(), 0.0);
    }
}
