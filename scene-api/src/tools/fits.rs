//! Whether a value fits a JSON Schema, of those that `schema_of` makes. A refusal says in plain words what would fit;
//! its pointer counts from the value.

use crate::nearest::nearest;
use crate::tool_error::{ErrorCode, ToolError, quoted};
use serde_json::{Map, Number, Value, json};

/// # Errors
/// `TypeMismatch` (also for arrays of the wrong length), `OutOfRange`, `InvalidArgument` for unknown and missing
/// members and for words that are not offered.
pub(super) fn fits(given: &Value, schema: &Value) -> Result<(), ToolError> {
    if let Some(kinds) = schema["oneOf"].as_array() {
        return fits_kind(given, kinds, schema);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        // That of the same type says best what is wrong.
        let same = choices.iter().find(|choice| has_type(given, choice));
        return same.map_or_else(|| Err(mistyped(given, schema)), |choice| fits(given, choice));
    }
    if !has_type(given, schema) {
        return Err(mistyped(given, schema));
    }
    match given {
        Value::Object(members) => fits_members(members, schema),
        Value::Array(items) => fits_items(given, items, schema),
        Value::Number(number) => fits_range(number, schema),
        Value::String(word) => fits_words(word, schema),
        Value::Null | Value::Bool(_) => Ok(()),
    }
}

/// One of several objects, told apart by their member `kind`.
fn fits_kind(given: &Value, kinds: &[Value], schema: &Value) -> Result<(), ToolError> {
    let members = given.as_object().ok_or_else(|| mistyped(given, schema))?;
    let known: Vec<&str> = kinds.iter().filter_map(kind).collect();
    match members.get("kind") {
        None => Err(missing("kind", known.join(", "))),
        Some(Value::String(word)) => match kinds.iter().find(|choice| kind(choice) == Some(word.as_str())) {
            Some(choice) => fits(given, choice),
            None => Err(unknown("kind", word, known).below("kind")),
        },
        Some(other) => Err(mistyped(other, &json!({"enum": known})).below("kind")),
    }
}

fn kind(schema: &Value) -> Option<&str> {
    schema["properties"]["kind"]["const"].as_str()
}

fn fits_members(members: &Map<String, Value>, schema: &Value) -> Result<(), ToolError> {
    let known = &schema["properties"];
    for (name, value) in members {
        match known.get(name) {
            Some(expected) => fits(value, expected).map_err(|error| error.below(name))?,
            None if schema["additionalProperties"] == true => {}
            None => {
                let names = known.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
                return Err(unknown("member", name, names).below(name));
            }
        }
    }
    let mut required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    match required.find(|name| !members.contains_key(*name)) {
        Some(name) => Err(missing(name, words(&known[name]))),
        None => Ok(()),
    }
}

fn fits_items(given: &Value, items: &[Value], schema: &Value) -> Result<(), ToolError> {
    let count = items.len() as u64;
    let few = schema["minItems"].as_u64().is_some_and(|least| count < least);
    let many = schema["maxItems"].as_u64().is_some_and(|most| count > most);
    if few || many {
        return Err(mistyped(given, schema));
    }
    let mut each = items.iter().enumerate();
    each.try_for_each(|(index, item)| fits(item, &schema["items"]).map_err(|error| error.below(index)))
}

fn fits_range(given: &Number, schema: &Value) -> Result<(), ToolError> {
    let value = given.as_f64().unwrap_or(f64::INFINITY);
    let (least, above) = (schema["minimum"].as_f64(), schema["exclusiveMinimum"].as_f64());
    let most = schema["maximum"].as_f64().or((schema["format"] == "uint32").then_some(f64::from(u32::MAX)));
    let is_low = least.is_some_and(|least| value < least) || above.is_some_and(|above| value <= above);
    if !is_low && most.is_none_or(|most| value <= most) {
        return Ok(());
    }
    let low = match (least, above) {
        (Some(least), _) => Some(format!("at least {least}")),
        (None, above) => above.map(|above| format!("greater than {above}")),
    };
    let allowed = match (least, low, most) {
        (Some(least), _, Some(most)) => format!("{least} to {most}"),
        (_, low, most) => {
            [low, most.map(|most| format!("at most {most}"))].into_iter().flatten().collect::<Vec<_>>().join(", ")
        }
    };
    Err(ToolError::out_of_range("", value, allowed).given(given.clone()))
}

fn fits_words(given: &str, schema: &Value) -> Result<(), ToolError> {
    let Some(offered) = schema["enum"].as_array() else { return Ok(()) };
    let offered: Vec<&str> = offered.iter().filter_map(Value::as_str).collect();
    if offered.contains(&given) { Ok(()) } else { Err(unknown("word", given, offered)) }
}

fn unknown(what: &str, given: &str, known: Vec<&str>) -> ToolError {
    let allowed = if known.is_empty() { "nothing".into() } else { known.join(", ") };
    ToolError::new(ErrorCode::InvalidArgument, "", format!("unknown {what} {}; allowed: {allowed}", quoted(given)))
        .given(given)
        .allowed(allowed)
        .nearest(nearest(given, known))
}

fn missing(name: &str, allowed: String) -> ToolError {
    let message = format!("missing member {}; allowed: {allowed}", quoted(name));
    ToolError::new(ErrorCode::InvalidArgument, "", message).allowed(allowed).below(name)
}

fn mistyped(given: &Value, schema: &Value) -> ToolError {
    let what = match given {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => "a string".to_owned(),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
    };
    let allowed = words(schema);
    ToolError::new(ErrorCode::TypeMismatch, "", format!("{what} does not fit; allowed: {allowed}"))
        .given(given.clone())
        .allowed(allowed)
}

/// The types that a schema names; null for an absent optional one among them.
fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let (one, many) = (schema["type"].as_str(), schema["type"].as_array());
    one.into_iter().chain(many.into_iter().flatten().filter_map(Value::as_str))
}

fn has_type(given: &Value, schema: &Value) -> bool {
    let mut choices = ["anyOf", "oneOf"].into_iter().filter_map(|word| schema[word].as_array()).flatten();
    if choices.any(|choice| has_type(given, choice)) {
        return true;
    }
    types(schema).any(|name| match given {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(number) => name == "number" || name == "integer" && !number.is_f64(),
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    })
}

/// What a schema takes.
fn words(schema: &Value) -> String {
    if let Some(choices) = schema["anyOf"].as_array() {
        // Null is a way to leave an argument out.
        return choices.iter().map(words).filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" or ");
    }
    if let Some(kinds) = schema["oneOf"].as_array() {
        return format!("an object of kind {}", kinds.iter().filter_map(kind).collect::<Vec<_>>().join(", "));
    }
    if let Some(offered) = schema["enum"].as_array() {
        return offered.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
    }
    match types(schema).find(|name| *name != "null") {
        Some("array") => format!("an array of {}", contents(schema)),
        Some("integer") => "a whole number".into(),
        Some("boolean") => "true or false".into(),
        Some("object") => "an object".into(),
        Some(other) => format!("a {other}"),
        None => String::new(),
    }
}

/// "3 numbers"
fn contents(schema: &Value) -> String {
    let items = match types(&schema["items"]).next() {
        Some("array") => format!("arrays of {}", contents(&schema["items"])),
        Some("integer") => "whole numbers".into(),
        Some(other) => format!("{other}s"),
        None => "values".into(),
    };
    match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
        (Some(least), Some(most)) if least == most => format!("{least} {items}"),
        (Some(least), Some(most)) => format!("{least} to {most} {items}"),
        _ => items,
    }
}
