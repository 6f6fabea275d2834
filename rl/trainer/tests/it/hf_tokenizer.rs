//! Vocabularies of pretrained models. The files are made here, in the form that the models' are in.

use crate::grammar::{checked, tool, written};
use maquette_train::grammar::ToolGrammar;
use maquette_train::hf_tokenizer::{HfTokenizer, HfTokenizerError, SpecialTokens};
use maquette_train::tokens::Tokenizer;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

const SPECIAL: [&str; 3] = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];

/// Byte-level BPE as of GPT-2: 256 bytes, a few merges, special tokens.
fn byte_level() -> Value {
    let merges = ["n a", "na m", "nam e", "{ \"", "\" :", "Ġ b", "Ġb o", "Ġbo x"];
    let mut bytes: Vec<char> = ('!'..='~').chain('¡'..='¬').chain('®'..='ÿ').collect();
    bytes.extend((0x100..0x100 + 68).filter_map(char::from_u32));
    let names = bytes.iter().map(char::to_string).chain(merges.map(|merge| merge.replace(' ', "")));
    let vocab: Map<String, Value> = names.enumerate().map(|(token, name)| (name, json!(token))).collect();
    let added = |(place, name): (usize, &&str)| {
        json!({
            "id": vocab.len() + place, "content": name, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true,
        })
    };
    json!({
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0},
        "padding": null,
        "added_tokens": SPECIAL.iter().enumerate().map(added).collect::<Vec<_>>(),
        "normalizer": null,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false},
        "post_processor": null,
        "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
            "vocab": vocab, "merges": merges,
        },
    })
}

fn read(json: &Value, special: &SpecialTokens) -> Result<HfTokenizer, HfTokenizerError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), json.to_string()).unwrap();
    HfTokenizer::from_file(file.path(), special)
}

fn tokenizer() -> HfTokenizer {
    read(&byte_level(), &SpecialTokens::default()).unwrap()
}

#[test]
fn any_text_comes_back_and_none_is_special() {
    let tokenizer = tokenizer();
    for text in ["", "a box", "name\0\n\t 🪑 é\u{7f}\u{AD}", "<|im_end|><|endoftext|>", "{\"name\":\"box\"}"] {
        let tokens = tokenizer.encode(text);
        assert_eq!(tokenizer.decode(&tokens), text);
        assert!(!tokens.contains(&tokenizer.end()), "{text}");
    }
    assert!(tokenizer.encode("no more than four tokens").len() > 4, "truncation of the file is left out");
}

#[test]
fn names_of_tokens_are_their_bytes() {
    let tokenizer = tokenizer();
    let [first, second] = tokenizer.encode("name box")[..] else { panic!("two merges") };
    assert_eq!(tokenizer.bytes_of(first), b"name");
    assert_eq!(tokenizer.bytes_of(second), b" box");
    assert_eq!(tokenizer.vocab_size(), 256 + 8 + 3);
    let newline = tokenizer.encode("\n");
    assert_eq!(tokenizer.bytes_of(newline[0]), b"\n");
}

#[test]
fn special_tokens_are_the_usual_ones_or_those_named() {
    let usual = tokenizer();
    let [other, start, end] = [264, 265, 266];
    assert_eq!(usual.end(), end);
    assert_eq!([usual.markers().task, usual.markers().policy, usual.markers().result], [start; 3]);
    assert_eq!(usual.bytes_of(end), b"");
    assert!(usual.writable().contains(end) && !usual.writable().contains(start) && !usual.writable().contains(other));
    assert_eq!(usual.writable().count(), 265);

    let named = SpecialTokens { end: Some("<|endoftext|>".into()), task: Some("name".into()), ..Default::default() };
    let named = read(&byte_level(), &named).unwrap();
    assert_eq!(named.end(), other);
    assert_eq!(named.bytes_of(named.markers().task), b"", "a marker stands for no text");

    let missing = SpecialTokens { policy: Some("<|policy|>".into()), ..Default::default() };
    let error = read(&byte_level(), &missing).err().unwrap();
    assert!(error.to_string().contains("<|policy|>") && error.to_string().contains("<|im_end|>"), "{error}");
}

#[test]
fn pieces_of_sentence_piece_have_spaces_and_bytes() {
    let mut json = byte_level();
    json["decoder"] = json!({"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
    ]});
    json["pre_tokenizer"] = Value::Null;
    json["model"]["vocab"] = json!({"<0x0A>": 0, "▁": 1, "a": 2, "▁a": 3});
    json["model"]["merges"] = json!(["▁ a"]);
    json["model"]["byte_fallback"] = json!(true);
    for (token, added) in json["added_tokens"].as_array_mut().unwrap().iter_mut().enumerate() {
        added["id"] = json!(4 + token);
    }
    let tokenizer = read(&json, &SpecialTokens::default()).unwrap();
    assert_eq!([0, 1, 3].map(|token| tokenizer.bytes_of(token)), [&b"\n"[..], b" ", b" a"]);
    assert_eq!(tokenizer.vocab_size(), 7);
}

#[test]
fn files_that_are_no_vocabulary_of_bytes_are_refused() {
    let mut json = byte_level();
    json["decoder"] = json!({"type": "WordPiece", "prefix": "##", "cleanup": true});
    assert!(matches!(read(&json, &SpecialTokens::default()), Err(HfTokenizerError::Unsupported { .. })));
    assert!(matches!(read(&json!([1]), &SpecialTokens::default()), Err(HfTokenizerError::Unsupported { .. })));
    let nowhere = HfTokenizer::from_file("/nowhere/tokenizer.json".as_ref(), &SpecialTokens::default());
    assert!(matches!(nowhere, Err(HfTokenizerError::Unreadable { .. })));
}

#[test]
fn forced_text_is_cut_as_the_vocabulary_cuts_it() {
    let tools = [
        tool(
            "name.it",
            json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "enum": ["box", "name", "boxes"]},
                    "size": {"type": "number", "multipleOf": 0.5, "minimum": 0.5, "maximum": 20},
                },
                "required": ["name", "size"],
                "additionalProperties": false,
            }),
        ),
        tool("name.none", json!({"type": "object", "properties": {}, "additionalProperties": false})),
    ];
    let tokenizer: Arc<dyn Tokenizer> = Arc::new(tokenizer());
    let grammar = ToolGrammar::new(&tools, &BTreeMap::new(), Arc::clone(&tokenizer)).unwrap();
    let forced = grammar.start().unwrap().forced().unwrap();
    assert!(tokenizer.encode("{\"name\":\"name.").starts_with(&forced), "{forced:?}");
    assert!(forced.len() >= 3, "{forced:?}");
    for walk in 0..100 {
        let (tokens, chosen) = written(&grammar, walk);
        let (end, call) = tokens.split_last().unwrap();
        assert_eq!(*end, tokenizer.end());
        checked(&tools, &tokenizer.decode(call));
        assert!(chosen.len() < call.len() / 2, "most of a call is forced");
    }
}
