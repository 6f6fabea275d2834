//! Sets of tokens, as masks of what may come next.

use crate::tokens::Token;
use std::sync::Arc;

/// 32 tokens to a word, the lowest bit first; cheap to clone, because each sampled token keeps the set it was drawn from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TokenSet(Arc<[u32]>);

impl TokenSet {
    #[must_use]
    pub fn new(words: Vec<u32>) -> Self {
        Self(words.into())
    }

    /// In a vocabulary of `vocab_size` tokens; those beyond it are left out.
    #[must_use]
    pub fn of(vocab_size: usize, tokens: impl IntoIterator<Item = Token>) -> Self {
        let mut words = vec![0_u32; vocab_size.div_ceil(32)];
        for token in tokens.into_iter().filter(|&token| (token as usize) < vocab_size) {
            words[token as usize / 32] |= 1 << (token % 32);
        }
        Self::new(words)
    }

    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.0
    }

    #[must_use]
    pub fn contains(&self, token: Token) -> bool {
        self.0.get(token as usize / 32).is_some_and(|word| (word >> (token % 32)) & 1 == 1)
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = Token> {
        self.0.iter().enumerate().filter(|(_, word)| **word != 0).flat_map(|(index, &word)| {
            (0..32_u32).filter(move |bit| (word >> bit) & 1 == 1).map(move |bit| index as Token * 32 + bit)
        })
    }

    /// As long as the shorter of both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(other.0.iter()).map(|(one, two)| one & two).collect())
    }
}
