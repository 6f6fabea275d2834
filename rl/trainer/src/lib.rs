//! trainer

pub mod advantage;
pub mod loss;
pub mod model;
pub mod optimizer;
pub mod schedule;
pub mod rollout;
pub mod trajectory;
pub mod grammar;
pub mod hf_tokenizer;
pub mod sampling;
pub mod token_set;
pub mod tokens;
pub mod word_pieces;
