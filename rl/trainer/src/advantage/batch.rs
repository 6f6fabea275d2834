//! Advantages that look beyond their own group.

use super::group::{Group, GrpoNorm, scaled};

/// Under the root of [`whiten`], so that equal values are divided by something.
const WHITEN_EPS: f64 = 1e-8;

/// (v − mean)/√(variance + 1e-8), the variance with n − 1; fewer than two values give 0.
pub fn whiten(values: &[f64]) -> Vec<f64> {
    scaled(values, |all| 1.0 / (all.variance(1).unwrap_or(0.0) + WHITEN_EPS).sqrt())
}

/// Centred by its group, divided by σ + ε of all rewards of the batch (arXiv 2508.08221): a group whose rewards differ
/// little stays small. Give it the groups of one domain, so that domains do not scale each other.
pub fn group_mean_batch_std(groups: &[Vec<f64>], norm: GrpoNorm) -> Vec<Vec<f64>> {
    let scale = Group::of(&groups.concat()).map_or(1.0, |batch| batch.inverse_sigma(norm));
    groups.iter().map(|rewards| scaled(rewards, |_| scale)).collect()
}

/// REINFORCE++ with a baseline (Hu, arXiv 2501.03262): each sampled token has the centred reward of its sequence,
/// whitened over all sampled tokens of the batch, so that long sequences count by their length.
///
/// `centred`: [`super::dr_grpo`] of all groups, one after another. `sequence_of_token`: an index into it for each token.
pub fn reinforce_pp_baseline(centred: &[f64], sequence_of_token: &[usize]) -> Vec<f64> {
    whiten(&sequence_of_token.iter().map(|&sequence| centred[sequence]).collect::<Vec<_>>())
}
