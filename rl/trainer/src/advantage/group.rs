//! Advantages from the rewards of one group: the samples of one task instance.
//!
//! A reward that is not finite is absent: its advantage is 0 and the others do not see it. With fewer than two rewards
//! there is nothing to be held against, and every advantage is 0.

use serde::{Deserialize, Serialize};

/// How [`grpo`] divides by the spread σ of a group.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GrpoNorm {
    /// The variance is a sum divided by n − `ddof`: 1 or 0.
    pub ddof: u32,
    /// Added to σ, in the unit of the rewards.
    pub eps: f64,
    /// A group with a smaller σ is centred only: what rounding left of equal rewards would be blown up to full size.
    pub sigma_floor: f64,
}

impl Default for GrpoNorm {
    fn default() -> Self {
        Self { ddof: 1, eps: 1e-6, sigma_floor: 1e-3 }
    }
}

/// r − μ, each divided by σ + ε (Shao et al., arXiv 2402.03300).
pub fn grpo(rewards: &[f64], norm: GrpoNorm) -> Vec<f64> {
    scaled(rewards, |group| group.inverse_sigma(norm))
}

/// r − μ (Liu et al., arXiv 2503.20783). Its expected gradient is (G − 1)/G of the true one.
pub fn dr_grpo(rewards: &[f64]) -> Vec<f64> {
    scaled(rewards, |_| 1.0)
}

/// r − mean of the others = G/(G − 1)·(r − μ) (Ahmadian et al., arXiv 2402.14740). Unbiased.
pub fn rloo(rewards: &[f64]) -> Vec<f64> {
    scaled(rewards, |group| group.count / (group.count - 1.0))
}

/// (r − μ)/μ for rewards of 0 or more (arXiv 2602.02710); 0 where μ is.
pub fn maxrl(rewards: &[f64]) -> Vec<f64> {
    scaled(rewards, |group| if group.mean > 0.0 { 1.0 / group.mean } else { 0.0 })
}

/// Statistics of two or more finite numbers.
pub(super) struct Group {
    pub(super) count: f64,
    pub(super) mean: f64,
    /// Σ(r − μ)².
    squares: f64,
}

impl Group {
    pub(super) fn of(rewards: &[f64]) -> Option<Self> {
        let present: Vec<f64> = rewards.iter().copied().filter(|reward| reward.is_finite()).collect();
        if present.len() < 2 {
            return None;
        }
        let count = present.len() as f64;
        let least = present.iter().copied().fold(f64::INFINITY, f64::min);
        let most = present.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Rounding can put the mean of equal rewards beside them; then no advantage would be exactly 0.
        let mean = (present.iter().sum::<f64>() / count).clamp(least, most);
        let squares = present.iter().map(|reward| (reward - mean) * (reward - mean)).sum();
        Some(Self { count, mean, squares })
    }

    /// `None` where n ≤ `ddof`.
    pub(super) fn variance(&self, ddof: u32) -> Option<f64> {
        let freedom = self.count - f64::from(ddof);
        (freedom > 0.0).then_some(self.squares / freedom)
    }

    /// 1/(σ + ε), or 1 for a group that is not to be divided.
    pub(super) fn inverse_sigma(&self, norm: GrpoNorm) -> f64 {
        match self.variance(norm.ddof).map(f64::sqrt) {
            Some(sigma) if sigma >= norm.sigma_floor => 1.0 / (sigma + norm.eps),
            _ => 1.0,
        }
    }
}

/// r − μ times what `scale` makes of the group.
pub(super) fn scaled(rewards: &[f64], scale: impl FnOnce(&Group) -> f64) -> Vec<f64> {
    let Some(group) = Group::of(rewards) else {
        return vec![0.0; rewards.len()];
    };
    let scale = scale(&group);
    let advantage = |reward: &f64| if reward.is_finite() { (reward - group.mean) * scale } else { 0.0 };
    rewards.iter().map(advantage).collect()
}
