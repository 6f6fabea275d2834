//! From the text that a model wrote to a tool's typed arguments, or to an error that says where it went wrong.

use super::fits::fits;
use super::unique::Unique;
use crate::tool_error::{ErrorCode, ToolError, quoted, segment};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;
use serde_path_to_error::{Path, Segment};

/// The arguments as JSON that `schema` accepts.
///
/// # Errors
/// `InvalidArgument` (not JSON, unknown, missing or repeated member), `TypeMismatch`, `OutOfRange`, `NonFinite` (1e999).
pub(super) fn checked(json: &str, schema: &Value) -> Result<Value, ToolError> {
    let mut source = serde_json::Deserializer::from_str(json);
    let Unique(arguments) = serde_path_to_error::deserialize(&mut source)
        .map_err(|error| unreadable(json, pointer(error.path()), error.inner()))?;
    source.end().map_err(|error| unreadable(json, String::new(), &error))?;
    fits(&arguments, schema)?;
    Ok(arguments)
}

/// # Errors
/// `InvalidArgument` where the type takes less than its schema.
pub(super) fn typed<Arguments: DeserializeOwned>(checked: Value) -> Result<Arguments, ToolError> {
    serde_json::from_value(checked).map_err(|error| {
        ToolError::new(ErrorCode::InvalidArgument, "", error.to_string()).allowed("arguments as the schema says")
    })
}

fn unreadable(json: &str, at: String, error: &serde_json::Error) -> ToolError {
    let text = error.to_string();
    let reason = text.rfind(" at line ").and_then(|end| text.get(..end)).unwrap_or(&text);
    if error.classify() == Category::Data {
        let error = ToolError::new(ErrorCode::InvalidArgument, "", format!("repeated member {}", quoted(reason)));
        let error = error.given(reason).allowed("each member once").below(reason);
        return ToolError { pointer: at + &error.pointer, ..error };
    }
    if reason.starts_with("number out of range") {
        let given = number_before(json, error.line(), error.column());
        return ToolError::new(ErrorCode::NonFinite, at, format!("{} is too large for a number", quoted(given)))
            .given(given)
            .allowed("a finite number");
    }
    let place = format!("line {}, column {}", error.line(), error.column());
    ToolError::new(ErrorCode::InvalidArgument, "", format!("the arguments are not JSON: {reason} at {place}"))
        .given(json)
        .allowed("one JSON object")
}

/// The number that ends at a place in the text; lines count from 1, columns are bytes.
fn number_before(json: &str, line: usize, column: usize) -> &str {
    let line = json.split('\n').nth(line.saturating_sub(1)).unwrap_or_default();
    let before = line.get(..column).unwrap_or(line);
    let is_part = |part: char| part.is_ascii_digit() || "+-.eE".contains(part);
    let before = before.trim_end_matches(|part: char| !is_part(part));
    before.get(before.trim_end_matches(is_part).len()..).unwrap_or_default()
}

fn pointer(path: &Path) -> String {
    path.iter()
        .filter_map(|step| match step {
            Segment::Seq { index } => Some(format!("/{index}")),
            Segment::Map { key } => Some(format!("/{}", segment(key))),
            Segment::Enum { .. } | Segment::Unknown => None,
        })
        .collect()
}
