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
    /// `ids` are those of the file's nodes, in its order; without them a node is taken to have been made in that order.
    pub(crate) fn new(import: Import, ids: Option<&[NodeId]>) -> Self {
        let Import { scene, node_pointers, .. } = import;
        let known = |(node, pointer): (&NodeId, &String)| {
            let place = pointer.strip_prefix("/nodes/").and_then(|place| place.parse::<usize>().ok());
            let id = place.and_then(|place| match ids {
                Some(ids) => ids.get(place).map(NodeId::to_string),
                None => Some(format!("n_{}", place + 1)),
            });
            (*node, id.unwrap_or_else(|| node.to_string()))
        };
        let ids = node_pointers.iter().map(known).collect();
        Self { scene, node_pointers, ids }
    }
}
