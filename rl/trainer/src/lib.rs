//! Policies that learn by reinforcement from any domain that is served over `maquette.v1`: tokens in and out, rollouts of
//! many episodes at once, named advantages and losses, one loop.

pub mod advantage;
pub mod grammar;
pub mod hf_tokenizer;
pub mod loss;
pub mod model;
pub mod optimizer;
pub mod pipeline;
pub mod rollout;
pub mod run;
pub mod sampling;
pub mod schedule;
pub mod token_set;
pub mod tokens;
pub mod train;
pub mod trajectory;
pub mod word_pieces;
