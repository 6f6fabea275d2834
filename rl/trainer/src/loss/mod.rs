//! Losses of policies and values: functions on tensors, one number a token, with gradients.
//!
//! All sampled tokens of a batch, or of a part of it, lie in one dimension `[n]`; prompts and tool results are not among
//! them. [`token_weights`] makes one number of a batch: Σ weight · loss. Kind and device are those of the arguments.
//! What is data (advantages, returns, log-probabilities of older or reference weights) is read without gradient.

mod aggregate;
mod cispo;
mod importance;
mod kl;
mod masked_softmax;
mod policy;
mod value;

use tch::{Kind, Tensor};

pub use aggregate::{Aggregation, token_weights};
pub use cispo::{CispoClip, cispo};
pub use importance::truncated_importance;
pub use kl::{KlEstimator, kl};
pub use masked_softmax::{masked_entropy, masked_log_probs};
pub use policy::{Clip, PolicyLoss, gspo, ppo_clip, reinforce};
pub use value::value_loss;

/// Logarithms of ratios are held within ±20: in f32 a larger one may overflow, and 0·∞ is a gradient of NaN.
/// No update follows a ratio of e²⁰.
const LOG_RATIO_LIMIT: f64 = 20.0;

/// log π − log π_base within the limit, with the gradient of π alone.
fn log_ratio(log_prob: &Tensor, log_base: &Tensor) -> Tensor {
    (log_prob - log_base.detach()).clamp(-LOG_RATIO_LIMIT, LOG_RATIO_LIMIT)
}

/// Share of true ones, 0 of none.
fn share(flags: &Tensor) -> f64 {
    if flags.numel() == 0 { 0.0 } else { flags.to_kind(Kind::Double).mean(Kind::Double).double_value(&[]) }
}
