//! What random policies write.

use super::schema_check::satisfies;
use super::vocabulary::Pieces;
use super::{all_arguments, all_values, checked, grammar_of, set, tool, written};
use maquette_train::grammar::{CallMatcher, ToolGrammar};
use maquette_train::tokens::{Token, Tokenizer};
use rl_protocol::ToolSpec;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn tools() -> Vec<ToolSpec> {
    let vector = json!({"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3});
    vec![
        tool(
            "mesh.add",
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "node": {"type": "string", "minLength": 1, "maxLength": 6, "description": "a name"},
                    "material": {"type": ["string", "null"], "enum": ["red", "dark red", "say \"hi\"", null]},
                    "shape": {"oneOf": [
                        {"type": "object", "additionalProperties": false, "required": ["kind", "size_m"], "properties": {
                            "kind": {"const": "box", "type": "string"},
                            "size_m": {"type": "array", "minItems": 3, "maxItems": 3,
                                "items": {"type": "number", "exclusiveMinimum": 0}}}},
                        {"type": "object", "additionalProperties": false, "required": ["kind", "radius_m", "rings"],
                            "properties": {
                                "kind": {"const": "sphere", "type": "string"},
                                "radius_m": {"type": "number", "exclusiveMinimum": 0, "maximum": 1.5},
                                "rings": {"type": "integer", "minimum": 2, "maximum": 128}}}
                    ]}
                },
                "required": ["node", "shape"]
            }),
        ),
        tool(
            "light.add",
            json!({
                "$defs": {"vector": vector},
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "at": {"anyOf": [{"$ref": "#/$defs/vector"}, {"type": "null"}]},
                    "color": {"type": ["array", "null"], "minItems": 3, "maxItems": 3,
                        "items": {"type": "number", "minimum": 0, "maximum": 1}},
                    "cast": {"type": "boolean"},
                    "count": {"type": "integer", "minimum": 1},
                    "intensity": {"allOf": [{"type": "number"}, {"minimum": 0}]}
                },
            }),
        ),
        tool(
            "list.set",
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "keys": {"type": "array", "maxItems": 4, "items": {"type": "object", "additionalProperties": false,
                        "properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "null"}}}},
                    "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}],
                        "items": {"type": "boolean"}, "minItems": 2, "maxItems": 4}
                },
                "required": ["pair"]
            }),
        ),
    ]
}

fn narrowed() -> BTreeMap<String, Value> {
    let shape = json!({"properties": {
        "kind": {"const": "box"},
        "size_m": {"items": {"minimum": 0.1, "maximum": 0.8, "multipleOf": 0.1}}}});
    let mesh = json!({"only": true, "properties": {"node": {"enum": ["n_1", "n_2"]}, "shape": shape}});
    let light = json!({"required": ["color"], "properties": {"color": {"items": {"enum": [0, 0.5, 1]}}}});
    BTreeMap::from([("mesh.add".to_owned(), mesh), ("light.add".to_owned(), light)])
}

fn pieces() -> Pieces {
    Pieces::words(&[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "-",
        ".",
        "0",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
        "8",
        "9",
        "a",
        "kind",
        "é",
        "true",
        "false",
        "null",
        "\"name\"",
        "\"arguments\":{",
        "\"mesh.add\"",
        "\"light.add\"",
        "\"list.set\"",
        "\"node\"",
        "\"material\"",
        "\"shape\"",
        "\"kind\"",
        "\"size_m\"",
        "\"radius_m\"",
        "\"rings\"",
        "\"at\"",
        "\"color\"",
        "\"cast\"",
        "\"count\"",
        "\"intensity\"",
        "\"keys\"",
        "\"pair\"",
        "\"a\"",
        "\"b\"",
        "\"c\"",
        "\"box\"",
        "\"sphere\"",
        "\"red\"",
        "\"dark red\"",
        "\"n_1\"",
        "\"n_2\"",
        "n_1",
        "0.5",
        "},{",
        "\":",
    ])
}

#[test]
fn whatever_a_policy_writes_is_a_valid_call() {
    let tools = tools();
    let some_words = Pieces::bytes_and(&["{\"", "\":", "\",\"", "{\"name\":\"mesh", ".5", "\":[", "00", "]}", "ll"]);
    let vocabularies: [Arc<dyn Tokenizer>; 3] = [Arc::new(Pieces::bytes()), Arc::new(some_words), Arc::new(pieces())];
    for tokenizer in vocabularies {
        for narrowed in [BTreeMap::new(), narrowed()] {
            let grammar = ToolGrammar::new(&tools, &narrowed, Arc::clone(&tokenizer)).unwrap_or_else(|e| panic!("{e}"));
            let mut called = BTreeSet::new();
            for walk in 0..1_000 {
                let (tokens, chosen) = written(&grammar, walk);
                assert!(!chosen.is_empty());
                let (end, tokens) = tokens.split_last().unwrap();
                assert_eq!(*end, tokenizer.end());
                let text = tokenizer.decode(tokens);
                let (name, arguments) = checked(&tools, &text);
                if let Some(by) = narrowed.get(&name) {
                    let mut by = by.clone();
                    by.as_object_mut().unwrap().remove("only");
                    assert!(satisfies(&by, &arguments, &by), "{text} is not narrowed");
                }
                called.insert(name);
            }
            assert_eq!(called.len(), 3, "only {called:?}");
        }
    }
}

#[test]
fn the_same_choices_write_the_same_call() {
    let grammar = || ToolGrammar::new(&tools(), &narrowed(), Arc::new(pieces())).unwrap_or_else(|e| panic!("{e}"));
    let (one, other) = (grammar(), grammar());
    for seed in 0..50 {
        let walked = written(&one, seed);
        assert_eq!(walked, written(&other, seed));
        assert_eq!(walked, written(&one, seed), "masks that were kept");
    }
}

#[test]
fn masks_are_found_once() {
    let grammar =
        ToolGrammar::new(&tools(), &BTreeMap::new(), Arc::new(Pieces::bytes())).unwrap_or_else(|e| panic!("{e}"));
    let mask = || {
        let mut call = grammar.start().unwrap();
        call.forced().unwrap();
        call.allowed().unwrap()
    };
    assert!(std::ptr::eq(mask().words(), mask().words()), "the second is the first");
}

#[test]
fn names_are_forced_and_choices_are_whole_words() {
    let schema = json!({"type": "object", "required": ["side"], "properties": {"side": {"enum": ["left", "right"]}}});
    let words =
        ["{", "}", ":", ",", "\"", "\"name\"", "\"t\"", "\"arguments\"", "\"side\"", "\"left\"", "\"right\"", "r"];
    let pieces = Arc::new(Pieces::words(&words));
    let grammar =
        ToolGrammar::new(&[tool("t", schema)], &BTreeMap::new(), pieces.clone()).unwrap_or_else(|e| panic!("{e}"));
    let mut call = grammar.start().unwrap();
    let spelled: Vec<Token> = ["{", "\"name\"", ":", "\"t\"", ",", "\"arguments\"", ":", "{", "\"side\"", ":"]
        .iter()
        .map(|word| pieces.token(word))
        .collect();
    assert_eq!(call.forced().unwrap(), spelled);
    let allowed: Vec<Token> = call.allowed().unwrap().iter().collect();
    assert_eq!(allowed, [pieces.token("\"left\""), pieces.token("\"right\"")], "a bare quote leads nowhere");
    call.accept(pieces.token("\"right\"")).unwrap();
    assert_eq!(call.forced().unwrap(), [pieces.token("}"), pieces.token("}"), pieces.end()]);
    assert!(call.is_finished());
    assert_eq!(call.text(), r#"{"name":"t","arguments":{"side":"right"}}"#);
}

#[test]
fn optional_members_have_their_commas() {
    let of = |required: Value| {
        let schema = json!({"type": "object", "required": required, "properties": {
            "a": {"const": 1}, "b": {"const": 2}, "c": {"const": 3}}});
        all_arguments(&grammar_of(schema, None).unwrap_or_else(|error| panic!("{error}")))
    };
    let with_b = [r#"{"b":2}"#, r#"{"a":1,"b":2}"#, r#"{"b":2,"c":3}"#, r#"{"a":1,"b":2,"c":3}"#];
    assert_eq!(of(json!(["b"])), set(&with_b));
    let without = ["{}", r#"{"a":1}"#, r#"{"c":3}"#, r#"{"a":1,"c":3}"#];
    assert_eq!(of(json!([])), &set(&with_b) | &set(&without));
    assert_eq!(
        all_arguments(&grammar_of(json!({"type": "object"}), None).unwrap_or_else(|e| panic!("{e}"))),
        set(&["{}"])
    );
}

#[test]
fn lists_have_their_lengths() {
    let of = |least: u32, most: u32| {
        all_values(json!({"type": "array", "items": {"const": 7}, "minItems": least, "maxItems": most}), None)
    };
    assert_eq!(of(0, 2), set(&["[]", "[7]", "[7,7]"]));
    assert_eq!(of(2, 3), set(&["[7,7]", "[7,7,7]"]));
    assert_eq!(of(0, 0), set(&["[]"]));
    let open = all_values(json!({"type": "array", "items": {"const": 7}}), None);
    assert_eq!(open.len(), 17, "none to 16");
    let pair = json!({"type": "array", "prefixItems": [{"const": 1}, {"const": 2}], "items": false, "maxItems": 5});
    assert_eq!(all_values(pair, None), set(&["[1,2]"]));
}

#[test]
fn numbers_between_bounds_have_one_spelling_each() {
    let tenths = json!({"minimum": 0.1, "maximum": 0.8, "multipleOf": 0.1});
    let eight = set(&["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8"]);
    assert_eq!(all_values(json!({"type": "number"}), Some(tenths)), eight);
    let around = json!({"type": "number", "minimum": -0.5, "maximum": 0.5, "multipleOf": 0.25});
    assert_eq!(all_values(around, None), set(&["-0.5", "-0.25", "0", "0.25", "0.5"]));
    let open = json!({"type": "integer", "exclusiveMinimum": 8, "exclusiveMaximum": 12});
    assert_eq!(all_values(open, None), set(&["9", "10", "11"]));
    let thousandths = json!({"type": "number", "exclusiveMinimum": 0, "maximum": 0.003});
    assert_eq!(all_values(thousandths, None), set(&["0.001", "0.002", "0.003"]));
    assert_eq!(all_values(json!({"type": "number", "minimum": 0, "maximum": 1}), None).len(), 1_001);
    let small = json!({"type": "number", "minimum": 1e-7, "maximum": 2e-7, "multipleOf": 1e-7});
    assert_eq!(all_values(small, None), set(&["0.0000001", "0.0000002"]));
}

#[test]
fn matchers_go_from_thread_to_thread() {
    fn is_send<T: Send>() {}
    fn is_shared<T: Send + Sync + Clone>() {}
    is_send::<CallMatcher>();
    is_shared::<ToolGrammar>();
}
