//! Text to tokens and back.

use maquette_train::token_set::TokenSet;
use maquette_train::tokens::{Token, Tokenizer};
use maquette_train::word_pieces::WordPieces;
use rl_protocol::ToolSpec;
use serde_json::json;
use std::collections::BTreeMap;

fn pieces(words: &[&str]) -> WordPieces {
    WordPieces::new(words.iter().map(ToString::to_string))
}

#[test]
fn any_text_comes_back_from_its_tokens() {
    let vocabulary = pieces(&["box", "Kästchen", "🪑", "\"name\"", " "]);
    for text in ["", "a box", "Kästchen\0\n🪑🛋️", "\u{10FFFF}é\u{FEFF}\u{7f}", "\"name\":\"box\"", "boboxbo"] {
        let tokens = vocabulary.encode(text);
        assert_eq!(vocabulary.decode(&tokens), text);
        assert!(tokens.iter().all(|&token| (token as usize) < vocabulary.vocab_size()));
    }
    let every: String = (0..=0x2FF).chain(0xFFF0..=0x1_000F).filter_map(char::from_u32).collect();
    assert_eq!(vocabulary.decode(&vocabulary.encode(&every)), every);
}

#[test]
fn the_longest_piece_that_fits_is_read() {
    let vocabulary = pieces(&["ab", "abc", "c", "bcd"]);
    let [ab, abc, bcd] = [260, 261, 262];
    let byte = |byte: u8| 4 + Token::from(byte);
    assert_eq!(vocabulary.encode("abcd"), [abc, byte(b'd')]);
    assert_eq!(vocabulary.encode("abbcdab"), [ab, bcd, ab]);
    assert_eq!(vocabulary.encode("cb"), [byte(b'c'), byte(b'b')]);
    assert_eq!(vocabulary.vocab_size(), 263, "c is a byte already");
}

#[test]
fn only_pieces_and_the_end_are_written() {
    let vocabulary = pieces(&["ab", "c"]);
    let writable: Vec<Token> = vocabulary.writable().iter().collect();
    assert_eq!(writable, [vocabulary.end(), 4 + Token::from(b'c'), 260]);
}

#[test]
fn special_tokens_stand_for_no_text() {
    let vocabulary = pieces(&["x"]);
    let markers = vocabulary.markers();
    let special = [vocabulary.end(), markers.task, markers.policy, markers.result];
    assert_eq!(special, [0, 1, 2, 3]);
    assert_eq!(vocabulary.decode(&special), "");
    assert_eq!(vocabulary.bytes_of(100_000), b"");
    let text = "<|end|>\0\u{1}\u{2}\u{3}";
    assert!(vocabulary.encode(text).iter().all(|token| !special.contains(token)));
}

#[test]
fn half_a_character_is_shown_as_such() {
    let vocabulary = pieces(&[]);
    let tokens = vocabulary.encode("é");
    assert_eq!(vocabulary.decode(&tokens[..1]), "\u{FFFD}");
}

#[test]
fn empty_repeated_and_endless_pieces_are_left_out() {
    let endless = "x".repeat(256);
    let vocabulary = WordPieces::new(["ab", "", "ab", endless.as_str(), "cd"].map(str::to_owned));
    assert_eq!(vocabulary.vocab_size(), 262);
    assert_eq!(vocabulary.decode(&[260, 261]), "abcd");
    assert_eq!(vocabulary.encode(&endless).len(), 256);
}

#[test]
fn a_vocabulary_is_kept_as_the_list_of_its_pieces() {
    let vocabulary = pieces(&["ab", "c", "🪑"]);
    let kept = serde_json::to_string(&vocabulary).unwrap();
    assert_eq!(kept, r#"["ab","c","🪑"]"#);
    assert_eq!(serde_json::from_str::<WordPieces>(&kept).unwrap(), vocabulary);
}

#[test]
fn names_of_tools_are_one_token_each() {
    let tool = ToolSpec {
        name: "node.create".into(),
        description: String::new(),
        arguments_schema: json!({
            "type": "object",
            "properties": {
                "shape": {"anyOf": [
                    {"type": "object", "properties": {"kind": {"const": "box"}}},
                    {"type": "object", "properties": {"kind": {"enum": ["plane", null]}}},
                ]},
                "enum": {"items": {"enum": ["a \"quoted\" one"]}, "description": "not a word"},
            },
        }),
        read_only: false,
        group: String::new(),
    };
    let narrowed = BTreeMap::from([("node.create".to_owned(), json!({"properties": {"parent": {"const": "n_1"}}}))]);
    let words = ["Make".to_owned(), " a".to_owned()];
    let vocabulary = WordPieces::for_tools(&[tool], &narrowed, &words);
    for name in ["name", "arguments", "node.create", "shape", "kind", "box", "plane", "enum", "a \"quoted\" one", "n_1"]
    {
        assert_eq!(vocabulary.encode(&json!(name).to_string()).len(), 1, "{name}");
    }
    assert_eq!(vocabulary.encode("Make a").len(), 2);
    assert!(vocabulary.encode("not a word").len() > 3);
    assert_eq!(vocabulary.encode("{\"name\":\"node.create\"}").len(), 5);
    let quote = vocabulary.encode("\"")[0];
    assert!(!vocabulary.writable().contains(quote), "a string that is begun could not be ended");
}

#[test]
fn sets_hold_what_they_were_made_of() {
    let set = TokenSet::of(70, [0, 31, 32, 69, 69, 70, 1000]);
    assert_eq!(set.iter().collect::<Vec<_>>(), [0, 31, 32, 69]);
    assert_eq!(set.count(), 4);
    assert_eq!(set.words(), [0x8000_0001_u32, 1, 0x20]);
    assert!(set.contains(69) && !set.contains(70) && !set.contains(4000));
    let other = TokenSet::of(64, [31, 33, 32]);
    assert_eq!(set.intersection(&other), TokenSet::of(64, [31, 32]));
}
