//! A decoder in the manner of Llama and Qwen2: one code for sampling and for gradients.

mod attention;
mod block;
mod cache;
mod config;
mod error;
mod init;
mod layers;
mod parameters;
mod pretrained;
mod rotary;

pub use cache::{KvCache, Prefix};
pub use config::{Architecture, ModelConfig};
pub use error::ModelError;

use block::Block;
use layers::RmsNorm;
use parameters::{EMBEDDING, FINAL_NORM, HEAD, VALUE_HEAD};
use rotary::Rotary;
use std::collections::BTreeMap;
use tch::{Device, Kind, Tensor};

/// Token embedding, blocks of attention and SwiGLU, a last norm, a head over the vocabulary, and perhaps one that
/// predicts the return. Like the plain methods of tch it panics on ids that are not in the vocabulary.
pub struct CausalLm {
    config: ModelConfig,
    parameters: BTreeMap<String, Tensor>,
    embedding: Tensor,
    blocks: Vec<Block>,
    norm: RmsNorm,
    head: Tensor,
    value_head: Option<Tensor>,
    rotary: Rotary,
}

impl CausalLm {
    /// First weights that are a function of `seed` and `config` alone.
    pub fn new(
        config: &ModelConfig,
        value_head: bool,
        seed: u64,
        device: Device,
        kind: Kind,
    ) -> Result<Self, ModelError> {
        config.check()?;
        let mut parameters = BTreeMap::new();
        for (name, shape) in parameters::shapes(config, value_head) {
            let first = init::initial(config, &name, &shape, seed);
            parameters.insert(name, parameters::leaf(&first, device, kind)?);
        }
        Ok(Self::of(config.clone(), parameters))
    }

    /// `parameters`: all that `parameters::shapes` names; layers share their storage.
    fn of(config: ModelConfig, parameters: BTreeMap<String, Tensor>) -> Self {
        let embedding = parameters[EMBEDDING].shallow_clone();
        Self {
            blocks: (0..config.num_hidden_layers)
                .map(|layer| Block::named(&parameters, &parameters::layer(layer), &config))
                .collect(),
            norm: RmsNorm::new(&parameters[FINAL_NORM], config.rms_norm_eps),
            head: parameters.get(HEAD).unwrap_or(&embedding).shallow_clone(),
            value_head: parameters.get(VALUE_HEAD).map(Tensor::shallow_clone),
            rotary: Rotary::new(&config, embedding.device(), embedding.kind()),
            embedding,
            config,
            parameters,
        }
    }

    /// The same weights, in tensors of its own.
    #[must_use]
    pub fn copy(&self) -> Self {
        let own = |tensor: &Tensor| tensor.detach().copy().set_requires_grad(true);
        let parameters = self.parameters.iter().map(|(name, tensor)| (name.clone(), own(tensor))).collect();
        Self::of(self.config.clone(), parameters)
    }

    #[must_use]
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    #[must_use]
    pub fn device(&self) -> Device {
        self.embedding.device()
    }

    #[must_use]
    pub fn kind(&self) -> Kind {
        self.embedding.kind()
    }

    /// Trainable leaves under HuggingFace's names; the value head is `value_head.weight`, [1, hidden_size].
    #[must_use]
    pub fn parameters(&self) -> &BTreeMap<String, Tensor> {
        &self.parameters
    }

    /// Takes the weights of `other`, a model of the same shape. Parameters that only one of them has stay as they are.
    pub fn copy_from(&self, other: &Self) {
        let _guard = tch::no_grad_guard();
        for (name, parameter) in &self.parameters {
            if let Some(source) = other.parameters.get(name) {
                parameter.shallow_clone().copy_(source);
            }
        }
    }

    /// `ids`: [batch, tokens], Int64, padded on the right with any token: a token sees none after it.
    /// → [batch, tokens, hidden_size], after the last norm.
    pub fn hidden(&self, ids: &Tensor) -> Tensor {
        let ids = ids.to_device(self.device());
        let tokens = ids.size().last().copied().unwrap_or(0);
        let angles = self.rotary.angles(&Tensor::arange(tokens, (Kind::Int64, self.device())));
        let stream = Tensor::embedding(&self.embedding, &ids, -1, false, false);
        self.norm.forward(&self.blocks.iter().fold(stream, |stream, block| block.forward(stream, &angles)))
    }

    /// [.., hidden_size] → [.., vocab_size], Float, or Double if the model is.
    pub fn logits(&self, hidden: &Tensor) -> Tensor {
        widened(hidden.linear(&self.head, None::<&Tensor>))
    }

    /// [.., hidden_size] → [..], Float, or Double if the model is. None without a value head.
    #[must_use]
    pub fn values(&self, hidden: &Tensor) -> Option<Tensor> {
        let value_head = self.value_head.as_ref()?;
        Some(widened(hidden.linear(value_head, None::<&Tensor>).squeeze_dim(-1)))
    }

    /// [`Self::hidden`] one piece at a time. Row i of `ids` [rows, tokens] continues slot `slots[i]` by its first
    /// `counts[i]` tokens, perhaps none; the rest is padding of any token. → [rows, tokens, hidden_size], of which
    /// padding's part means nothing. Runs without gradients. An error leaves the cache as it was.
    pub fn extend(
        &self,
        cache: &mut KvCache,
        slots: &[usize],
        ids: &Tensor,
        counts: &[usize],
    ) -> Result<Tensor, ModelError> {
        let _guard = tch::no_grad_guard();
        let piece = cache.piece(slots, ids.size2()?, counts)?;
        let mut stream = Tensor::f_embedding(&self.embedding, &ids.f_to_device(self.device())?, -1, false, false)?;
        let angles = self.rotary.angles(&piece.positions);
        for (layer, block) in self.blocks.iter().enumerate() {
            stream = block.extend(stream, &angles, cache, layer, &piece);
        }
        cache.advance(slots, counts);
        Ok(self.norm.forward(&stream))
    }
}

/// 16 bits are too few for log-probabilities.
fn widened(tensor: Tensor) -> Tensor {
    match tensor.kind() {
        Kind::Double => tensor,
        _ => tensor.to_kind(Kind::Float),
    }
}
