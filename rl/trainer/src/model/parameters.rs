//! Which parameters a decoder has: HuggingFace's names, and shapes as [out, in].

use super::{Architecture, ModelConfig, ModelError};
use std::collections::BTreeMap;
use tch::{Device, Kind, Tensor};

pub(super) const EMBEDDING: &str = "model.embed_tokens.weight";
pub(super) const FINAL_NORM: &str = "model.norm.weight";
pub(super) const HEAD: &str = "lm_head.weight";
pub(super) const VALUE_HEAD: &str = "value_head.weight";

pub(super) fn layer(index: i64) -> String {
    format!("model.layers.{index}")
}

pub(super) fn shapes(config: &ModelConfig, value_head: bool) -> BTreeMap<String, Vec<i64>> {
    let hidden = config.hidden_size;
    let queries = config.num_attention_heads * config.head_dim;
    let keys = config.num_key_value_heads * config.head_dim;
    let mut shapes = BTreeMap::from([
        (EMBEDDING.to_owned(), vec![config.vocab_size, hidden]),
        (FINAL_NORM.to_owned(), vec![hidden]),
    ]);
    if !config.tie_word_embeddings {
        shapes.insert(HEAD.to_owned(), vec![config.vocab_size, hidden]);
    }
    if value_head {
        shapes.insert(VALUE_HEAD.to_owned(), vec![1, hidden]);
    }
    let output_bias = config.attention_bias && config.architecture == Architecture::Llama;
    for layer in (0..config.num_hidden_layers).map(layer) {
        for (name, out, input, bias) in [
            ("self_attn.q_proj", queries, hidden, config.attention_bias),
            ("self_attn.k_proj", keys, hidden, config.attention_bias),
            ("self_attn.v_proj", keys, hidden, config.attention_bias),
            ("self_attn.o_proj", hidden, queries, output_bias),
            ("mlp.gate_proj", config.intermediate_size, hidden, false),
            ("mlp.up_proj", config.intermediate_size, hidden, false),
            ("mlp.down_proj", hidden, config.intermediate_size, false),
        ] {
            shapes.insert(format!("{layer}.{name}.weight"), vec![out, input]);
            if bias {
                shapes.insert(format!("{layer}.{name}.bias"), vec![out]);
            }
        }
        for name in ["input_layernorm", "post_attention_layernorm"] {
            shapes.insert(format!("{layer}.{name}.weight"), vec![hidden]);
        }
    }
    shapes
}

/// A leaf of the graph, so that `backward` puts a gradient into it.
pub(super) fn leaf(tensor: &Tensor, device: Device, kind: Kind) -> Result<Tensor, ModelError> {
    Ok(tensor.f_to_device(device)?.f_to_kind(kind)?.f_set_requires_grad(true)?)
}
