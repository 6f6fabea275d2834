//! One layer of the decoder: attention and SwiGLU, each after a norm and beside the residual stream.

use super::ModelConfig;
use super::attention::Attention;
use super::cache::{KvCache, Piece};
use super::layers::{Linear, RmsNorm};
use super::rotary::Angles;
use std::collections::BTreeMap;
use tch::Tensor;

pub(super) struct Block {
    before_attention: RmsNorm,
    attention: Attention,
    before_mlp: RmsNorm,
    gate: Linear,
    up: Linear,
    down: Linear,
}

impl Block {
    pub(super) fn named(parameters: &BTreeMap<String, Tensor>, name: &str, config: &ModelConfig) -> Self {
        let norm = |which: &str| RmsNorm::new(&parameters[&format!("{name}.{which}.weight")], config.rms_norm_eps);
        let linear = |which: &str| Linear::named(parameters, &format!("{name}.mlp.{which}_proj"));
        Self {
            before_attention: norm("input_layernorm"),
            attention: Attention::named(parameters, &format!("{name}.self_attn"), config),
            before_mlp: norm("post_attention_layernorm"),
            gate: linear("gate"),
            up: linear("up"),
            down: linear("down"),
        }
    }

    pub(super) fn forward(&self, stream: Tensor, angles: &Angles) -> Tensor {
        let attended = self.attention.forward(&self.before_attention.forward(&stream), angles);
        self.add_mlp(stream + attended)
    }

    pub(super) fn extend(
        &self,
        stream: Tensor,
        angles: &Angles,
        cache: &mut KvCache,
        layer: usize,
        piece: &Piece,
    ) -> Tensor {
        let attended = self.attention.extend(&self.before_attention.forward(&stream), angles, cache, layer, piece);
        self.add_mlp(stream + attended)
    }

    fn add_mlp(&self, stream: Tensor) -> Tensor {
        let input = self.before_mlp.forward(&stream);
        let gated = self.gate.forward(&input).silu() * self.up.forward(&input);
        stream + self.down.forward(&gated)
    }
}
