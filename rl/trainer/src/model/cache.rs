//! Keys and values of the tokens so far, in slots of one length.

use super::{ModelConfig, ModelError};
use std::collections::BTreeSet;
use tch::{Device, Kind, Tensor, no_grad_guard};

/// Attention reads this many positions or a multiple of it, so that few shapes occur.
const STEP: usize = 32;

/// Holds up to `context` tokens in each slot. Memory: 2 · layers · slots · context · num_key_value_heads · head_dim
/// numbers. A slot belongs to one sequence until it is cleared.
pub struct KvCache {
    /// Of each layer [slots · stride, num_key_value_heads · head_dim], keys and values.
    layers: Vec<(Tensor, Tensor)>,
    lens: Vec<usize>,
    context: usize,
    /// Positions of a slot. The last is where padding is written and nothing is read.
    stride: usize,
    key_value_heads: i64,
    group: i64,
    head_dim: i64,
}

/// What a slot held, for other slots that begin alike.
pub struct Prefix {
    /// Of each layer [len, num_key_value_heads · head_dim], keys and values.
    layers: Vec<(Tensor, Tensor)>,
    len: usize,
}

/// Where the tokens of one call go and what they may see.
pub(super) struct Piece {
    rows: Rows,
    /// Of each token its place in the cache, [rows · tokens].
    places: Tensor,
    /// Of each token its place in its sequence, [rows, tokens].
    pub(super) positions: Tensor,
    /// How many positions of each slot are read.
    longest: i64,
    /// 0 where a query may look and −∞ elsewhere, [rows, 1, group · tokens, longest].
    pub(super) mask: Tensor,
}

/// The slots of a call. A run of neighbours is read in place.
enum Rows {
    Run { first: i64, count: i64 },
    Listed(Tensor),
}

impl KvCache {
    #[must_use]
    pub fn new(config: &ModelConfig, slots: usize, context: usize, device: Device, kind: Kind) -> Self {
        let stride = context.max(1).next_multiple_of(STEP) + 1;
        let width = config.num_key_value_heads * config.head_dim;
        let empty = || Tensor::zeros([(slots * stride) as i64, width], (kind, device));
        Self {
            layers: (0..config.num_hidden_layers).map(|_| (empty(), empty())).collect(),
            lens: vec![0; slots],
            context,
            stride,
            key_value_heads: config.num_key_value_heads,
            group: config.group(),
            head_dim: config.head_dim,
        }
    }

    /// Tokens that `slot` holds; 0 for a slot that does not exist.
    #[must_use]
    pub fn len(&self, slot: usize) -> usize {
        self.lens.get(slot).copied().unwrap_or(0)
    }

    /// Forgets what `slot` holds.
    pub fn clear(&mut self, slot: usize) {
        if let Some(len) = self.lens.get_mut(slot) {
            *len = 0;
        }
    }

    /// A copy of what `slot` holds.
    #[must_use]
    pub fn prefix(&self, slot: usize) -> Prefix {
        let (first, len) = ((slot * self.stride) as i64, self.len(slot));
        let copied = |kept: &Tensor| kept.narrow(0, first, len as i64).copy();
        Prefix { layers: self.layers.iter().map(|(keys, values)| (copied(keys), copied(values))).collect(), len }
    }

    /// Has `slot`, one of this cache's, hold that and nothing else. The prefix is of a cache of this form.
    pub fn begin(&mut self, slot: usize, prefix: &Prefix) {
        let _no_grad = no_grad_guard();
        let first = (slot * self.stride) as i64;
        for ((keys, values), (known_keys, known_values)) in self.layers.iter_mut().zip(&prefix.layers) {
            for (kept, known) in [(keys, known_keys), (values, known_values)] {
                kept.narrow(0, first, prefix.len as i64).copy_(known);
            }
        }
        if let Some(len) = self.lens.get_mut(slot) {
            *len = prefix.len;
        }
    }

    fn check(&self, slots: &[usize], ids: (i64, i64), counts: &[usize]) -> Result<(), ModelError> {
        let (rows, tokens) = (ids.0.unsigned_abs() as usize, ids.1.unsigned_abs() as usize);
        if rows == 0 || tokens == 0 || slots.len() != rows || counts.len() != rows {
            let (slots, counts) = (slots.len(), counts.len());
            return Err(ModelError::Rows(format!("{slots} slots and {counts} counts for ids [{rows}, {tokens}]")));
        }
        let mut seen = BTreeSet::new();
        for (&slot, &count) in slots.iter().zip(counts) {
            if slot >= self.lens.len() || !seen.insert(slot) {
                let last = self.lens.len().saturating_sub(1);
                return Err(ModelError::Rows(format!("slot {slot} is given twice or is not in 0..={last}")));
            }
            if count > tokens {
                return Err(ModelError::Rows(format!("slot {slot}: {count} of {tokens} tokens")));
            }
            let len = self.lens[slot] + count;
            if len > self.context {
                return Err(ModelError::ContextFull { slot, len, context: self.context });
            }
        }
        Ok(())
    }

    /// Lays out one call. Row i of `ids` [rows, tokens] brings `counts[i]` tokens for `slots[i]`, the rest is padding.
    pub(super) fn piece(&self, slots: &[usize], ids: (i64, i64), counts: &[usize]) -> Result<Piece, ModelError> {
        self.check(slots, ids, counts)?;
        let (rows, tokens) = ids;
        let mut places = Vec::with_capacity((rows * tokens) as usize);
        let mut positions = Vec::with_capacity((rows * tokens) as usize);
        let mut longest = 1_usize;
        for (&slot, &count) in slots.iter().zip(counts) {
            let len = self.lens[slot];
            for token in 0..tokens as usize {
                let within = if token < count { len + token } else { self.stride - 1 };
                places.push((slot * self.stride + within) as i64);
                positions.push((len + token).min(self.context) as i64);
            }
            longest = longest.max(len + count);
        }
        let longest = longest.next_multiple_of(STEP) as i64;
        let (device, kind) = self.layers.first().map_or((Device::Cpu, Kind::Float), |(k, _)| (k.device(), k.kind()));
        let positions = Tensor::from_slice(&positions).view([rows, tokens]).to_device(device);
        let later = Tensor::arange(longest, (Kind::Int64, device)).gt_tensor(&positions.view([rows, 1, tokens, 1]));
        let mask = Tensor::zeros([rows, 1, tokens, longest], (kind, device)).masked_fill(&later, f64::NEG_INFINITY);
        let first = slots.first().copied().unwrap_or(0);
        let rows = if slots.iter().enumerate().all(|(row, &slot)| slot == first + row) {
            Rows::Run { first: first as i64, count: rows }
        } else {
            let listed: Vec<i64> = slots.iter().map(|&slot| slot as i64).collect();
            Rows::Listed(Tensor::from_slice(&listed).to_device(device))
        };
        Ok(Piece {
            rows,
            places: Tensor::from_slice(&places).to_device(device),
            positions,
            longest,
            mask: mask.repeat([1, 1, self.group, 1]),
        })
    }

    /// Writes new keys and values, [rows, tokens, heads, head_dim]. → all that the rows hold now,
    /// [rows, heads, longest, head_dim].
    pub(super) fn append(&mut self, layer: usize, keys: &Tensor, values: &Tensor, piece: &Piece) -> (Tensor, Tensor) {
        let size = [self.lens.len() as i64, self.stride as i64, self.key_value_heads, self.head_dim];
        let put = |kept: &mut Tensor, new: &Tensor| {
            let _ = kept.index_copy_(0, &piece.places, &new.reshape([-1, size[2] * size[3]]));
            let read = kept.view(size).narrow(1, 0, piece.longest);
            let rows = match &piece.rows {
                Rows::Run { first, count } => read.narrow(0, *first, *count),
                Rows::Listed(slots) => read.index_select(0, slots),
            };
            rows.transpose(1, 2)
        };
        let (kept_keys, kept_values) = &mut self.layers[layer];
        (put(kept_keys, keys), put(kept_values, values))
    }

    pub(super) fn advance(&mut self, slots: &[usize], counts: &[usize]) {
        for (&slot, &count) in slots.iter().zip(counts) {
            self.lens[slot] += count;
        }
    }
}
