//! Trajectories as padded tensors.

use crate::loss::{Aggregation, token_weights};
use crate::trajectory::Trajectory;
use tch::{Device, Kind, Tensor};

/// One trajectory to learn from; every sampled token of it has this advantage.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    pub trajectory: &'a Trajectory,
    pub advantage: f64,
}

/// A part of a batch that goes through the model at once. `n` sampled tokens lie flat, row after row.
#[derive(Debug)]
pub struct MicroBatch {
    /// `[rows, tokens]` Int64, padded on the right with 0.
    pub ids: Tensor,
    /// `[n]` Int64: where in the flattened `ids` the hidden state lies that a token was sampled from.
    pub places: Tensor,
    /// `[n]` Int64: what was sampled.
    pub tokens: Tensor,
    /// `[n, vocab]` Bool: what could have been.
    pub allowed: Tensor,
    /// `[n]`: log μ of what was sampled.
    pub log_mu: Tensor,
    /// `[n]`.
    pub advantages: Tensor,
    /// `[n]`: Σ weight · loss over all parts is the loss of the whole batch.
    pub weights: Tensor,
    pub temperature: f64,
}

#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    #[error("the batch holds samples at temperatures {0} and {1}; a batch has one")]
    Temperatures(f64, f64),
    #[error("{task_id}: place {place} is no sampled token: it is the first, or beyond the {tokens} tokens")]
    Place { task_id: String, place: u32, tokens: usize },
    #[error("{task_id}: token {token} is not among the {vocab_size} of the policy")]
    Token { task_id: String, token: u32, vocab_size: i64 },
    #[error(transparent)]
    Torch(#[from] tch::TchError),
}

/// Splits a batch so that each part has at most `tokens_max` places, padding included, and at least one row.
///
/// Rows go from the longest to the shortest, equal ones in the order given, which leaves little padding and is the same
/// every time. Samples without a sampled token make no row; they count where `aggregation` counts sequences. A row ends
/// before its last sampled token: nothing after it is ever read.
pub fn micro_batches(
    samples: &[Sample],
    aggregation: Aggregation,
    vocab_size: i64,
    tokens_max: usize,
    device: Device,
    kind: Kind,
) -> Result<Vec<MicroBatch>, BatchError> {
    check(samples, vocab_size)?;
    let mut order: Vec<usize> = (0..samples.len()).filter(|&index| row_len(&samples[index]) > 0).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(row_len(&samples[index])));
    let sequence_of_token: Vec<usize> =
        order.iter().flat_map(|&index| std::iter::repeat_n(index, samples[index].trajectory.sampled.len())).collect();
    let weights = token_weights(aggregation, &sequence_of_token, samples.len());
    let mut parts = Vec::new();
    let (mut rows, mut tokens) = (order.as_slice(), weights.as_slice());
    while let Some(&first) = rows.first() {
        let fitting = (tokens_max / row_len(&samples[first])).clamp(1, rows.len());
        let (part, later) = rows.split_at(fitting);
        let part: Vec<Sample> = part.iter().map(|&index| samples[index]).collect();
        let sampled = part.iter().map(|sample| sample.trajectory.sampled.len()).sum();
        let (part_weights, later_weights) = tokens.split_at(sampled);
        parts.push(micro_batch(&part, part_weights, vocab_size, device, kind)?);
        (rows, tokens) = (later, later_weights);
    }
    Ok(parts)
}

/// Tokens that the model reads of it.
fn row_len(sample: &Sample) -> usize {
    sample.trajectory.sampled.last().map_or(0, |step| step.place as usize)
}

fn check(samples: &[Sample], vocab_size: i64) -> Result<(), BatchError> {
    for Sample { trajectory, .. } in samples {
        let first = samples[0].trajectory.temperature;
        if trajectory.temperature != first {
            return Err(BatchError::Temperatures(first, trajectory.temperature));
        }
        let (task_id, tokens) = (&trajectory.task_id, trajectory.tokens.len());
        if let Some(step) = trajectory.sampled.iter().find(|step| !(1..tokens).contains(&(step.place as usize))) {
            return Err(BatchError::Place { task_id: task_id.clone(), place: step.place, tokens });
        }
        if let Some(&token) = trajectory.tokens.iter().find(|&&token| i64::from(token) >= vocab_size) {
            return Err(BatchError::Token { task_id: task_id.clone(), token, vocab_size });
        }
    }
    Ok(())
}

fn micro_batch(
    rows: &[Sample],
    weights: &[f64],
    vocab_size: i64,
    device: Device,
    kind: Kind,
) -> Result<MicroBatch, BatchError> {
    let width = rows.iter().map(row_len).max().unwrap_or(0);
    let vocab = vocab_size as usize;
    let mut ids = vec![0_i64; rows.len() * width];
    let mut allowed = vec![false; weights.len() * vocab];
    let (mut places, mut tokens, mut log_mu, mut advantages) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (row, sample) in rows.iter().enumerate() {
        let trajectory = sample.trajectory;
        for (place, &token) in trajectory.tokens[..row_len(sample)].iter().enumerate() {
            ids[row * width + place] = i64::from(token);
        }
        for step in &trajectory.sampled {
            let start = tokens.len() * vocab;
            for token in step.allowed.iter().map(|token| token as usize).filter(|&token| token < vocab) {
                allowed[start + token] = true;
            }
            places.push((row * width + step.place as usize - 1) as i64);
            tokens.push(i64::from(trajectory.tokens[step.place as usize]));
            log_mu.push(step.log_mu);
            advantages.push(sample.advantage);
        }
    }
    let numbers = |values: &[f64]| Tensor::f_from_slice(values)?.f_to_kind(kind)?.f_to_device(device);
    let indices = |values: &[i64]| Tensor::f_from_slice(values)?.f_to_device(device);
    Ok(MicroBatch {
        ids: indices(&ids)?.f_view([rows.len() as i64, width as i64])?,
        places: indices(&places)?,
        tokens: indices(&tokens)?,
        allowed: Tensor::f_from_slice(&allowed)?.f_to_device(device)?.f_view([weights.len() as i64, vocab_size])?,
        log_mu: numbers(&log_mu)?,
        advantages: numbers(&advantages)?,
        weights: numbers(weights)?,
        temperature: rows.first().map_or(1.0, |sample| sample.trajectory.temperature),
    })
}
