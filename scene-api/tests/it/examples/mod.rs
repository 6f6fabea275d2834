//! Calls that use every tool of a group, and calls that are refused after them.

pub(crate) mod animation;
pub(crate) mod history;
pub(crate) mod look;
pub(crate) mod mesh;
pub(crate) mod node;
pub(crate) mod place;
pub(crate) mod query;
pub(crate) mod texture;
