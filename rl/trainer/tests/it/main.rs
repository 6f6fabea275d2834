//! Integration tests of maquette-train: one binary, one module for each subject.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod advantages;
mod derivatives;
mod enumeration;
mod gradients;
mod losses;
mod numbers;
mod vectors;
//! Models, gradients and their parts against numbers that others computed.


mod checkpoints;
mod extend;
mod hf;
mod model;
mod optimizer;
mod schedule;
mod small;
mod guess;
mod letters;
mod rollout;
//! What a policy is made of, against numbers and rules from outside.


mod grammar;
mod hf_tokenizer;
mod sampling;
mod schema_check;
mod tokens;
mod grammar;
