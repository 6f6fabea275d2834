//! Numbers that a model gives.

use crate::tool_error::{ErrorCode, ToolError};

/// # Errors
/// `OutOfRange` unless `low ≤ given ≤ high`.
pub(super) fn within(pointer: impl Into<String>, given: f64, low: f64, high: f64) -> Result<f64, ToolError> {
    if (low..=high).contains(&given) {
        return Ok(given);
    }
    let pointer = pointer.into();
    let message = format!("{given} at {pointer} is outside [{low}, {high}]");
    Err(ToolError::new(ErrorCode::OutOfRange, pointer, message).given(given).allowed(format!("[{low}, {high}]")))
}

/// Each component within ±`most`, the error pointing at the component.
pub(super) fn each_within<const N: usize>(
    pointer: &str,
    given: [f64; N],
    low: f64,
    high: f64,
) -> Result<[f64; N], ToolError> {
    for (index, part) in given.into_iter().enumerate() {
        within(format!("{pointer}/{index}"), part, low, high)?;
    }
    Ok(given)
}
