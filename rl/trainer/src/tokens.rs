//! What a policy reads and writes by.

use crate::token_set::TokenSet;

/// A token's place in its vocabulary.
pub type Token = u32;

/// Tokens that frame a conversation; a vocabulary may have one token for several of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Markers {
    /// Before a task's prompt.
    pub task: Token,
    /// Before a turn of the policy.
    pub policy: Token,
    /// Before what a tool answered.
    pub result: Token,
}

/// A vocabulary, and how text becomes tokens and tokens text. Markers and the end token are special: they stand for no
/// text, no text is read as one of them, and of these a policy writes the end token alone.
pub trait Tokenizer: Send + Sync {
    fn vocab_size(&self) -> usize;

    /// Ends a turn of the policy.
    fn end(&self) -> Token;

    /// Of any text.
    fn encode(&self, text: &str) -> Vec<Token>;

    /// Bytes that are no UTF-8 become `U+FFFD`.
    fn decode(&self, tokens: &[Token]) -> String {
        let bytes: Vec<u8> = tokens.iter().flat_map(|&token| self.bytes_of(token)).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// None of a special token and of one beyond the vocabulary.
    fn bytes_of(&self, token: Token) -> &[u8];

    /// What a policy may write, the end token among it; all else is only read.
    fn writable(&self) -> &TokenSet;

    fn markers(&self) -> Markers;
}
