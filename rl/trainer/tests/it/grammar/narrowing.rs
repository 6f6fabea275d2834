//! What a run's narrowing leaves.

use super::{all_arguments, all_values, grammar_of, set};
use maquette_train::grammar::{GrammarError, spelling::spelling};
use serde_json::{Value, json};

fn shape() -> Value {
    let branch = |kind: &str, size: &str| {
        json!({"type": "object", "additionalProperties": false, "required": ["kind", size],
            "properties": {"kind": {"const": kind}, size: {"type": "integer", "minimum": 1, "maximum": 3}}})
    };
    json!({"oneOf": [branch("box", "size"), branch("ball", "radius")]})
}

fn object() -> Value {
    json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "integer", "minimum": 1, "maximum": 3},
        "b": {"type": ["boolean", "null"]},
        "c": {"const": "c"}}})
}

fn narrowed_object(by: Value) -> Vec<String> {
    let grammar = grammar_of(object(), Some(by)).unwrap_or_else(|error| panic!("{error}"));
    all_arguments(&grammar).into_iter().collect()
}

fn refusal(schema: Value, by: Value) -> GrammarError {
    grammar_of(schema, Some(by)).err().unwrap()
}

#[test]
fn alternatives_that_contradict_drop_out() {
    let boxes = json!({"properties": {"kind": {"const": "box"}}});
    let left = set(&[r#"{"kind":"box","size":1}"#, r#"{"kind":"box","size":2}"#, r#"{"kind":"box","size":3}"#]);
    assert_eq!(all_values(shape(), Some(boxes)), left);
    let by_member = json!({"properties": {"radius": {"const": 2}}});
    assert_eq!(all_values(shape(), Some(by_member)), set(&[r#"{"kind":"ball","radius":2}"#]));
    let numbers = json!({"minimum": 2, "maximum": 3});
    assert_eq!(all_values(json!({"type": ["integer", "string", "null"]}), Some(numbers)), set(&["2", "3"]));
    let either = json!({"anyOf": [{"const": null}, {"enum": [1, 2]}]});
    assert_eq!(all_values(json!({"type": ["integer", "null"], "minimum": 2}), Some(either)), set(&["2", "null"]));
}

#[test]
fn members_that_are_not_named_stay_or_go() {
    let one = json!({"properties": {"a": {"const": 1}, "b": {"type": "null"}}});
    let stays = narrowed_object(one);
    assert_eq!(stays.len(), 4, "b and c are optional: {stays:?}");
    for only in [json!({"only": true}), json!({"additionalProperties": false})] {
        assert_eq!(narrowed_object(only), [r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":3}"#]);
    }
    let kept = json!({"only": true, "properties": {"a": {"maximum": 1}, "c": {}}});
    assert_eq!(narrowed_object(kept), [r#"{"a":1,"c":"c"}"#, r#"{"a":1}"#]);
    let required = json!({"only": true, "required": ["c"], "properties": {"a": {"enum": [2, 9]}}});
    assert_eq!(narrowed_object(required), [r#"{"a":2,"c":"c"}"#]);
}

#[test]
fn values_must_satisfy_both() {
    let vector = json!({"type": ["array", "null"], "items": {"type": "number"}, "minItems": 3, "maxItems": 3});
    assert_eq!(all_values(vector.clone(), Some(json!({"const": [0, 0.5, 0]}))), set(&["[0,0.5,0]"]));
    let by_place = json!({"prefixItems": [{"enum": [1, 2]}, {"const": 0}, {"const": 0.5}]});
    assert_eq!(all_values(vector.clone(), Some(by_place)), set(&["[1,0,0.5]", "[2,0,0.5]"]));
    let quarters = json!({"type": "number", "multipleOf": 0.25});
    let by = json!({"multipleOf": 0.5, "minimum": 0, "maximum": 1});
    assert_eq!(all_values(quarters, Some(by)), set(&["0", "0.5", "1"]));
    let texts = json!({"type": "string", "maxLength": 3});
    assert_eq!(all_values(texts, Some(json!({"enum": ["red", "green"]}))), set(&["\"red\""]), "green is too long");
    let open = json!({"type": "object", "additionalProperties": true});
    let by = json!({"required": ["x"], "properties": {"x": {"const": true}}});
    assert_eq!(all_values(open, Some(by)), set(&[r#"{"x":true}"#]));
    let short = json!({"const": [0, 0.5]});
    let vector = json!({"type": "object", "properties": {"v": vector}});
    let error = refusal(vector, json!({"properties": {"v": short}}));
    assert!(matches!(error, GrammarError::NoAlternative { .. } | GrammarError::Contradiction { .. }), "{error}");
}

#[test]
fn a_whole_number_is_written_without_a_point() {
    let by = json!({"enum": [1.0, -0.0, 2, 0.5]});
    assert_eq!(all_values(json!({"type": "integer"}), Some(by)), set(&["0", "1", "2"]));
    assert_eq!(spelling(&json!({"b": [1.0, 2.5], "a": -3.0})), r#"{"a":-3,"b":[1,2.5]}"#);
}

#[test]
fn refusals_say_what_there_is() {
    let error = refusal(object(), json!({"properties": {"aa": {"const": 1}}}));
    assert_eq!(error.to_string(), "t: there is no `aa`, but a, b, c; the nearest is `a`");
    let error = refusal(object(), json!({"properties": {"a": {"minimun": 1}}}));
    assert_eq!(error.to_string(), "t/a: a narrowing has no keyword `minimun`; the nearest is `minimum`");
    let error = refusal(object(), json!({"properties": {"a": {"const": 7}}}));
    assert_eq!(error.to_string(), "t/a: nothing is both 7 and an integer from 1 to 3");
    let error = refusal(object(), json!({"properties": {"a": {"const": "x"}}}));
    assert_eq!(error.to_string(), "t/a: nothing is both \"x\" and an integer from 1 to 3");
    let error = refusal(object(), json!({"properties": {"a": {"minimum": "1"}}}));
    assert_eq!(error.to_string(), "t/a: `minimum` must be a number");
    let error = refusal(shape(), json!({"properties": {"kind": {"const": "bal"}}}));
    let GrammarError::NoAlternative { at, reasons } = &error else { panic!("{error}") };
    assert_eq!((at.as_str(), reasons.len()), ("t", 2), "{error}");
    assert!(reasons[0].contains("\"bal\"") && reasons[0].contains("\"box\""), "{error}");
}
