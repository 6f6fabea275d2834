//! Numbers whose range an episode's limits set; fixed ranges are in the schemas.

use crate::tool_error::ToolError;
use schemars::Schema;
use serde_json::json;

/// # Errors
/// `OutOfRange` unless each component is within `low` to `high`, pointing at the component.
pub(super) fn each_within<const N: usize>(
    pointer: &str,
    given: [f64; N],
    low: f64,
    high: f64,
) -> Result<[f64; N], ToolError> {
    for (index, part) in given.into_iter().enumerate() {
        if !(low..=high).contains(&part) {
            let allowed = format!("{low} to {high}");
            return Err(ToolError::out_of_range(format!("{pointer}/{index}"), part, allowed));
        }
    }
    Ok(given)
}

/// Of a schema of a number, or of an array of them: each more than 0, which `range` cannot say.
pub(super) fn positive(schema: &mut Schema) {
    if let Some(items) = schema.get_mut("items").and_then(|items| items.as_object_mut()) {
        items.insert("exclusiveMinimum".into(), json!(0));
    } else {
        schema.insert("exclusiveMinimum".into(), json!(0));
    }
}
