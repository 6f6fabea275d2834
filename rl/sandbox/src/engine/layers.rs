//! The layers of trees: made, laid over each other, and made fewer.

use super::Engine;
use crate::changes::{self, Change};
use crate::error::EngineError;
use crate::file_error::FileError;
use crate::merge::merge;
use crate::report::{Event, Limits};
use crate::spawner::overlay::{self, UPPER};
use crate::tree::{Flattening, Layer, Tree};
use crate::wire::{FDS_MAX, Owner, Privilege, Request, Step};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, openat};
use std::io;
use std::sync::{Arc, OnceLock};
use std::thread;

/// Layers of a tree from which on those above its first two are made one beside the work: reading goes through all.
const DEPTH_FLATTENED: usize = 32;
/// When the work waits for it.
const DEPTH_MAX: usize = 64;
const KEPT: usize = 2;
/// More cannot be handed to a spawner at once.
const DEPTH_LAST: usize = FDS_MAX - 8;
/// What a tree may have beyond its limit, so that what fills it can still be removed; each command gets this much.
const SPARE_BYTES: u64 = 1 << 20;
const SPARE_INODES: u64 = 256;
const SPARES: u64 = 16;
/// Changes of one command that are told one by one.
const CHANGES_MAX: usize = 1000;
/// Of a tree's first layer, which holds three directories.
pub(super) const BASE_BYTES: u64 = 1 << 20;
pub(super) const BASE_INODES: u64 = 64;

impl Engine {
    /// The first changes of a layer, and how many there are. What lies too deep to be seen is not told.
    pub(super) fn told(&self, layer: &Layer) -> Result<(Vec<Change>, u64), EngineError> {
        let upper = upper(layer.directory.as_fd())?;
        match changes::changes(upper.as_fd(), self.opaque(), CHANGES_MAX) {
            Err(FileError::TooDeep { .. }) => Ok((Vec::new(), layer.used_inodes)),
            told => Ok(told?),
        }
    }

    /// Layers above the first `kept` as one that shows the same files. An engine does so by itself beside its work, when a
    /// tree has 32.
    pub fn flattened(&self, tree: &Tree, kept: usize) -> Result<Tree, EngineError> {
        let Some(above) = tree.layers().get(kept..).filter(|above| above.len() > 1) else { return Ok(tree.clone()) };
        let base = self.overlay(&tree.below(kept), None)?;
        let flat = flat(above, &base, self.layer_for(above, tree.owner())?, self.opaque())?;
        Ok(tree.replace(kept, tree.depth(), Arc::new(flat)))
    }

    pub(super) fn pushed(&self, tree: &Tree, layer: Layer) -> Result<Tree, EngineError> {
        let mut tree = tree.with(layer);
        if tree.depth() > DEPTH_MAX && tree.depth() % DEPTH_FLATTENED == 1 {
            return match self.flattened(&tree, KEPT) {
                // Files that cannot be copied, for their depth or their size, stay where they are.
                Err(EngineError::File(_)) if tree.depth() < DEPTH_LAST => Ok(tree),
                flattened => flattened,
            };
        }
        if tree.depth() >= DEPTH_FLATTENED && tree.flattening.is_none() {
            tree.flattening = Some(self.flattening(&tree)?);
        }
        Ok(tree)
    }

    /// Begun in a thread of its own. Where it fails, a tree grows to its last layer and is flattened then.
    pub(super) fn flattening(&self, tree: &Tree) -> Result<Arc<Flattening>, EngineError> {
        let flattening = Arc::new(Flattening { kept: KEPT, end: tree.depth(), done: OnceLock::new() });
        let above = tree.layers()[KEPT..].to_vec();
        let base = self.overlay(&tree.below(KEPT), None)?;
        let (into, opaque) = (self.layer_for(&above, tree.owner())?, self.opaque());
        let done = Arc::clone(&flattening);
        let work = move || match flat(&above, &base, into, opaque) {
            Ok(layer) => drop(done.done.set(Arc::new(layer))),
            Err(error) => tracing::warn!(%error, "layers stay as they are"),
        };
        thread::Builder::new().name("flatten".into()).spawn(work).step("a thread")?;
        Ok(flattening)
    }

    /// With room for all that these hold: for each directory that is made on the way a page and an inode more.
    pub(super) fn layer_for(&self, layers: &[Arc<Layer>], owner: Owner) -> Result<OwnedFd, EngineError> {
        let bytes: u64 = layers.iter().map(|layer| layer.used_bytes).sum();
        let inodes: u64 = layers.iter().map(|layer| layer.used_inodes).sum();
        self.layer(bytes + BASE_BYTES, inodes + BASE_INODES, owner)
    }

    pub(super) fn opaque(&self) -> &'static str {
        match self.privilege {
            Privilege::Root => "trusted.overlay.opaque",
            Privilege::User { .. } => "user.overlay.opaque",
        }
    }

    /// Root mounts itself; a user has its spawner do it, in whose user namespace it may.
    pub(super) fn layer(&self, size_bytes: u64, inodes: u64, owner: Owner) -> Result<OwnedFd, EngineError> {
        if self.privilege == Privilege::Root {
            return Ok(overlay::layer(size_bytes, inodes, Some(owner))?);
        }
        let (_, mut fds) = self.spawners.ask(&Request::Layer { size_bytes, inodes, owner }, &[])?;
        Ok(fds.pop().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData)).step("a layer")?)
    }

    /// A layer with what the tree has left of these limits, and the tree, without what was removed where it is full.
    pub(super) fn room(&self, tree: &Tree, limits: &Limits) -> Result<(Tree, OwnedFd), EngineError> {
        let (allowed_bytes, allowed_inodes) = (limits.disk_bytes, limits.inodes);
        let left = |tree: &Tree| {
            let (bytes, inodes) = tree.used();
            (allowed_bytes.saturating_sub(bytes), allowed_inodes.saturating_sub(inodes))
        };
        let is_full = |(bytes, inodes): (u64, u64)| bytes < SPARE_BYTES || inodes < SPARE_INODES;
        let tree = if is_full(left(tree)) { self.flattened(tree, 1)? } else { tree.clone() };
        let (used_bytes, used_inodes) = tree.used();
        if used_bytes >= allowed_bytes + SPARES * SPARE_BYTES || used_inodes >= allowed_inodes + SPARES * SPARE_INODES {
            return Err(EngineError::TreeFull { used_bytes, allowed_bytes, used_inodes, allowed_inodes });
        }
        let (bytes, inodes) = left(&tree);
        let layer = self.layer(bytes.max(SPARE_BYTES), inodes.max(SPARE_INODES), tree.owner())?;
        Ok((tree, layer))
    }

    /// The tree's files in one directory; what is written goes into `layer`.
    pub(super) fn overlay(&self, tree: &Tree, layer: Option<&OwnedFd>) -> Result<OwnedFd, EngineError> {
        if let (None, [only]) = (layer, tree.layers()) {
            return upper(only.directory.as_fd());
        }
        let mut fds = tree.directories();
        fds.extend(layer.map(AsFd::as_fd));
        if self.privilege == Privilege::Root {
            return Ok(overlay::merged(&fds, layer.is_some(), false)?);
        }
        let (_, mut merged) = self.spawners.ask(&Request::Overlay { writable: layer.is_some() }, &fds)?;
        Ok(merged.pop().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData)).step("an overlay")?)
    }
}

/// `layers` merged into an empty one, over the files of `base`.
fn flat(layers: &[Arc<Layer>], base: &OwnedFd, into: OwnedFd, opaque: &str) -> Result<Layer, EngineError> {
    let uppers: Vec<OwnedFd> = layers.iter().map(|layer| upper(layer.directory.as_fd())).collect::<Result<_, _>>()?;
    let uppers: Vec<BorrowedFd<'_>> = uppers.iter().map(AsFd::as_fd).collect();
    merge(&uppers, base.as_fd(), upper(into.as_fd())?.as_fd(), opaque)?;
    sealed(into)
}

pub(super) fn upper(layer: BorrowedFd<'_>) -> Result<OwnedFd, EngineError> {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    Ok(openat(layer, UPPER, flags, Mode::empty()).step("a layer's directory")?)
}

pub(super) fn sealed(directory: OwnedFd) -> Result<Layer, EngineError> {
    Ok(filled(directory)?.0)
}

/// With what it holds, and whether it could hold more.
pub(super) fn filled(directory: OwnedFd) -> Result<(Layer, Option<Event>), EngineError> {
    let space = rustix::fs::fstatvfs(&directory).step("a layer's size")?;
    let used_bytes = (space.f_blocks - space.f_bfree) * space.f_frsize;
    let used_inodes = space.f_files - space.f_ffree;
    let (bytes, inodes) = (space.f_bfree == 0, space.f_ffree == 0);
    let full = (bytes || inodes).then_some(Event::DiskFull { bytes, inodes });
    Ok((Layer { directory, used_bytes, used_inodes }, full))
}
