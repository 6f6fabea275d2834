#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod coverage;
mod degenerate;
mod determinism;
mod fill;
mod light;
mod raster;
mod scenes;
