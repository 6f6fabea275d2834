//! Which scenes render, as far as is known.

use scene_api::Renderability;
use std::collections::{BTreeMap, VecDeque};

/// Scenes remembered; the oldest is forgotten first.
const MOST: usize = 4096;

/// By the scene's hash.
#[derive(Default)]
pub(super) struct Answers {
    known: BTreeMap<[u8; 32], Renderability>,
    /// Oldest first, each once.
    order: VecDeque<[u8; 32]>,
}

impl Answers {
    pub(super) fn get(&self, hash: &[u8; 32]) -> Option<Renderability> {
        self.known.get(hash).copied()
    }

    pub(super) fn put(&mut self, hash: [u8; 32], renderability: Renderability) {
        if self.known.insert(hash, renderability).is_none() {
            self.order.push_back(hash);
        }
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(number: u32) -> [u8; 32] {
        let mut hash = [0; 32];
        hash[..4].copy_from_slice(&number.to_be_bytes());
        hash
    }

    #[test]
    fn the_oldest_answers_are_forgotten() {
        let mut answers = Answers::default();
        for number in 0..5000 {
            answers.put(hash(number), Renderability::Drawn);
            answers.put(hash(number), Renderability::Blank);
        }
        assert_eq!((answers.known.len(), answers.order.len()), (MOST, MOST));
        assert!(answers.get(&hash(5000 - 4097)).is_none());
        assert!(matches!(answers.get(&hash(5000 - 4096)), Some(Renderability::Blank)));
    }
}
