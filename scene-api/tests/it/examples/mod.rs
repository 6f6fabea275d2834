//! Calls that use every tool of a group, and calls that are refused after them.

pub(crate) mod animation;
pub(crate) mod history;
pub(crate) mod node;
pub(crate) mod texture;
