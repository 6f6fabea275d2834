//! Weights of tokens that other weights of the policy sampled.

use tch::Tensor;

use super::log_ratio;

/// min(π_near/μ, most): `[n]`, without gradient. `log_mu` is of the weights that sampled, `log_near` of newer ones.
///
/// Times the loss of [`super::ppo_clip`] with `log_old = log_near` it is decoupled PPO (AReaL, arXiv 2505.24298; most = 5):
/// the clip is around recent weights, however stale the sample. Where `log_near` is only the trainer's own reckoning of
/// the weights that sampled, it is truncated importance sampling (most = 2).
pub fn truncated_importance(log_near: &Tensor, log_mu: &Tensor, most: f64) -> Tensor {
    log_ratio(log_near, log_mu).exp().clamp_max(most).detach()
}
