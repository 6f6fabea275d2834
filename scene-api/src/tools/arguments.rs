//! From the text that a model wrote to a tool's typed arguments, or to an error that says where it went wrong.

use crate::nearest::nearest;
use crate::tool_error::{ErrorCode, ToolError, quoted};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;
use serde_path_to_error::{Path, Segment};

/// # Errors
/// `InvalidArgument` (not JSON, unknown, missing or repeated member), `TypeMismatch`, `NonFinite` (1e999).
pub(super) fn parse<Arguments: DeserializeOwned>(json: &str) -> Result<Arguments, ToolError> {
    let mut source = serde_json::Deserializer::from_str(json);
    // serde would also read a struct from an array of its members in order.
    if json.trim_start().starts_with(|first: char| first != '{') {
        let message = "the arguments are not a JSON object";
        return Err(ToolError::new(ErrorCode::TypeMismatch, "", message).allowed("a JSON object"));
    }
    let arguments = serde_path_to_error::deserialize(&mut source)
        .map_err(|error| explain(json, &pointer(error.path()), error.inner()))?;
    source.end().map_err(|error| explain(json, "", &error))?;
    Ok(arguments)
}

fn explain(json: &str, at: &str, error: &serde_json::Error) -> ToolError {
    let text = error.to_string();
    let reason = without_position(&text);
    if reason.starts_with("number out of range") {
        return ToolError::new(ErrorCode::NonFinite, at, format!("{reason} at {at}")).allowed("a finite number");
    }
    match error.classify() {
        Category::Data => mistyped(json, at, reason),
        Category::Syntax | Category::Eof | Category::Io => {
            let place = format!("line {}, column {}", error.line(), error.column());
            ToolError::new(ErrorCode::InvalidArgument, "", format!("the arguments are not JSON: {reason} at {place}"))
                .allowed("one JSON object")
        }
    }
}

/// serde says what it expected in words, with every name between backticks: first the wrong one, then the right ones.
fn mistyped(json: &str, at: &str, reason: &str) -> ToolError {
    let mut names = reason.split('`').skip(1).step_by(2);
    let (wrong, right) = (names.next().unwrap_or_default(), names.collect::<Vec<_>>());
    let member = || if last_is(at, wrong) { at.to_owned() } else { format!("{at}/{}", escaped(wrong)) };
    if reason.starts_with("unknown field") {
        return ToolError::new(ErrorCode::InvalidArgument, member(), format!("unknown member {}", quoted(wrong)))
            .given(wrong)
            .allowed(right.join(", "))
            .nearest(nearest(wrong, right));
    }
    if reason.starts_with("unknown variant") {
        return ToolError::new(ErrorCode::InvalidArgument, at, format!("unknown kind {}", quoted(wrong)))
            .given(wrong)
            .allowed(right.join(", "))
            .nearest(nearest(wrong, right));
    }
    if reason.starts_with("missing field") || reason.starts_with("duplicate field") {
        let message =
            format!("{}: {wrong}", if reason.starts_with('m') { "missing member" } else { "repeated member" });
        return ToolError::new(ErrorCode::InvalidArgument, member(), message).allowed(format!("{wrong}, once"));
    }
    let whole: Option<Value> = serde_json::from_str(json).ok();
    let given = whole.as_ref().and_then(|value| value.pointer(at)).cloned().unwrap_or_default();
    let allowed = reason.split_once(", expected ").map_or("", |(_, expected)| expected);
    ToolError::new(ErrorCode::TypeMismatch, at, reason.to_owned()).given(given).allowed(allowed)
}

fn without_position(text: &str) -> &str {
    text.rfind(" at line ").and_then(|end| text.get(..end)).unwrap_or(text)
}

fn pointer(path: &Path) -> String {
    path.iter()
        .filter_map(|segment| match segment {
            Segment::Seq { index } => Some(format!("/{index}")),
            Segment::Map { key } => Some(format!("/{}", escaped(key))),
            Segment::Enum { .. } | Segment::Unknown => None,
        })
        .collect()
}

fn last_is(pointer: &str, member: &str) -> bool {
    pointer.rsplit_once('/').is_some_and(|(_, last)| last == escaped(member))
}

fn escaped(member: &str) -> String {
    member.replace('~', "~0").replace('/', "~1")
}
