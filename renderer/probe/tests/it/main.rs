#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod against_reference;
mod alone_and_batched;
mod degenerate;
mod random;
mod scenes;
