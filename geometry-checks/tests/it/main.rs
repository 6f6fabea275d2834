//! Integration tests of geometry-checks: one binary, one module for each subject.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod data;
mod distance;
mod fall;
mod footprint;
mod integrity;
mod invariance;
mod mesh_files;
mod normals;
mod overlap;
mod peers;
mod ray;
mod shapes;
mod support;
