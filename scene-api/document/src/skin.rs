//! Skins: which joints move the vertices of a mesh, with glTF 2.0's meanings (§3.7.3).

use crate::{Kept, NodeId};
use nalgebra::Matrix4;
use std::collections::BTreeMap;

/// A mesh that is bound to joints stands where they do; the transform of its own node does not count.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Skin {
    pub name: String,
    /// At least one, all different; `Influence::joints` are places in this list.
    pub joints: Vec<NodeId>,
    /// `joint_from_mesh` of each joint as the mesh was bound, column by column, affine; empty where all are identities.
    /// f32 because that is what a GLB holds.
    pub inverse_bind_matrices: Vec<[f32; 16]>,
    /// Where the hierarchy of joints begins.
    pub skeleton: Option<NodeId>,
    /// Of a skin read from a file: the accessor of its matrices there, so that export does not write them twice. Edits
    /// take it off.
    pub accessor: Option<usize>,
    pub kept: Kept,
}

impl Skin {
    /// `world_from_mesh` as each joint carries it. `world` is `world_from_node`.
    pub(crate) fn world_from_mesh(&self, world: impl Fn(NodeId) -> Matrix4<f64>) -> Vec<Matrix4<f64>> {
        let joint_from_mesh = |place: usize| {
            let columns = self.inverse_bind_matrices.get(place).map(|columns| columns.map(f64::from));
            columns.map_or_else(Matrix4::identity, |columns| Matrix4::from_column_slice(&columns))
        };
        self.joints.iter().enumerate().map(|(place, joint)| world(*joint) * joint_from_mesh(place)).collect()
    }

    /// Bound to the copies of its joints; `None` where none of them is copied.
    pub(crate) fn on_copies(&self, copies: &BTreeMap<NodeId, NodeId>) -> Option<Self> {
        let moved = |id: NodeId| copies.get(&id).copied().unwrap_or(id);
        self.joints.iter().any(|joint| copies.contains_key(joint)).then(|| Self {
            joints: self.joints.iter().map(|joint| moved(*joint)).collect(),
            skeleton: self.skeleton.map(moved),
            ..self.clone()
        })
    }
}
