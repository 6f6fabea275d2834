//! Things that are right but for a turn about the vertical.

use super::evidence::rounded;
use super::input::{Input, id_of};
use geometry_checks::Aabb;
use nalgebra::Point3;
use scene_document::NodeId;

/// Nodes of one object that are tried.
const TRIED: usize = 8;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Turned {
    node: NodeId,
    yaw_deg: f64,
}

impl Turned {
    /// Continues a sentence on the size.
    pub(crate) fn remark(&self) -> String {
        format!("; it is turned by {}° about +Y, and unturned it has that size", rounded(self.yaw_deg))
    }

    /// To the nearer of the two turns that leave the box as it is asked for.
    pub(crate) fn call(&self, input: &Input<'_>) -> String {
        let upright_deg = if self.yaw_deg.abs() > 90.0 { 180 } else { 0 };
        let id = id_of(input.import, self.node);
        format!(r#"node.set_transform {{"node":"{id}","space":"world","rotation_euler_deg":[0,{upright_deg},0]}}"#)
    }
}

/// The first of `root` and the meshes' nodes whose turn about +Y, taken back, leaves a box that fits.
pub(crate) fn turned(
    input: &Input<'_>,
    root: NodeId,
    meshes: &[usize],
    fits: impl Fn([f64; 3]) -> bool,
) -> Option<Turned> {
    let of_meshes = meshes.iter().filter_map(|index| input.baked.meshes.get(*index)).map(|mesh| mesh.node);
    std::iter::once(root).chain(of_meshes).take(TRIED).find_map(|node| {
        let world_from_node = input.import.scene.world_from_node(node);
        let yaw_rad = libm::atan2(-world_from_node[(2, 0)], world_from_node[(0, 0)]);
        let (sine, cosine) = (libm::sin(yaw_rad), libm::cos(yaw_rad));
        let back = |p: &Point3<f64>| Point3::new(cosine * p.x - sine * p.z, p.y, sine * p.x + cosine * p.z);
        let meshes = meshes.iter().filter_map(|index| input.baked.meshes.get(*index));
        let unturned = Aabb::around(meshes.flat_map(|mesh| mesh.positions.iter().map(back)))?;
        fits(unturned.extents().into()).then(|| Turned { node, yaw_deg: yaw_rad.to_degrees() })
    })
}
