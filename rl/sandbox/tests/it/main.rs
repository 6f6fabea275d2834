#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod commands;
mod escapes;
mod files;
mod harness;
mod ladder;
mod limits;
mod network;
mod server;
mod syscalls;
mod trees;
