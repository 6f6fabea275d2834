//! Policy-gradient losses: REINFORCE, PPO's clip and GSPO.

use serde::{Deserialize, Serialize};
use tch::Tensor;

use super::{LOG_RATIO_LIMIT, log_ratio, share};

/// Bounds of the ratio ρ = π/π_old.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Clip {
    /// ρ below 1 − `low` is worth nothing more.
    pub low: f64,
    /// ρ above 1 + `high` is worth nothing more. Greater than `low` is DAPO's clip-higher (0.28 beside 0.2).
    pub high: f64,
    /// Dual clip (Ye et al., arXiv 1912.09729): where A < 0 the loss is at most −A times this (3).
    pub dual: Option<f64>,
}

impl Default for Clip {
    fn default() -> Self {
        Self { low: 0.2, high: 0.2, dual: None }
    }
}

/// A loss and how much of it was bounded.
#[derive(Debug)]
pub struct PolicyLoss {
    /// `[n]`.
    pub per_token: Tensor,
    /// Share of the tokens at which a bound holds.
    pub clipped_share: f64,
}

/// −A·log π: `[n]`. With A = 1 it is the loss of supervised training.
pub fn reinforce(log_prob: &Tensor, advantage: &Tensor) -> Tensor {
    -(log_prob * advantage.detach())
}

/// max(−ρA, −clip(ρ, 1 − low, 1 + high)·A), and the dual clip where it is asked for (Schulman et al., arXiv 1707.06347).
/// All `[n]`; `log_old` is of the weights before the first step on this batch.
pub fn ppo_clip(log_prob: &Tensor, log_old: &Tensor, advantage: &Tensor, clip: &Clip) -> PolicyLoss {
    clipped_surrogate(&log_ratio(log_prob, log_old), advantage, clip)
}

/// GSPO (Zheng et al., arXiv 2507.18071) in its token form: ρ of a token is `s·π/sg[π]`, s = exp(mean of log π/π_old over
/// its sequence). Clips are near 3e-4 and 4e-4, the aggregation is `SeqMeanTokenMean`.
///
/// `sequence_of_token`: for each token an index below `sequences`. No sequence may be split over two calls.
pub fn gspo(
    log_prob: &Tensor,
    log_old: &Tensor,
    advantage: &Tensor,
    sequence_of_token: &[usize],
    sequences: usize,
    clip: &Clip,
) -> PolicyLoss {
    let index: Vec<i64> = sequence_of_token.iter().map(|&sequence| sequence as i64).collect();
    let index = Tensor::from_slice(&index).to_device(log_prob.device());
    let held = log_prob.detach();
    let log_ratios = &held - log_old.detach();
    let zeros = Tensor::zeros([sequences as i64], (log_prob.kind(), log_prob.device()));
    let counts = zeros.index_add(0, &index, &log_ratios.ones_like()).clamp_min(1.0);
    let means = zeros.index_add(0, &index, &log_ratios) / counts;
    let of_token = log_prob - held + means.index_select(0, &index);
    clipped_surrogate(&of_token.clamp(-LOG_RATIO_LIMIT, LOG_RATIO_LIMIT), advantage, clip)
}

fn clipped_surrogate(log_ratio: &Tensor, advantage: &Tensor, clip: &Clip) -> PolicyLoss {
    let advantage = advantage.detach();
    let ratio = log_ratio.exp();
    let plain = -(&ratio * &advantage);
    let clipped = -(ratio.clamp(1.0 - clip.low, 1.0 + clip.high) * &advantage);
    let mut bounded = clipped.gt_tensor(&plain);
    let mut per_token = plain.maximum(&clipped);
    if let Some(most) = clip.dual {
        let ceiling = -(&advantage * most);
        let held = advantage.lt(0.0).logical_and(&per_token.gt_tensor(&ceiling));
        per_token = ceiling.where_self(&held, &per_token);
        bounded = bounded.logical_or(&held);
    }
    PolicyLoss { per_token, clipped_share: share(&bounded) }
}
