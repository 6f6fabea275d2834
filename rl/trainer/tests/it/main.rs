//! Integration tests of maquette-train: one binary, one module for each subject.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod advantages;
mod batches;
mod cartpole;
mod checkpoints;
mod demonstrations;
mod derivatives;
mod enumeration;
mod extend;
mod faults;
mod gradients;
mod grading;
mod grammar;
mod guess;
mod hf;
mod hf_tokenizer;
mod letters;
mod losses;
mod model;
mod numbers;
mod optimizer;
mod pick;
mod progression;
mod rollout;
mod runs;
mod sampling;
mod schedule;
mod settings;
mod small;
mod tokens;
mod vectors;
