//! All that a sandbox can write, as a value.

use crate::wire::Owner;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, OnceLock};

/// What one command wrote: a file system in memory that lives as long as a tree has it, and is never written again.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) directory: OwnedFd,
    pub(crate) used_bytes: u64,
    pub(crate) used_inodes: u64,
}

/// A stack of layers. A clone is a snapshot and a fork; an earlier value is a rollback; the last clone that is dropped
/// gives the memory back. Merged it has the directories `work`, where commands start, `home/user` and `tmp`.
#[derive(Debug, Clone)]
pub struct Tree {
    /// Oldest first.
    layers: Vec<Arc<Layer>>,
    owner: Owner,
    /// First id of the block that is mapped into sandboxes.
    pub(crate) first_id: u32,
    pub(crate) flattening: Option<Arc<Flattening>>,
}

/// A layer that is being made of those from `kept` to `end`, for all trees that have them.
#[derive(Debug)]
pub(crate) struct Flattening {
    pub(crate) kept: usize,
    pub(crate) end: usize,
    pub(crate) done: OnceLock<Arc<Layer>>,
}

impl Tree {
    pub(crate) fn new(base: Layer, owner: Owner, first_id: u32) -> Self {
        Self { layers: vec![Arc::new(base)], owner, first_id, flattening: None }
    }

    /// With one more layer, and with what was flattened meanwhile.
    pub(crate) fn with(&self, layer: Layer) -> Self {
        let mut tree = self.clone();
        tree.layers.push(Arc::new(layer));
        let Some((flattening, flat)) = self.flattening.as_ref().and_then(|one| Some((one, one.done.get()?))) else {
            return tree;
        };
        tree.replace(flattening.kept, flattening.end, Arc::clone(flat))
    }

    /// `layer` in the place of those from `kept` to `end`.
    pub(crate) fn replace(&self, kept: usize, end: usize, layer: Arc<Layer>) -> Self {
        let mut layers = self.layers.clone();
        layers.splice(kept.min(layers.len())..end.min(layers.len()), [layer]);
        Self { layers, flattening: None, ..*self }
    }

    /// Layers; one more with each command and each edit.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.layers.len()
    }

    pub(crate) fn owner(&self) -> Owner {
        self.owner
    }

    pub(crate) fn layers(&self) -> &[Arc<Layer>] {
        &self.layers
    }

    /// Its first layers.
    pub(crate) fn below(&self, depth: usize) -> Self {
        Self { layers: self.layers[..depth.min(self.layers.len())].to_vec(), flattening: None, ..*self }
    }

    /// Layers that came after `earlier`, where this tree grew from it.
    pub(crate) fn above(&self, earlier: &Self) -> Option<&[Arc<Layer>]> {
        let (below, above) = self.layers.split_at_checked(earlier.layers.len())?;
        let same = below.iter().zip(&earlier.layers).all(|(one, other)| Arc::ptr_eq(one, other));
        same.then_some(above)
    }

    pub(crate) fn directories(&self) -> Vec<BorrowedFd<'_>> {
        self.layers.iter().map(|layer| layer.directory.as_fd()).collect()
    }

    /// Bytes and files that all layers hold together.
    #[must_use]
    pub fn used(&self) -> (u64, u64) {
        let bytes = self.layers.iter().map(|layer| layer.used_bytes).sum();
        (bytes, self.layers.iter().map(|layer| layer.used_inodes).sum())
    }
}
