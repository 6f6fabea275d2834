#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod animation_tools;
mod consequences;
mod damages;
mod describing;
mod domain;
mod examples;
mod generate;
mod hacks;
mod history_observation;
mod history_tools;
mod invariance;
mod logs;
mod look_tools;
mod mesh_tools;
mod node_tools;
mod place_tools;
mod play;
mod query_tools;
mod renderability;
mod reward;
mod stills;
mod studio;
mod tasks;
mod texture_tools;
mod tool_errors;
mod tools;
