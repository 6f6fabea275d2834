//! Vocabularies of pretrained models, from Hugging Face's `tokenizer.json`.

use crate::token_set::TokenSet;
use crate::tokens::{Markers, Token, Tokenizer};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Names that end a turn, and that begin one, in the vocabularies in use.
const ENDS: [&str; 4] = ["<|im_end|>", "</s>", "<|eot_id|>", "<|endoftext|>"];
const STARTS: [&str; 5] = ["<|im_start|>", "<s>", "<|start_header_id|>", "<|begin_of_text|>", "<|endoftext|>"];
/// More than any model has; a trie of tokens holds no more.
const VOCAB_SIZE_MOST: usize = (1 << 24) - 2;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HfTokenizerError {
    #[error("{}: {problem}", .path.display())]
    Unreadable { path: PathBuf, problem: String },
    #[error("{}: tokens are bytes in neither the form of GPT-2 (ByteLevel) nor that of SentencePiece (ByteFallback)", .path.display())]
    Unsupported { path: PathBuf },
    #[error("no token is {}; special ones are {}", .wanted.join(" or "), .special.join(", "))]
    NoToken { wanted: Vec<String>, special: Vec<String> },
}

/// Names of the tokens that frame a conversation; where none is given, the first of the usual ones that is there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpecialTokens {
    pub end: Option<String>,
    pub task: Option<String>,
    pub policy: Option<String>,
    pub result: Option<String>,
}

/// All tokens may be written but the special ones. Numbers that the file gives to no token stand for no text.
pub struct HfTokenizer {
    inner: tokenizers::Tokenizer,
    bytes: Vec<Vec<u8>>,
    writable: TokenSet,
    end: Token,
    markers: Markers,
}

impl HfTokenizer {
    /// Truncation and padding that the file may ask for are left out.
    pub fn from_file(path: &Path, special: &SpecialTokens) -> Result<Self, HfTokenizerError> {
        let unreadable = |problem: String| HfTokenizerError::Unreadable { path: path.to_owned(), problem };
        let file = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
        let json: Value = serde_json::from_slice(&file).map_err(|error| unreadable(error.to_string()))?;
        let spelling = Spelling::of(&json).ok_or_else(|| HfTokenizerError::Unsupported { path: path.to_owned() })?;
        let mut inner = tokenizers::Tokenizer::from_bytes(&file).map_err(|error| unreadable(error.to_string()))?;
        inner.with_padding(None);
        inner.with_truncation(None).map_err(|error| unreadable(error.to_string()))?;
        inner.set_encode_special_tokens(true);

        let size = inner.get_vocab(true).into_values().max().map_or(0, |last| last as usize + 1);
        if size > VOCAB_SIZE_MOST {
            return Err(unreadable(format!(
                "a token has number {}, at most {VOCAB_SIZE_MOST} tokens are read",
                size - 1
            )));
        }
        let added = inner.get_added_tokens_decoder();
        let mut bytes: Vec<Vec<u8>> = (0..size as Token)
            .map(|token| match added.get(&token) {
                Some(known) if known.special => Vec::new(),
                Some(known) => known.content.clone().into_bytes(),
                None => inner.id_to_token(token).map(|piece| spelling.bytes(&piece)).unwrap_or_default(),
            })
            .collect();

        let find = |wanted: &Option<String>, usual: &[&str]| {
            let names = wanted.as_deref().map_or_else(|| usual.to_vec(), |name| vec![name]);
            names.iter().find_map(|name| inner.token_to_id(name)).ok_or_else(|| {
                let known = added.values().filter(|known| known.special);
                let mut special: Vec<String> = known.map(|known| known.content.clone()).collect();
                special.sort_unstable();
                HfTokenizerError::NoToken { wanted: names.iter().map(ToString::to_string).collect(), special }
            })
        };
        let end = find(&special.end, &ENDS)?;
        let markers = Markers {
            task: find(&special.task, &STARTS)?,
            policy: find(&special.policy, &STARTS)?,
            result: find(&special.result, &STARTS)?,
        };
        for token in [end, markers.task, markers.policy, markers.result] {
            bytes[token as usize].clear();
        }
        let written = (0..size as Token).filter(|&token| token == end || !bytes[token as usize].is_empty());
        let writable = TokenSet::of(size, written);
        Ok(Self { inner, bytes, writable, end, markers })
    }
}

impl Tokenizer for HfTokenizer {
    fn vocab_size(&self) -> usize {
        self.bytes.len()
    }

    fn end(&self) -> Token {
        self.end
    }

    fn encode(&self, text: &str) -> Vec<Token> {
        // Vocabularies that fall back on bytes have no text that they cannot encode; others are not read.
        self.inner.encode(text, false).map(|encoding| encoding.get_ids().to_vec()).unwrap_or_default()
    }

    fn bytes_of(&self, token: Token) -> &[u8] {
        self.bytes.get(token as usize).map(Vec::as_slice).unwrap_or_default()
    }

    fn writable(&self) -> &TokenSet {
        &self.writable
    }

    fn markers(&self) -> Markers {
        self.markers
    }
}

/// How the names of a file's tokens stand for bytes.
enum Spelling {
    /// A character for each byte.
    ByteLevel(BTreeMap<char, u8>),
    /// Text with `▁` for a space, and `<0x0A>` for a byte.
    SentencePiece,
}

impl Spelling {
    fn of(json: &Value) -> Option<Self> {
        let decoder = json.get("decoder")?;
        let parts = decoder.get("decoders").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let has =
            |kind| parts.iter().chain([decoder]).any(|part| part.get("type").and_then(Value::as_str) == Some(kind));
        if has("ByteLevel") {
            Some(Self::ByteLevel(byte_of_char()))
        } else if has("ByteFallback") {
            Some(Self::SentencePiece)
        } else {
            None
        }
    }

    /// None where the name spells no bytes.
    fn bytes(&self, piece: &str) -> Vec<u8> {
        match self {
            Self::ByteLevel(byte_of) => {
                piece.chars().map(|char| byte_of.get(&char).copied()).collect::<Option<_>>().unwrap_or_default()
            }
            Self::SentencePiece => {
                let digits = piece.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>'));
                match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                    Some(byte) => vec![byte],
                    None => piece.replace('▁', " ").into_bytes(),
                }
            }
        }
    }
}

/// GPT-2's: printable Latin-1 characters stand for themselves, the other bytes in order for those from U+0100.
fn byte_of_char() -> BTreeMap<char, u8> {
    let mut next = 0x100;
    (0..=u8::MAX)
        .filter_map(|byte| {
            let code = if matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF) {
                u32::from(byte)
            } else {
                next += 1;
                next - 1
            };
            char::from_u32(code).map(|char| (char, byte))
        })
        .collect()
}
