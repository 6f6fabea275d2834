//! What a request may hold, checked before anything of it is quoted or reaches a domain.

use crate::{Code, DomainError, convert::InvalidField};
use std::collections::BTreeSet;

/// Of an id or a name.
const MAX_NAME_BYTES: usize = 256;
const MAX_TOOL_GROUPS: usize = 64;

/// Refuses a request that lists more than `allowed` things in `field`.
pub(super) fn at_most(allowed: usize, given: usize, reason: &'static str, field: &str) -> Result<(), DomainError> {
    if given <= allowed {
        return Ok(());
    }
    let message = format!("{given} given; one request takes {allowed} at most");
    Err(DomainError::new(Code::InvalidArgument, reason, message).field(field))
}

/// Refuses a field, given with its text, that is too long for the id or name of anything.
pub(super) fn names(fields: &[(&'static str, &str)]) -> Result<(), DomainError> {
    for &(field, text) in fields {
        if text.len() > MAX_NAME_BYTES {
            let problem = format!("{} bytes; {MAX_NAME_BYTES} are allowed", text.len());
            return Err(InvalidField::new(field, problem).in_request());
        }
    }
    Ok(())
}

/// Refuses a list that names something twice.
pub(super) fn distinct(field: &'static str, names: &[String]) -> Result<(), DomainError> {
    let mut seen = BTreeSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        None => Ok(()),
        Some(name) => Err(InvalidField::new(field, format!("{name:?} is named twice")).in_request()),
    }
}

/// Refuses a list that is too long for the names of tool groups, or names one twice.
pub(super) fn groups(field: &'static str, given: &[String]) -> Result<(), DomainError> {
    at_most(MAX_TOOL_GROUPS, given.len(), "TOO_MANY_TOOL_GROUPS", field)?;
    for name in given {
        names(&[(field, name)])?;
    }
    distinct(field, given)
}
