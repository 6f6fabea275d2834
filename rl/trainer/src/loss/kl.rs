//! Estimators of KL(π‖ref) from samples of π, as losses.

use serde::{Deserialize, Serialize};
use tch::Tensor;

use super::{LOG_RATIO_LIMIT, log_ratio};

/// With x = log π − log π_ref. All but k2 have the mean KL(π‖ref); gradients differ, and training follows gradients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KlEstimator {
    /// x. Its gradient has the mean 0: a number to log or to take from the reward, never a loss.
    K1,
    /// x²/2. Its gradient has the mean ∇KL(π‖ref).
    K2,
    /// e^(−x) − 1 + x. Its gradient has the mean ∇KL(ref‖π): the other direction.
    K3,
    /// ρ·k3, ρ = π/π_old. Its gradient has the mean ∇KL(π‖ref), also off-policy.
    RatioK3,
}

/// All `[n]`, of the tokens sampled. `log_old`, of the weights that sampled, is read by [`KlEstimator::RatioK3`] alone.
pub fn kl(estimator: KlEstimator, log_prob: &Tensor, log_old: &Tensor, log_ref: &Tensor) -> Tensor {
    let x = log_prob - log_ref.detach();
    match estimator {
        KlEstimator::K1 => x,
        KlEstimator::K2 => x.square() / 2.0,
        KlEstimator::K3 => k3(&x),
        KlEstimator::RatioK3 => log_ratio(log_prob, log_old).exp() * k3(&x),
    }
}

fn k3(x: &Tensor) -> Tensor {
    (-x).clamp_max(LOG_RATIO_LIMIT).expm1() + x
}
