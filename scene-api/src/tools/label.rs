//! Names that a model gives: labels, not keys.

use crate::tool_error::{ErrorCode, ToolError};

const MOST_CHARS: usize = 128;

/// # Errors
/// `OutOfRange` for an empty or blank name and for one of more than 128 characters.
pub(super) fn label(pointer: &str, given: &str) -> Result<String, ToolError> {
    let chars = given.chars().count();
    if given.trim().is_empty() || chars > MOST_CHARS {
        let message = format!("the name has {chars} characters; it must not be blank nor longer than {MOST_CHARS}");
        return Err(ToolError::new(ErrorCode::OutOfRange, pointer, message)
            .given(given)
            .allowed(format!("1 to {MOST_CHARS} characters, not all blank")));
    }
    Ok(given.to_owned())
}
