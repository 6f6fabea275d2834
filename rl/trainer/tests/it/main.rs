//! Integration tests of maquette-train: one binary, one module for each subject.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod advantages;
mod checkpoints;
mod derivatives;
mod enumeration;
mod extend;
mod gradients;
mod grammar;
mod guess;
mod hf;
mod hf_tokenizer;
mod letters;
mod losses;
mod model;
mod numbers;
mod optimizer;
mod rollout;
mod sampling;
mod schedule;
mod small;
mod tokens;
mod vectors;
mod batches;
mod demonstrations;
mod grading;
mod pick;
mod progression;
mod runs;
mod settings;
