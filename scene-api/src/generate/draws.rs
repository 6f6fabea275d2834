//! What is drawn at random for a task: the extended output of BLAKE3 over (level, seed, index). There is no state that
//! another task could change, and no generator whose stream could.

/// Who sees a task: held-out ones have words and sizes that those for training never have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Split {
    Train,
    HeldOut,
}

impl Split {
    /// Even indices are for training.
    pub(super) fn of(index: u64) -> Self {
        if index.is_multiple_of(2) { Self::Train } else { Self::HeldOut }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::HeldOut => "held-out",
        }
    }
}

pub(super) struct Draws {
    pub(super) split: Split,
    /// Of the seed alone.
    seed_stream: blake3::OutputReader,
    /// The task's place among those of its split.
    rank: u64,
    stream: blake3::OutputReader,
}

impl Draws {
    pub(super) fn new(level: &str, seed: u64, index: u64) -> Self {
        let stream = |of: String| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(format!("maquette scene task {level} {seed} {of}").as_bytes());
            hasher.finalize_xof()
        };
        let seed_stream = stream("ranked".into());
        Self { split: Split::of(index), seed_stream, rank: index / 2, stream: stream(index.to_string()) }
    }

    /// One of 0 … `count` − 1, so that `count` tasks of one seed and split have each of them once. `count` is not 0.
    pub(super) fn ranked(&self, count: usize) -> usize {
        let mut stream = self.seed_stream.clone();
        let mut number = || {
            let mut bytes = [0; 8];
            stream.fill(&mut bytes);
            (u64::from_le_bytes(bytes) % count as u64) as usize
        };
        let (first, any) = (number(), number());
        let coprime = |step: &usize| greatest_common_divisor(*step, count) == 1;
        let step = (any.max(1)..=any.max(1) + count).find(coprime).unwrap_or(1);
        let rank = (self.rank % count as u64) as usize;
        ((first as u128 + rank as u128 * step as u128) % count as u128) as usize
    }

    /// One of 0 … `count` − 1; 0 where `count` is 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        let mut bytes = [0; 8];
        self.stream.fill(&mut bytes);
        ((u128::from(u64::from_le_bytes(bytes)) * count as u128) >> 64) as usize
    }

    /// Both ends included.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        let count = usize::try_from(high - low + 1).unwrap_or(0);
        low + i64::try_from(self.below(count)).unwrap_or(0)
    }

    /// `items` is not empty.
    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// One of the split's own; neither list is empty.
    pub(super) fn pick_own<T: Copy>(&mut self, train: &[T], held_out: &[T]) -> T {
        match self.split {
            Split::Train => self.pick(train),
            Split::HeldOut => self.pick(held_out),
        }
    }

    pub(super) fn shuffled<T>(&mut self, mut items: Vec<T>) -> Vec<T> {
        for last in (1..items.len()).rev() {
            let other = self.below(last + 1);
            items.swap(last, other);
        }
        items
    }

    /// A size in millimetres: whole centimetres within the range, which holds four or more. Those that leave 3 when
    /// divided by 4 are held out.
    pub(super) fn side_mm(&mut self, low_cm: i64, high_cm: i64) -> i64 {
        let any_cm = self.between(low_cm, high_cm);
        let rest = any_cm.rem_euclid(4);
        let own_cm = match self.split {
            Split::Train if rest == 3 => any_cm - 1,
            Split::Train => any_cm,
            Split::HeldOut if any_cm - rest + 3 > high_cm => any_cm - rest - 1,
            Split::HeldOut => any_cm - rest + 3,
        };
        own_cm * 10
    }
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ranks_have_each_number_once() {
        for count in [1, 2, 128, 384, 510] {
            let of = |seed: u64| -> Vec<usize> {
                (0..count as u64).map(|rank| Draws::new("size", seed, 2 * rank).ranked(count)).collect()
            };
            assert_eq!(of(0).into_iter().collect::<BTreeSet<_>>().len(), count);
            assert!(count < 100 || of(0) != of(1));
        }
    }

    #[test]
    fn the_same_place_gives_the_same_numbers_and_another_gives_others() {
        let numbers = |seed, index| {
            let mut draws = Draws::new("box", seed, index);
            (0..20).map(|_| draws.below(1_000_000)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1, 2), numbers(1, 2));
        assert_ne!(numbers(1, 2), numbers(2, 1));
        assert_ne!(numbers(1, 2), numbers(1, 3));
    }

    #[test]
    fn the_splits_share_no_size() {
        for index in 0..400 {
            let mut draws = Draws::new("box", 0, index);
            let side_mm = draws.side_mm(10, 17);
            let held_out = (side_mm / 10).rem_euclid(4) == 3;
            assert_eq!(held_out, draws.split == Split::HeldOut, "{side_mm}");
            assert!((90..=170).contains(&side_mm), "{side_mm}");
        }
    }

    #[test]
    fn shuffling_loses_nothing() {
        let mut draws = Draws::new("box", 0, 0);
        let mut shuffled = draws.shuffled((0..10).collect::<Vec<_>>());
        assert_ne!(shuffled, (0..10).collect::<Vec<_>>());
        shuffled.sort_unstable();
        assert_eq!(shuffled, (0..10).collect::<Vec<_>>());
    }
}
