//! Grouped-query attention, over whole sequences and one piece at a time.

use super::ModelConfig;
use super::cache::{KvCache, Piece};
use super::layers::Linear;
use super::rotary::Angles;
use std::collections::BTreeMap;
use tch::Tensor;

pub(super) struct Attention {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    key_value_heads: i64,
    group: i64,
    head_dim: i64,
}

impl Attention {
    pub(super) fn named(parameters: &BTreeMap<String, Tensor>, name: &str, config: &ModelConfig) -> Self {
        let linear = |which: &str| Linear::named(parameters, &format!("{name}.{which}_proj"));
        Self {
            query: linear("q"),
            key: linear("k"),
            value: linear("v"),
            output: linear("o"),
            key_value_heads: config.num_key_value_heads,
            group: config.group(),
            head_dim: config.head_dim,
        }
    }

    /// Queries, keys and values, [batch, tokens, heads, head_dim], turned to their positions.
    fn project(&self, input: &Tensor, angles: &Angles) -> (Tensor, Tensor, Tensor) {
        let size = input.size();
        let heads = |layer: &Linear, heads: i64| layer.forward(input).view([size[0], size[1], heads, self.head_dim]);
        let query = angles.turn(&heads(&self.query, self.key_value_heads * self.group));
        let key = angles.turn(&heads(&self.key, self.key_value_heads));
        (query, key, heads(&self.value, self.key_value_heads))
    }

    /// `input`: [batch, tokens, hidden_size]; each token sees itself and those before it.
    pub(super) fn forward(&self, input: &Tensor, angles: &Angles) -> Tensor {
        let (query, key, value) = self.project(input, angles);
        let seen = Tensor::scaled_dot_product_attention(
            &query.transpose(1, 2),
            &key.transpose(1, 2),
            &value.transpose(1, 2),
            None::<&Tensor>,
            0.0,
            true,
            None,
            self.group > 1,
        );
        self.output.forward(&seen.transpose(1, 2).flatten(2, 3))
    }

    /// The same for new tokens that follow what layer `layer` of `cache` holds.
    pub(super) fn extend(
        &self,
        input: &Tensor,
        angles: &Angles,
        cache: &mut KvCache,
        layer: usize,
        piece: &Piece,
    ) -> Tensor {
        let (query, key, value) = self.project(input, angles);
        let (keys, values) = cache.append(layer, &key, &value, piece);
        let (rows, tokens) = (query.size()[0], query.size()[1]);
        let (shared, group, head_dim) = (self.key_value_heads, self.group, self.head_dim);
        // The query heads of one key head become more queries of it: no key is copied.
        let query = query.view([rows, tokens, shared, group, head_dim]).permute([0, 2, 3, 1, 4]).reshape([
            rows,
            shared,
            group * tokens,
            head_dim,
        ]);
        let seen =
            Tensor::scaled_dot_product_attention(&query, &keys, &values, Some(&piece.mask), 0.0, false, None, false);
        let seen = seen.reshape([rows, shared, group, tokens, head_dim]).permute([0, 3, 1, 2, 4]);
        self.output.forward(&seen.reshape([rows, tokens, shared * group * head_dim]))
    }
}
