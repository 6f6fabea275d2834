//! What no grammar is made for, and what a call under one refuses.

use super::vocabulary::{END, Pieces};
use super::{grammar_of, tool};
use maquette_train::grammar::{GrammarError, ToolGrammar};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn refusal(member: Value) -> GrammarError {
    grammar_of(json!({"type": "object", "properties": {"v": member}}), None).err().unwrap()
}

#[test]
fn schemas_without_an_end_or_a_type_are_refused_by_their_place() {
    let tree = json!({"$defs": {"node": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
        "type": "object", "properties": {"tree": {"$ref": "#/$defs/node"}}});
    let GrammarError::Recursive { at, reference } = grammar_of(tree, None).err().unwrap() else { panic!() };
    assert_eq!((at.as_str(), reference.as_str()), ("t/tree/*", "#/$defs/node"));
    assert_eq!(refusal(json!({})), GrammarError::Untyped { at: "t/v".to_owned() });
    assert_eq!(refusal(json!({"type": "array"})), GrammarError::Untyped { at: "t/v/*".to_owned() });
    let missing = GrammarError::UnknownReference { at: "t/v".to_owned(), reference: "#/$defs/x".to_owned() };
    assert_eq!(refusal(json!({"$ref": "#/$defs/x"})), missing);
    let many = GrammarError::TooManyValues { at: "t/v".to_owned(), limit: 2_000 };
    assert_eq!(refusal(json!({"type": "number", "multipleOf": 0.1})), many);
    assert_eq!(refusal(json!({"type": "number", "multipleOf": 0.1, "minimum": 0, "maximum": 1e6})), many);
    assert!(matches!(refusal(json!({"type": "number", "multipleOf": 0})), GrammarError::Malformed { .. }));
    assert!(matches!(refusal(json!({"type": "text"})), GrammarError::Malformed { .. }));
}

#[test]
fn a_grammar_without_bounds_is_refused() {
    let list = |items: Value| json!({"type": "array", "minItems": 64, "maxItems": 64, "items": items});
    let error = refusal(list(list(list(json!({"type": "string"})))));
    assert!(matches!(&error, GrammarError::TooLarge { tools, .. } if tools == &["t"]), "{error}");
}

#[test]
fn tools_are_named_as_they_are_and_can_be_spelled() {
    let bytes = || Arc::new(Pieces::bytes());
    assert_eq!(ToolGrammar::new(&[], &BTreeMap::new(), bytes()).err(), Some(GrammarError::NoTools));
    let tools = [tool("mesh.add", json!({"type": "object"})), tool("node.add", json!({"type": "object"}))];
    let narrowed = BTreeMap::from([("mesh.ad".to_owned(), json!({}))]);
    let error = ToolGrammar::new(&tools, &narrowed, bytes()).err().unwrap();
    let text = "`mesh.ad` is narrowed, but is none of the tools: mesh.add, node.add; the nearest is `mesh.add`";
    assert_eq!(error.to_string(), text);
    let pieces = Pieces::words(&["{", "}", ":", ",", "\"name\"", "\"arguments\"", "\"mesh.add\""]);
    let error = ToolGrammar::new(&tools, &BTreeMap::new(), Arc::new(pieces)).err();
    assert_eq!(error, Some(GrammarError::Unwritable { tool: "node.add".to_owned() }));
}

#[test]
fn a_token_out_of_place_changes_nothing() {
    let schema = json!({"type": "object", "required": ["v"], "properties": {"v": {"type": "boolean"}}});
    let pieces = Arc::new(Pieces::bytes());
    let grammar =
        ToolGrammar::new(&[tool("t", schema)], &BTreeMap::new(), pieces.clone()).unwrap_or_else(|e| panic!("{e}"));
    let mut call = grammar.start().unwrap();
    call.forced().unwrap();
    let before = call.text();
    for token in [pieces.token("x"), END, 999] {
        let refused = GrammarError::NotAllowed { token, text: before.clone() };
        assert_eq!(call.accept(token), Err(refused));
    }
    call.accept(pieces.token("t")).unwrap();
    assert_eq!(call.forced().unwrap().last(), Some(&END), "r, u, e, both braces and the end");
    let text = r#"{"name":"t","arguments":{"v":true}}"#.to_owned();
    assert_eq!(call.accept(END), Err(GrammarError::Finished { text: text.clone() }));
    assert_eq!(call.allowed().err(), Some(GrammarError::Finished { text }));
}
