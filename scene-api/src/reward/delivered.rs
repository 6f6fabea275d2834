//! The file read back, with the words in which evidence speaks to whoever made it.

use crate::tools::Groups;
use scene_document::gltf::Import;
use scene_document::{NodeId, Scene};
use std::collections::BTreeMap;

/// The episode that made a file. It changes what evidence names, and no number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Maker<'a> {
    /// Of the file's nodes, in its order.
    pub(crate) ids: &'a [NodeId],
    /// Whose tools may be called.
    pub(crate) groups: Groups,
}

pub(crate) struct Delivered {
    pub(crate) scene: Scene,
    /// Where each node stands in the file, e.g. `/nodes/3`.
    pub(crate) node_pointers: BTreeMap<NodeId, String>,
    /// Of each node, for evidence and fixes.
    pub(crate) ids: BTreeMap<NodeId, String>,
    /// Whose tools a fix may name.
    pub(crate) groups: Groups,
}

impl Delivered {
    /// `maker` is the episode that made the file, where one did.
    pub(crate) fn new(import: Import, maker: Option<Maker<'_>>) -> Self {
        let ids = match maker {
            Some(Maker { ids, .. }) => ids_by_place(&import, |place| ids.get(place).map(NodeId::to_string)),
            None => evidence_ids(&import),
        };
        let groups = maker.map_or(Groups::CORE, |maker| maker.groups);
        let Import { scene, node_pointers, .. } = import;
        Self { scene, node_pointers, ids, groups }
    }
}

/// By what id the evidence of a file's score names each node: as if an episode had made the nodes in the file's order,
/// so that the first one is `n_1`.
#[must_use]
pub fn evidence_ids(import: &Import) -> BTreeMap<NodeId, String> {
    ids_by_place(import, |place| Some(format!("n_{}", place + 1)))
}

fn ids_by_place(import: &Import, id_at: impl Fn(usize) -> Option<String>) -> BTreeMap<NodeId, String> {
    let named = |(node, pointer): (&NodeId, &String)| {
        let place = pointer.strip_prefix("/nodes/").and_then(|place| place.parse::<usize>().ok());
        (*node, place.and_then(&id_at).unwrap_or_else(|| node.to_string()))
    };
    import.node_pointers.iter().map(named).collect()
}
