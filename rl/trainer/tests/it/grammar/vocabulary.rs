//! Small vocabularies.

use maquette_train::token_set::TokenSet;
use maquette_train::tokens::{Markers, Token, Tokenizer};

pub(super) const END: Token = 0;

/// The end token, then pieces in their order; all are writable.
pub(super) struct Pieces {
    pieces: Vec<Vec<u8>>,
    writable: TokenSet,
}

impl Pieces {
    pub(super) fn new(words: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let pieces: Vec<Vec<u8>> = std::iter::once(Vec::new()).chain(words).collect();
        let mut writable = vec![0_u32; pieces.len().div_ceil(32)];
        for token in 0..pieces.len() {
            writable[token / 32] |= 1 << (token % 32);
        }
        Self { pieces, writable: TokenSet::new(writable) }
    }

    pub(super) fn words(words: &[&str]) -> Self {
        Self::new(words.iter().map(|word| word.as_bytes().to_vec()))
    }

    pub(super) fn bytes() -> Self {
        Self::new((0..=u8::MAX).map(|byte| vec![byte]))
    }

    /// Single bytes, and pieces that begin and end anywhere.
    pub(super) fn bytes_and(words: &[&str]) -> Self {
        let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
        Self::new(bytes.chain(words.iter().map(|word| word.as_bytes().to_vec())))
    }

    pub(super) fn token(&self, word: &str) -> Token {
        self.pieces.iter().position(|piece| piece == word.as_bytes()).unwrap() as Token
    }
}

impl Tokenizer for Pieces {
    fn vocab_size(&self) -> usize {
        self.pieces.len()
    }

    fn end(&self) -> Token {
        END
    }

    fn encode(&self, text: &str) -> Vec<Token> {
        text.chars().map(|letter| self.token(&letter.to_string())).collect()
    }

    fn decode(&self, tokens: &[Token]) -> String {
        let bytes: Vec<u8> = tokens.iter().flat_map(|token| self.bytes_of(*token).to_vec()).collect();
        String::from_utf8(bytes).unwrap()
    }

    fn bytes_of(&self, token: Token) -> &[u8] {
        &self.pieces[token as usize]
    }

    fn writable(&self) -> &TokenSet {
        &self.writable
    }

    fn markers(&self) -> Markers {
        Markers { task: END, policy: END, result: END }
    }
}
