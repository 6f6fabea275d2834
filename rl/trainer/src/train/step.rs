//! A policy-gradient step: PPO's clip around the weights that sampled, with entropy and KL where they are asked for.

use super::{BatchError, MicroBatch, Sample, micro_batches};
use crate::loss::{Aggregation, Clip, KlEstimator, kl, masked_entropy, masked_log_probs, ppo_clip};
use crate::model::CausalLm;
use crate::optimizer::{AdamW, clip_grad_norm, zero_grad};
use serde::{Deserialize, Serialize};
use tch::{Device, Kind, Tensor};

#[derive(Debug, Clone)]
pub struct StepConfig {
    pub clip: Clip,
    /// Of each minibatch: it is the batch of its update.
    pub aggregation: Aggregation,
    /// Nats are added to the objective at this price.
    pub entropy_coefficient: f64,
    pub max_grad_norm: f64,
    /// Times that each sample is learnt from.
    pub epochs: u32,
    /// Parts of the samples, in their order and of one size or nearly, with an update each.
    pub minibatches: u32,
    /// Places, padding included, that go through the model at once.
    pub micro_batch_tokens: usize,
}

/// What the policy is held near.
#[derive(Clone, Copy)]
pub struct Reference<'a> {
    pub model: &'a CausalLm,
    pub coefficient: f64,
    pub estimator: KlEstimator,
}

impl Reference<'_> {
    /// `[n]`.
    fn penalty(self, part: &MicroBatch, log_prob: &Tensor) -> Result<Tensor, tch::TchError> {
        let logits = {
            let _guard = tch::no_grad_guard();
            sampled_logits(self.model, part)?
        };
        let log_ref = masked_log_probs(&logits, &part.allowed, part.temperature, &part.tokens);
        Ok(kl(self.estimator, log_prob, &part.log_mu, &log_ref) * self.coefficient)
    }
}

/// Of all updates of one step; means are over sampled tokens.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StepMetrics {
    pub loss: f64,
    /// Nats.
    pub entropy: f64,
    /// k3 of KL(μ‖π), μ being the weights that sampled.
    pub kl_k3: f64,
    pub clipped_share: f64,
    /// Of the last update, before clipping.
    pub grad_norm: f64,
    /// Largest log π − log μ, 0 at least.
    pub log_ratio_max: f64,
    /// max |log π − log μ| over the tokens of the first update, before it: 0 but for rounding where the weights are those
    /// that sampled.
    pub parity: f64,
    pub tokens: u64,
    pub updates: u64,
    /// Updates left out because their gradient was not finite.
    pub skipped_updates: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The weights, or what is trained on, are beyond repair: an update would spread it.
    #[error(
        "the loss is {0}: the last checkpoint before this step is the last good one; a lower learning rate may help"
    )]
    Loss(f64),
    #[error(transparent)]
    Batch(#[from] BatchError),
    #[error(transparent)]
    Torch(#[from] tch::TchError),
}

/// Learns from `samples`, in the order given. The log-probabilities that were recorded at sampling are the old ones of
/// the clip in every epoch.
pub fn policy_step(
    model: &CausalLm,
    optimizer: &mut AdamW,
    samples: &[Sample],
    reference: Option<Reference>,
    learning_rate: f64,
    config: &StepConfig,
) -> Result<StepMetrics, StepError> {
    let mut sums = Sums::default();
    let count = config.minibatches.max(1) as usize;
    let bound = |part: usize| part * samples.len() / count;
    for part in (0..config.epochs).flat_map(|_| 0..count) {
        let minibatch = &samples[bound(part)..bound(part + 1)];
        let (device, kind) = place(model);
        let vocab_size = model.config().vocab_size;
        let parts = micro_batches(minibatch, config.aggregation, vocab_size, config.micro_batch_tokens, device, kind)?;
        if parts.is_empty() {
            continue;
        }
        zero_grad(model.parameters());
        for part in &parts {
            let loss = part_loss(model, part, reference, config, &mut sums)?;
            loss.f_backward()?;
        }
        let norm = clip_grad_norm(model.parameters(), config.max_grad_norm);
        if norm.is_finite() {
            optimizer.step(model.parameters(), learning_rate);
            sums.grad_norm = norm;
        } else {
            sums.skipped += 1;
        }
        sums.updates += 1;
    }
    Ok(sums.metrics())
}

/// Where a model is, and in which kind its losses are reckoned.
pub(super) fn place(model: &CausalLm) -> (Device, Kind) {
    let kind = if model.kind() == Kind::Double { Kind::Double } else { Kind::Float };
    (model.device(), kind)
}

/// Logits at the places that were sampled from: `[n, vocab]`. The head sees no other place.
pub(super) fn sampled_logits(model: &CausalLm, part: &MicroBatch) -> Result<Tensor, tch::TchError> {
    let hidden = model.hidden(&part.ids);
    let flat = hidden.f_reshape([-1, model.config().hidden_size])?;
    Ok(model.logits(&flat.f_index_select(0, &part.places)?))
}

fn part_loss(
    model: &CausalLm,
    part: &MicroBatch,
    reference: Option<Reference>,
    config: &StepConfig,
    sums: &mut Sums,
) -> Result<Tensor, StepError> {
    let logits = sampled_logits(model, part)?;
    let log_prob = masked_log_probs(&logits, &part.allowed, part.temperature, &part.tokens);
    let policy = ppo_clip(&log_prob, &part.log_mu, &part.advantages, &config.clip);
    // Its gradient costs time where nothing follows it.
    let watched = if config.entropy_coefficient == 0.0 { logits.detach() } else { logits };
    let entropy = masked_entropy(&watched, &part.allowed, part.temperature);
    let held_near = match reference {
        Some(reference) => reference.penalty(part, &log_prob)?,
        None => log_prob.zeros_like(),
    };
    let per_token = policy.per_token - &entropy * config.entropy_coefficient + held_near;
    let loss = (per_token * &part.weights).f_sum(Kind::Double)?;
    let value = loss.double_value(&[]);
    if !value.is_finite() {
        return Err(StepError::Loss(value));
    }
    sums.add(part, &log_prob.detach(), &entropy.detach(), policy.clipped_share, value);
    Ok(loss)
}

#[derive(Default)]
struct Sums {
    loss: f64,
    entropy: f64,
    kl_k3: f64,
    clipped: f64,
    grad_norm: f64,
    log_ratio_max: f64,
    parity: f64,
    tokens: u64,
    updates: u64,
    skipped: u64,
}

impl Sums {
    fn add(&mut self, part: &MicroBatch, log_prob: &Tensor, entropy: &Tensor, clipped_share: f64, loss: f64) {
        let count = part.tokens.numel() as f64;
        let log_ratio = (log_prob - &part.log_mu).to_kind(Kind::Double);
        self.loss += loss;
        self.entropy += entropy.sum(Kind::Double).double_value(&[]);
        self.kl_k3 += (log_ratio.expm1() - &log_ratio).sum(Kind::Double).double_value(&[]);
        self.clipped += clipped_share * count;
        self.log_ratio_max = self.log_ratio_max.max(log_ratio.max().double_value(&[]));
        if self.updates == 0 {
            self.parity = self.parity.max(log_ratio.abs().max().double_value(&[]));
        }
        self.tokens += part.tokens.numel() as u64;
    }

    fn metrics(self) -> StepMetrics {
        let tokens = self.tokens.max(1) as f64;
        StepMetrics {
            loss: self.loss / self.updates.max(1) as f64,
            entropy: self.entropy / tokens,
            kl_k3: self.kl_k3 / tokens,
            clipped_share: self.clipped / tokens,
            grad_norm: self.grad_norm,
            log_ratio_max: self.log_ratio_max,
            parity: self.parity,
            tokens: self.tokens,
            updates: self.updates,
            skipped_updates: self.skipped,
        }
    }
}
