//! Calls that use every tool of a group, and calls that are refused after them.

pub(crate) mod look;
