//! CISPO (MiniMax-M1, arXiv 2506.13585): the weight is clipped, no token loses its gradient.

use serde::{Deserialize, Serialize};
use tch::Tensor;

use super::{PolicyLoss, log_ratio, share};

/// Two conventions go by one name.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CispoClip {
    /// The ratio is held within [1 − low, 1 + high], as in verl and SkyRL.
    TwoSided { low: f64, high: f64 },
    /// The ratio is held below `most` itself, as in TRL.
    UpperOnly { most: f64 },
}

/// −sg[clip(ρ)]·A·log π; all `[n]`.
pub fn cispo(log_prob: &Tensor, log_old: &Tensor, advantage: &Tensor, clip: CispoClip) -> PolicyLoss {
    let ratio = log_ratio(log_prob, log_old).exp().detach();
    let weight = match clip {
        CispoClip::TwoSided { low, high } => ratio.clamp(1.0 - low, 1.0 + high),
        CispoClip::UpperOnly { most } => ratio.clamp_max(most),
    };
    let clipped_share = share(&weight.ne_tensor(&ratio));
    PolicyLoss { per_token: -(weight * advantage.detach() * log_prob), clipped_share }
}
