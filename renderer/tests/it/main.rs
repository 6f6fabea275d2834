#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod cameras;
mod difference;
mod environment;
mod faults;
mod golden;
mod golden_blessing;
mod golden_changes;
mod golden_scenes;
mod light;
mod passes;
mod renderability;
mod scenes;
mod textures;
