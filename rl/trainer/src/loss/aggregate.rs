//! How the losses of tokens become the loss of a batch.

use serde::{Deserialize, Serialize};

/// What each token weighs. Means are over the whole batch, never over a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aggregation {
    /// Mean over all tokens (DAPO): long sequences weigh more.
    TokenMean,
    /// Mean over sequences of the mean over their tokens (GRPO, GSPO): a token of a long sequence weighs less.
    SeqMeanTokenMean,
    /// Mean over sequences of the sum over their tokens: the plain policy gradient.
    SeqMeanTokenSum,
    /// Mean over sequences of the sum over their tokens divided by one constant length, in tokens (Dr. GRPO).
    DrGrpo { length: f64 },
}

/// Weight of each token such that Σ weight · loss is the aggregate of the whole batch. Parts of a batch are trained one
/// after another with their parts of this, and the gradients add up to that of the batch however it was split.
///
/// `sequence_of_token`: for each token of the batch an index below `sequences`. A sequence without tokens counts among
/// the sequences of a mean. `DrGrpo`'s `length` is greater than 0.
pub fn token_weights(aggregation: Aggregation, sequence_of_token: &[usize], sequences: usize) -> Vec<f64> {
    let of_sequence = 1.0 / sequences as f64;
    match aggregation {
        Aggregation::TokenMean => vec![1.0 / sequence_of_token.len() as f64; sequence_of_token.len()],
        Aggregation::SeqMeanTokenSum => vec![of_sequence; sequence_of_token.len()],
        Aggregation::DrGrpo { length } => vec![of_sequence / length; sequence_of_token.len()],
        Aggregation::SeqMeanTokenMean => {
            let mut tokens = vec![0.0; sequences];
            for &sequence in sequence_of_token {
                tokens[sequence] += 1.0;
            }
            sequence_of_token.iter().map(|&sequence| of_sequence / tokens[sequence]).collect()
        }
    }
}
