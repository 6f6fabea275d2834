//! A vocabulary of whole words for small policies: one token for each name in a tool call, and bytes for all else.

use crate::token_set::TokenSet;
use crate::tokens::{Markers, Token, Tokenizer};
use rl_protocol::ToolSpec;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const END: Token = 0;
const MARKERS: Markers = Markers { task: 1, policy: 2, result: 3 };
const FIRST_BYTE: Token = 4;
/// Longer pieces would be names that nobody calls by; their bytes spell them.
const PIECE_BYTES_MOST: usize = 255;
/// What stands between the strings of compact JSON. The quote is not among it: see [`WordPieces::for_tools`].
const PUNCTUATION: [&str; 11] = ["{", "}", "[", "]", ",", ":", "-", ".", "true", "false", "null"];

/// Tokens are, in this order: end, task, policy, result, 256 bytes, pieces. Text is read by the longest piece that fits,
/// else by a byte. A policy writes pieces alone: there is one way to write a name. As JSON it is the list of its pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<String>", into = "Vec<String>")]
pub struct WordPieces {
    pieces: Vec<String>,
    bytes: Vec<Vec<u8>>,
    tokens: BTreeMap<Vec<u8>, Token>,
    piece_bytes_most: usize,
    writable: TokenSet,
}

impl WordPieces {
    /// Numbered in the order given. What is there already, empty or longer than 255 bytes is left out; a piece of one byte
    /// makes that byte writable.
    pub fn new(pieces: impl IntoIterator<Item = String>) -> Self {
        let mut bytes = vec![Vec::new(); FIRST_BYTE as usize];
        bytes.extend((0..=u8::MAX).map(|byte| vec![byte]));
        let mut tokens: BTreeMap<Vec<u8>, Token> =
            (0..=u8::MAX).map(|byte| (vec![byte], FIRST_BYTE + Token::from(byte))).collect();
        let mut kept = Vec::new();
        let mut seen = BTreeSet::new();
        let mut writable = vec![END];
        for piece in pieces {
            let spelled = piece.as_bytes();
            if spelled.is_empty() || spelled.len() > PIECE_BYTES_MOST || !seen.insert(piece.clone()) {
                continue;
            }
            let token = *tokens.entry(spelled.to_vec()).or_insert_with(|| {
                bytes.push(spelled.to_vec());
                (bytes.len() - 1) as Token
            });
            writable.push(token);
            kept.push(piece);
        }
        let piece_bytes_most = bytes.iter().map(Vec::len).max().unwrap_or(1);
        let writable = TokenSet::of(bytes.len(), writable);
        Self { pieces: kept, bytes, tokens, piece_bytes_most, writable }
    }

    /// Punctuation, digits, and each name, property and string of an enum or const in the tools' schemas and in what
    /// narrows them, as they stand in JSON with their quotes; then `words`, as they are, e.g. those of the prompts.
    ///
    /// Quotes alone are only read, so that no string is begun that cannot be ended: a policy writes whole strings, and a
    /// free one is any of those above. One that it shall write besides is a word with its quotes, e.g. `"n_1"`.
    pub fn for_tools(tools: &[ToolSpec], narrowed: &BTreeMap<String, Value>, words: &[String]) -> Self {
        let mut strings = BTreeSet::from(["name".to_owned(), "arguments".to_owned()]);
        for tool in tools {
            strings.insert(tool.name.clone());
            add_strings(&tool.arguments_schema, &mut strings);
            if let Some(schema) = narrowed.get(&tool.name) {
                add_strings(schema, &mut strings);
            }
        }
        let punctuation = PUNCTUATION.into_iter().map(str::to_owned);
        let digits = ('0'..='9').map(String::from);
        let quoted = strings.into_iter().map(|string| Value::String(string).to_string());
        Self::new(punctuation.chain(digits).chain(quoted).chain(words.iter().cloned()))
    }
}

/// What a value of `schema` may spell: names of properties, and strings of enums and consts.
fn add_strings(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            for (keyword, member) in members {
                match (keyword.as_str(), member) {
                    ("const" | "enum" | "required", literals) => add_literals(literals, found),
                    ("properties", Value::Object(properties)) => {
                        found.extend(properties.keys().cloned());
                        properties.values().for_each(|property| add_strings(property, found));
                    }
                    (_, other) => add_strings(other, found),
                }
            }
        }
        Value::Array(schemas) => schemas.iter().for_each(|schema| add_strings(schema, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn add_literals(literal: &Value, found: &mut BTreeSet<String>) {
    match literal {
        Value::String(string) => {
            found.insert(string.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| add_literals(item, found)),
        Value::Object(members) => {
            found.extend(members.keys().cloned());
            members.values().for_each(|member| add_literals(member, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl Tokenizer for WordPieces {
    fn vocab_size(&self) -> usize {
        self.bytes.len()
    }

    fn end(&self) -> Token {
        END
    }

    fn encode(&self, text: &str) -> Vec<Token> {
        let mut rest = text.as_bytes();
        let mut tokens = Vec::new();
        // Each byte has a token, so that something fits as long as there is a rest.
        while let Some((token, length)) = (1..=self.piece_bytes_most.min(rest.len()))
            .rev()
            .find_map(|length| self.tokens.get(&rest[..length]).map(|&token| (token, length)))
        {
            tokens.push(token);
            rest = &rest[length..];
        }
        tokens
    }

    fn bytes_of(&self, token: Token) -> &[u8] {
        self.bytes.get(token as usize).map(Vec::as_slice).unwrap_or_default()
    }

    fn writable(&self) -> &TokenSet {
        &self.writable
    }

    fn markers(&self) -> Markers {
        MARKERS
    }
}

impl From<Vec<String>> for WordPieces {
    fn from(pieces: Vec<String>) -> Self {
        Self::new(pieces)
    }
}

impl From<WordPieces> for Vec<String> {
    fn from(vocabulary: WordPieces) -> Self {
        vocabulary.pieces
    }
}
