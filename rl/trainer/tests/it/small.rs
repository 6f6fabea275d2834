//! A decoder small enough to test, and numbers for it.

use maquette_train::model::{Architecture, CausalLm, ModelConfig};
use maquette_train::sampling::uniform;
use tch::{Device, Kind, Tensor};

pub(crate) fn config() -> ModelConfig {
    ModelConfig {
        architecture: Architecture::Llama,
        vocab_size: 50,
        hidden_size: 32,
        intermediate_size: 48,
        num_hidden_layers: 2,
        num_attention_heads: 4,
        num_key_value_heads: 2,
        head_dim: 8,
        rms_norm_eps: 1e-6,
        rope_theta: 10_000.0,
        tie_word_embeddings: true,
        attention_bias: false,
        max_position_embeddings: 64,
    }
}

/// With a value head that is not 0.
pub(crate) fn decoder(config: &ModelConfig, seed: u64, kind: Kind) -> CausalLm {
    let model = CausalLm::new(config, true, seed, Device::Cpu, kind).unwrap();
    let _guard = tch::no_grad_guard();
    for (name, parameter) in model.parameters() {
        if name == "value_head.weight" {
            let _ = parameter.shallow_clone().g_add_scalar_(0.1);
        }
    }
    model
}

/// Determinate draws.
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 += 1;
        (uniform(5, 9, 0, self.0) * bound as f64) as usize
    }

    pub(crate) fn tokens(&mut self, count: usize) -> Vec<i64> {
        (0..count).map(|_| self.below(50) as i64).collect()
    }
}

/// Token ids as a batch of one.
pub(crate) fn row(tokens: &[i64]) -> Tensor {
    Tensor::from_slice(tokens).unsqueeze(0)
}

/// The largest difference of two tensors of one shape.
pub(crate) fn farthest(left: &Tensor, right: &Tensor) -> f64 {
    assert_eq!(left.size(), right.size());
    (left.to_kind(Kind::Double) - right.to_kind(Kind::Double)).abs().max().double_value(&[])
}
