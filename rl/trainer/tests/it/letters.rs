//! A vocabulary of bytes: four special tokens, then one for each byte. A policy writes printable ASCII but the backslash.

use maquette_train::{
    token_set::TokenSet,
    tokens::{Markers, Token, Tokenizer},
};

pub(crate) const VOCAB_SIZE: usize = 260;
pub(crate) const MARKERS: Markers = Markers { task: 1, policy: 2, result: 3 };
pub(crate) const END: Token = 0;
const FIRST_BYTE: Token = 4;

pub(crate) struct Letters {
    bytes: Vec<Vec<u8>>,
    writable: TokenSet,
}

impl Letters {
    pub(crate) fn new() -> Self {
        let special = std::iter::repeat_n(Vec::new(), FIRST_BYTE as usize);
        let mut words = vec![0_u32; VOCAB_SIZE.div_ceil(32)];
        let letters = (b' '..=b'~').filter(|byte| *byte != b'\\').map(|byte| FIRST_BYTE + Token::from(byte));
        for token in std::iter::once(END).chain(letters) {
            words[token as usize / 32] |= 1 << (token % 32);
        }
        Self { bytes: special.chain((0..=u8::MAX).map(|byte| vec![byte])).collect(), writable: TokenSet::new(words) }
    }
}

impl Tokenizer for Letters {
    fn vocab_size(&self) -> usize {
        VOCAB_SIZE
    }

    fn end(&self) -> Token {
        END
    }

    fn encode(&self, text: &str) -> Vec<Token> {
        text.bytes().map(|byte| FIRST_BYTE + Token::from(byte)).collect()
    }

    fn decode(&self, tokens: &[Token]) -> String {
        let bytes: Vec<u8> = tokens.iter().flat_map(|token| self.bytes_of(*token)).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn bytes_of(&self, token: Token) -> &[u8] {
        self.bytes.get(token as usize).map_or(&[], Vec::as_slice)
    }

    fn writable(&self) -> &TokenSet {
        &self.writable
    }

    fn markers(&self) -> Markers {
        MARKERS
    }
}
