//! JSON text to a value, with the byte at which it breaks.

use super::glb::{Container, at};
use super::report::Report;
use serde_json::Value;

/// The root object. Nesting deeper than 128 is refused by the parser.
pub(super) fn parse(container: &Container, report: &mut Report) -> Option<Value> {
    let Container { json, json_start, .. } = *container;
    if json.starts_with(b"\xEF\xBB\xBF") {
        report.error("INVALID_JSON", &at(json_start), "BOM found at the beginning of UTF-8 stream.");
        return None;
    }
    match serde_json::from_slice::<Value>(json) {
        Ok(mut root) if root.is_object() => {
            write_integers_as_such(&mut root);
            Some(root)
        }
        Ok(_) => {
            report.error("TYPE_MISMATCH", "", "The root is not an object.");
            None
        }
        Err(error) => {
            let byte = json_start + byte_of(json, error.line(), error.column());
            report.error("INVALID_JSON", &at(byte), format!("Invalid JSON data. Parser output: {error}"));
            None
        }
    }
}

/// `line` and `column` count from 1; column 0 is the end of the line before.
fn byte_of(text: &[u8], line: usize, column: usize) -> usize {
    let line_start: usize =
        text.split_inclusive(|byte| *byte == b'\n').take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    (line_start + column.saturating_sub(1)).min(text.len())
}

/// `1.0` is an integer in JSON; the `gltf` crate's types want it written as one. Extras and extensions stay as they are.
fn write_integers_as_such(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(write_integers_as_such),
        Value::Object(members) => members
            .iter_mut()
            .filter(|(name, _)| name.as_str() != "extras" && name.as_str() != "extensions")
            .for_each(|(_, member)| write_integers_as_such(member)),
        Value::Number(number) => {
            if let Some(integer) = number.as_f64().filter(|_| number.is_f64()).and_then(exact_integer) {
                *value = Value::from(integer);
            }
        }
        _ => {}
    }
}

/// Negative zero stays a float.
fn exact_integer(number: f64) -> Option<i64> {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    let exact = number.fract() == 0.0 && number.abs() <= LARGEST && !(number == 0.0 && number.is_sign_negative());
    exact.then_some(number as i64)
}
