//! Supervised learning on demonstrations: cross entropy at the places where the policy had a choice.

use super::step::{place, sampled_logits};
use super::{Sample, StepError, micro_batches};
use crate::loss::{Aggregation, masked_log_probs, reinforce};
use crate::model::CausalLm;
use crate::optimizer::{AdamW, clip_grad_norm, zero_grad};
use crate::trajectory::Trajectory;
use serde::{Deserialize, Serialize};
use tch::Kind;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SftConfig {
    pub max_grad_norm: f64,
    pub micro_batch_tokens: usize,
}

/// Before the update.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SftMetrics {
    /// Mean of −log π, nats a choice.
    pub loss: f64,
    /// Share of the choices at which what was demonstrated is the likeliest.
    pub accuracy: f64,
    pub grad_norm: f64,
    pub tokens: u64,
}

/// One update towards what was demonstrated, as a mean over all choices of the batch.
pub fn sft_step(
    model: &CausalLm,
    optimizer: &mut AdamW,
    demonstrations: &[&Trajectory],
    learning_rate: f64,
    config: SftConfig,
) -> Result<SftMetrics, StepError> {
    let samples: Vec<Sample> = demonstrations.iter().map(|trajectory| Sample { trajectory, advantage: 1.0 }).collect();
    let (device, kind) = place(model);
    let vocab_size = model.config().vocab_size;
    let parts = micro_batches(&samples, Aggregation::TokenMean, vocab_size, config.micro_batch_tokens, device, kind)?;
    let (mut loss_sum, mut right, mut tokens) = (0.0, 0.0, 0_u64);
    zero_grad(model.parameters());
    for part in &parts {
        let logits = sampled_logits(model, part)?;
        let log_prob = masked_log_probs(&logits, &part.allowed, part.temperature, &part.tokens);
        let loss = (reinforce(&log_prob, &part.advantages) * &part.weights).f_sum(Kind::Double)?;
        loss.f_backward()?;
        loss_sum += loss.double_value(&[]);
        let likeliest = logits.detach().masked_fill(&part.allowed.logical_not(), f64::NEG_INFINITY).argmax(-1, false);
        right += likeliest.eq_tensor(&part.tokens).sum(Kind::Double).double_value(&[]);
        tokens += part.tokens.numel() as u64;
    }
    let grad_norm = clip_grad_norm(model.parameters(), config.max_grad_norm);
    if !loss_sum.is_finite() || !grad_norm.is_finite() {
        return Err(StepError::Loss(loss_sum));
    }
    if tokens > 0 {
        optimizer.step(model.parameters(), learning_rate);
    }
    let count = tokens.max(1) as f64;
    Ok(SftMetrics { loss: loss_sum, accuracy: right / count, grad_norm, tokens })
}
