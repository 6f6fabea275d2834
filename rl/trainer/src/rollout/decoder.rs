//! The model with its cache: tokens in, logits out, one row of the cache for each slot.

use super::engine::EngineError;
use crate::{
    model::{CausalLm, KvCache, Prefix},
    tokens::Token,
};
use tch::{Device, Tensor, no_grad_guard};

pub(super) struct Decoder {
    model: CausalLm,
    cache: KvCache,
}

impl Decoder {
    pub(super) fn new(model: CausalLm, slots: usize, context: usize) -> Self {
        let cache = KvCache::new(model.config(), slots, context, model.device(), model.kind());
        Self { model, cache }
    }

    pub(super) fn model(&self) -> &CausalLm {
        &self.model
    }

    pub(super) fn clear(&mut self, slot: usize) {
        self.cache.clear(slot);
    }

    pub(super) fn is_empty(&self, slot: usize) -> bool {
        self.cache.len(slot) == 0
    }

    pub(super) fn prefix(&self, slot: usize) -> Prefix {
        self.cache.prefix(slot)
    }

    pub(super) fn begin(&mut self, slot: usize, prefix: &Prefix) {
        self.cache.begin(slot, prefix);
    }

    /// Puts a piece into one slot. The shape of the work depends on the piece alone.
    pub(super) fn feed(&mut self, slot: usize, piece: &[Token]) -> Result<(), EngineError> {
        let _ = self.extend(&[slot], &[piece])?;
        Ok(())
    }

    /// Puts a few tokens (or none) into every slot at once; the logits after the last one of each. Always all slots in
    /// their order, so that the shape does not tell how many are busy. Of a slot with none the logits mean nothing.
    pub(super) fn decode(&mut self, pending: &[&[Token]]) -> Result<Vec<Vec<f32>>, EngineError> {
        let _no_grad = no_grad_guard();
        let slots: Vec<usize> = (0..pending.len()).collect();
        let hidden = self.extend(&slots, pending)?;
        let width = width(pending);
        let last: Vec<i64> =
            pending.iter().zip(&slots).map(|(row, slot)| (slot * width + row.len().saturating_sub(1)) as i64).collect();
        let last = Tensor::from_slice(&last).to_device(self.model.device());
        let hidden = hidden.reshape([-1, self.model.config().hidden_size]).index_select(0, &last);
        let logits = self.model.logits(&hidden).to_device(Device::Cpu);
        Ok(Vec::<Vec<f32>>::try_from(&logits)?)
    }

    fn extend(&mut self, slots: &[usize], rows: &[&[Token]]) -> Result<Tensor, EngineError> {
        let width = width(rows);
        let mut ids = vec![0_i64; rows.len() * width];
        for (padded, row) in ids.chunks_mut(width).zip(rows) {
            for (id, token) in padded.iter_mut().zip(*row) {
                *id = i64::from(*token);
            }
        }
        let ids = Tensor::from_slice(&ids).reshape([rows.len() as i64, width as i64]).to_device(self.model.device());
        let counts: Vec<usize> = rows.iter().map(|row| row.len()).collect();
        Ok(self.model.extend(&mut self.cache, slots, &ids, &counts)?)
    }
}

/// At least one.
fn width(rows: &[&[Token]]) -> usize {
    rows.iter().map(|row| row.len()).max().unwrap_or(0).max(1)
}
