//! The file read back, with the ids that whoever made it knows its nodes by.

use scene_document::gltf::Import;
use scene_document::{NodeId, Scene};
use std::collections::BTreeMap;

pub(crate) struct Delivered {
    pub(crate) scene: Scene,
    /// Where each node stands in the file, e.g. `/nodes/3`.
    pub(crate) node_pointers: BTreeMap<NodeId, String>,
    /// Of each node, for evidence and fixes.
    pub(crate) ids: BTreeMap<NodeId, String>,
}

impl Delivered {
    /// `made` are the ids of the file's nodes, in its order, where an episode made it.
    pub(crate) fn new(import: Import, made: Option<&[NodeId]>) -> Self {
        let ids = match made {
            Some(made) => ids_by_place(&import, |place| made.get(place).map(NodeId::to_string)),
            None => evidence_ids(&import),
        };
        let Import { scene, node_pointers, .. } = import;
        Self { scene, node_pointers, ids }
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
