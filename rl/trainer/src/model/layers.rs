//! The two layers that everything is made of.

use std::collections::BTreeMap;
use tch::{Kind, Tensor};

pub(super) struct Linear {
    weight: Tensor,
    bias: Option<Tensor>,
}

impl Linear {
    pub(super) fn named(parameters: &BTreeMap<String, Tensor>, name: &str) -> Self {
        Self {
            weight: parameters[&format!("{name}.weight")].shallow_clone(),
            bias: parameters.get(&format!("{name}.bias")).map(Tensor::shallow_clone),
        }
    }

    pub(super) fn forward(&self, input: &Tensor) -> Tensor {
        input.linear(&self.weight, self.bias.as_ref())
    }
}

pub(super) struct RmsNorm {
    weight: Tensor,
    eps: f64,
}

impl RmsNorm {
    pub(super) fn new(weight: &Tensor, eps: f64) -> Self {
        Self { weight: weight.shallow_clone(), eps }
    }

    /// Squares are summed in single precision at least, and the weight comes after the cast back, as in transformers.
    pub(super) fn forward(&self, input: &Tensor) -> Tensor {
        let wide = match input.kind() {
            Kind::Half | Kind::BFloat16 => input.to_kind(Kind::Float),
            _ => input.shallow_clone(),
        };
        let scale = (wide.square().mean_dim(-1, true, wide.kind()) + self.eps).rsqrt();
        (wide * scale).to_kind(input.kind()) * &self.weight
    }
}
