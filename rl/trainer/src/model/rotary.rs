//! Rotary positions (RoFormer), in HuggingFace's layout: dimension i turns with i + head_dim / 2.

use super::ModelConfig;
use tch::{Device, Kind, Tensor};

pub(super) struct Rotary {
    /// [head_dim / 2], radians a token.
    frequencies: Tensor,
    kind: Kind,
}

/// Cosine and sine of every position, [.., tokens, 1, head_dim].
pub(super) struct Angles {
    cosine: Tensor,
    sine: Tensor,
}

impl Rotary {
    pub(super) fn new(config: &ModelConfig, device: Device, kind: Kind) -> Self {
        let exponents =
            Tensor::arange_start_step(0, config.head_dim, 2, tch::kind::DOUBLE_CPU) / config.head_dim as f64;
        // Angles of late positions lose their meaning in 16 bits; single precision is what checkpoints were trained with.
        let wide = if kind == Kind::Double { Kind::Double } else { Kind::Float };
        let frequencies = Tensor::pow_scalar(config.rope_theta, &exponents).reciprocal();
        Self { frequencies: frequencies.to_kind(wide).to_device(device), kind }
    }

    /// `positions`: [.., tokens], Int64.
    pub(super) fn angles(&self, positions: &Tensor) -> Angles {
        let half = positions.to_kind(self.frequencies.kind()).unsqueeze(-1) * &self.frequencies;
        let whole = Tensor::cat(&[&half, &half], -1).unsqueeze(-2);
        Angles { cosine: whole.cos().to_kind(self.kind), sine: whole.sin().to_kind(self.kind) }
    }
}

impl Angles {
    /// `heads`: [batch, tokens, heads, head_dim].
    pub(super) fn turn(&self, heads: &Tensor) -> Tensor {
        let half = heads.size()[3] / 2;
        let (first, second) = (heads.narrow(-1, 0, half), heads.narrow(-1, half, half));
        heads * &self.cosine + Tensor::cat(&[second.neg(), first], -1) * &self.sine
    }
}
