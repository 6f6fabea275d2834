//! Whole episodes, the same rewards everywhere, hostile clients, real files, and the rules of the house.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod agent;
mod clients;
mod command_line;
mod endurance;
mod every_tool;
mod hostile;
mod journal;
mod mcp;
mod pictures;
mod python_domain;
mod real_files;
mod same_bytes;
mod tidy;
mod training;
