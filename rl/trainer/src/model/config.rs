//! The shape of a decoder, in the names of HuggingFace's config.json.

use super::ModelError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Architecture {
    Llama,
    Qwen2,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    pub architecture: Architecture,
    pub vocab_size: i64,
    pub hidden_size: i64,
    pub intermediate_size: i64,
    pub num_hidden_layers: i64,
    pub num_attention_heads: i64,
    /// Divides `num_attention_heads`; each key and value head serves as many query heads.
    pub num_key_value_heads: i64,
    /// Even; need not be `hidden_size / num_attention_heads`.
    pub head_dim: i64,
    pub rms_norm_eps: f64,
    pub rope_theta: f64,
    /// The head is the token embedding.
    pub tie_word_embeddings: bool,
    /// Llama: biases on the projections to queries, keys, values and output. Qwen2: always true, and without the last.
    pub attention_bias: bool,
    pub max_position_embeddings: i64,
}

impl ModelConfig {
    /// Reads a config.json as transformers 4 and 5 write it. What would change the numbers and is not here is refused
    /// by its name: scaled rotary positions, sliding windows, other activations, quantised weights.
    pub fn from_hf(config: &Value) -> Result<Self, ModelError> {
        let architecture = match config["model_type"].as_str() {
            Some("llama") => Architecture::Llama,
            Some("qwen2") => Architecture::Qwen2,
            _ => return Err(unsupported("model_type", &config["model_type"], "llama, qwen2")),
        };
        refuse_other_arithmetic(config)?;
        let integer = |field: &'static str| config[field].as_i64().ok_or(ModelError::MissingField { field });
        let flag = |field: &str| config[field].as_bool().unwrap_or(false);
        let num_attention_heads = integer("num_attention_heads")?;
        let hidden_size = integer("hidden_size")?;
        let head_dim = config["head_dim"].as_i64().unwrap_or(hidden_size / num_attention_heads.max(1));
        let read = Self {
            architecture,
            vocab_size: integer("vocab_size")?,
            hidden_size,
            intermediate_size: integer("intermediate_size")?,
            num_hidden_layers: integer("num_hidden_layers")?,
            num_attention_heads,
            num_key_value_heads: config["num_key_value_heads"].as_i64().unwrap_or(num_attention_heads),
            head_dim,
            rms_norm_eps: config["rms_norm_eps"].as_f64().ok_or(ModelError::MissingField { field: "rms_norm_eps" })?,
            // transformers 5 writes it into rope_parameters; both take 10,000 where it is absent.
            rope_theta: config["rope_parameters"]["rope_theta"]
                .as_f64()
                .or(config["rope_theta"].as_f64())
                .unwrap_or(10_000.0),
            tie_word_embeddings: flag("tie_word_embeddings"),
            attention_bias: architecture == Architecture::Qwen2 || flag("attention_bias"),
            max_position_embeddings: integer("max_position_embeddings")?,
        };
        read.check()?;
        Ok(read)
    }

    /// A config.json that transformers 4 and 5 read.
    #[must_use]
    pub fn to_hf(&self) -> Value {
        let (model_type, class) = match self.architecture {
            Architecture::Llama => ("llama", "LlamaForCausalLM"),
            Architecture::Qwen2 => ("qwen2", "Qwen2ForCausalLM"),
        };
        json!({
            "architectures": [class],
            "model_type": model_type,
            "vocab_size": self.vocab_size,
            "hidden_size": self.hidden_size,
            "intermediate_size": self.intermediate_size,
            "num_hidden_layers": self.num_hidden_layers,
            "num_attention_heads": self.num_attention_heads,
            "num_key_value_heads": self.num_key_value_heads,
            "head_dim": self.head_dim,
            "hidden_act": "silu",
            "rms_norm_eps": self.rms_norm_eps,
            "rope_theta": self.rope_theta,
            "rope_parameters": { "rope_type": "default", "rope_theta": self.rope_theta },
            "tie_word_embeddings": self.tie_word_embeddings,
            "attention_bias": self.attention_bias,
            "max_position_embeddings": self.max_position_embeddings,
        })
    }

    /// Query heads that share one head of keys and values.
    pub(super) fn group(&self) -> i64 {
        self.num_attention_heads / self.num_key_value_heads
    }

    pub(super) fn check(&self) -> Result<(), ModelError> {
        for (field, given) in [
            ("vocab_size", self.vocab_size),
            ("hidden_size", self.hidden_size),
            ("intermediate_size", self.intermediate_size),
            ("num_hidden_layers", self.num_hidden_layers),
            ("num_attention_heads", self.num_attention_heads),
            ("num_key_value_heads", self.num_key_value_heads),
            ("head_dim", self.head_dim),
            ("max_position_embeddings", self.max_position_embeddings),
        ] {
            holds(given >= 1, field, given, "1 or more")?;
        }
        let (heads, shared) = (self.num_attention_heads, self.num_key_value_heads);
        holds(heads % shared == 0, "num_attention_heads", heads, "a multiple of num_key_value_heads")?;
        holds(self.head_dim % 2 == 0, "head_dim", self.head_dim, "even numbers")?;
        for (field, given) in [("rms_norm_eps", self.rms_norm_eps), ("rope_theta", self.rope_theta)] {
            holds(given > 0.0 && given.is_finite(), field, given, "finite numbers above 0")?;
        }
        let biased = self.attention_bias || self.architecture != Architecture::Qwen2;
        holds(biased, "attention_bias", self.attention_bias, "true for qwen2")
    }
}

fn unsupported(field: &'static str, given: impl ToString, allowed: &'static str) -> ModelError {
    ModelError::Unsupported { field, given: given.to_string(), allowed }
}

fn holds(rule: bool, field: &'static str, given: impl ToString, allowed: &'static str) -> Result<(), ModelError> {
    if rule { Ok(()) } else { Err(unsupported(field, given, allowed)) }
}

fn refuse_other_arithmetic(config: &Value) -> Result<(), ModelError> {
    let plain_rotary = |rope: &Value| {
        let kind = rope.get("rope_type").or_else(|| rope.get("type"));
        kind.is_none_or(|kind| kind == "default")
            && rope.get("partial_rotary_factor").is_none_or(|share| share.as_f64() == Some(1.0))
    };
    let off = |field: &str| !config[field].as_bool().unwrap_or(false);
    let full_attention =
        config["layer_types"].as_array().is_none_or(|layers| layers.iter().all(|layer| layer == "full_attention"));
    let activation = &config["hidden_act"];
    for (rule, field, allowed) in [
        (activation.is_null() || activation == "silu", "hidden_act", "silu"),
        (plain_rotary(&config["rope_scaling"]), "rope_scaling", "null"),
        (plain_rotary(&config["rope_parameters"]), "rope_parameters", "rope_type default, over the whole head"),
        (off("use_sliding_window"), "use_sliding_window", "false"),
        (full_attention, "layer_types", "full_attention in every layer"),
        (off("mlp_bias"), "mlp_bias", "false"),
        (config["quantization_config"].is_null(), "quantization_config", "null"),
    ] {
        holds(rule, field, &config[field], allowed)?;
    }
    Ok(())
}
