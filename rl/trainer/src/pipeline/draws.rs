//! What a run draws at random besides tokens and weights: functions of the seed and a counter, so that nothing needs to
//! be remembered.

use crate::sampling::uniform;

const SOURCE: u64 = 2;
const TASK: u64 = 3;
const ENVIRONMENT: u64 = 4;
const SHUFFLE: u64 = 5;
const DEMONSTRATION: u64 = 6;

/// In [0, 1): which source the task of a group comes from, by the first number, and for a second choice, by the other.
pub(super) fn source(seed: u64, group: u64) -> [f64; 2] {
    [uniform(seed, SOURCE, group, 0), uniform(seed, SOURCE, group, 1)]
}

/// Which of a source's `count` tasks a group plays.
pub(super) fn task(seed: u64, group: u64, count: u64) -> u64 {
    below(uniform(seed, TASK, group, 0), count)
}

/// The seed of a group's environment.
#[must_use]
pub fn environment(seed: u64, group: u64) -> u64 {
    below(uniform(seed, ENVIRONMENT, group, 0), 1 << 53)
}

/// Which of `count` demonstrations is the `index`th of a batch.
#[must_use]
pub fn demonstration(seed: u64, step: u64, index: u64, count: usize) -> usize {
    below(uniform(seed, DEMONSTRATION, step, index), count as u64) as usize
}

/// Fisher–Yates.
pub(super) fn shuffle(seed: u64, step: u64, values: &mut [f64]) {
    for last in (1..values.len()).rev() {
        let other = below(uniform(seed, SHUFFLE, step, last as u64), last as u64 + 1);
        values.swap(last, other as usize);
    }
}

/// Of 0..count, by a number in [0, 1).
fn below(draw: f64, count: u64) -> u64 {
    ((draw * count as f64) as u64).min(count.saturating_sub(1))
}
