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

/// # Errors
/// `OutOfRange` unless it is within `low` to `high`.
pub(super) fn within(pointer: &str, given: f64, low: f64, high: f64) -> Result<f64, ToolError> {
    let holds = (low..=high).contains(&given);
    if holds { Ok(given) } else { Err(ToolError::out_of_range(pointer, given, format!("{low} to {high}"))) }
}

/// As `each_within`, of every point of a list: each component within ± `most`.
pub(super) fn points_within<const N: usize>(pointer: &str, given: &[[f64; N]], most: f64) -> Result<(), ToolError> {
    let mut points = given.iter().enumerate();
    points.try_for_each(|(index, point)| each_within(&format!("{pointer}/{index}"), *point, -most, most).map(|_| ()))
}

/// Of a schema of a number, or of an array of them: each more than 0, which `range` cannot say.
pub(super) fn positive(schema: &mut Schema) {
    if let Some(items) = schema.get_mut("items").and_then(|items| items.as_object_mut()) {
        items.insert("exclusiveMinimum".into(), json!(0));
    } else {
        schema.insert("exclusiveMinimum".into(), json!(0));
    }
}
