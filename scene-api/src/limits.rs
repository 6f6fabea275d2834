//! How large an episode's scene may become.

use crate::difference::reshaped;
use crate::measured::world_aabb;
use crate::tool_error::{ErrorCode, ToolError};
use scene_document::{Mesh, MeshId, NodeId, Scene};
use std::collections::BTreeMap;

/// Inclusive upper bounds, except `extent_min_m`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    pub nodes: u32,
    /// Levels of the hierarchy; a root is level 1.
    pub depth: usize,
    pub triangles_per_mesh: u64,
    /// In world space: a mesh counts once per node that uses it.
    pub triangles: u64,
    pub materials: u32,
    pub lights: u32,
    pub cameras: u32,
    /// |coordinate| in world space, of node origins and of mesh bounds.
    pub coordinate_m: f64,
    /// Longest side of a mesh's bounds in world space.
    pub extent_min_m: f64,
    pub calls: u32,
    pub request_bytes: usize,
    pub export_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nodes: 2000,
            depth: 32,
            triangles_per_mesh: 300_000,
            triangles: 1_000_000,
            materials: 64,
            lights: 16,
            cameras: 8,
            coordinate_m: 1000.0,
            extent_min_m: 0.001,
            calls: 200,
            request_bytes: 1 << 20,
            export_bytes: 32 << 20,
        }
    }
}

impl Limits {
    /// Whether `after` may replace `before`. What `before` already had is not measured again, only counted.
    pub(crate) fn admit(&self, before: &Scene, after: &Scene) -> Result<(), ToolError> {
        at_most("nodes", count(after.nodes().size()), u64::from(self.nodes))?;
        at_most("materials", count(after.materials().size()), u64::from(self.materials))?;
        at_most("lights", count(after.lights().size()), u64::from(self.lights))?;
        at_most("cameras", count(after.cameras().size()), u64::from(self.cameras))?;
        for mesh in after.meshes().values() {
            at_most("triangles in one mesh", mesh_triangles(mesh), self.triangles_per_mesh)?;
        }
        at_most("triangles", triangles(after), self.triangles)?;
        for id in after.nodes().keys() {
            at_most("levels of nodes", count(after.ancestry(*id).count()), count(self.depth))?;
            self.near_origin(*id, after.world_from_node(*id).column(3).iter().take(3).copied())?;
        }
        reshaped(before, after).into_iter().try_for_each(|id| self.fits(after, id))
    }

    fn fits(&self, scene: &Scene, id: NodeId) -> Result<(), ToolError> {
        let Some(bounds) = world_aabb(scene, id) else { return Ok(()) };
        self.near_origin(id, bounds.min.iter().chain(bounds.max.iter()).copied())?;
        let extent_m = bounds.extents().max();
        if extent_m < self.extent_min_m {
            let message =
                format!("the mesh of {id} is {extent_m:.3e} m long; at least {} m is allowed", self.extent_min_m);
            return Err(ToolError::new(ErrorCode::LimitExceeded, "", message)
                .given(extent_m)
                .allowed(format!("a longest side ≥ {} m in world space", self.extent_min_m)));
        }
        Ok(())
    }

    fn near_origin(&self, id: NodeId, coordinates: impl Iterator<Item = f64>) -> Result<(), ToolError> {
        for coordinate in coordinates {
            if !(-self.coordinate_m..=self.coordinate_m).contains(&coordinate) {
                let message =
                    format!("{id} reaches {coordinate:.4e} m in world space; ±{} m are allowed", self.coordinate_m);
                return Err(ToolError::new(ErrorCode::LimitExceeded, "", message)
                    .given(coordinate)
                    .allowed(format!("|coordinate| ≤ {} m in world space", self.coordinate_m)));
            }
        }
        Ok(())
    }
}

/// Triangles in world space.
pub(crate) fn triangles(scene: &Scene) -> u64 {
    let of_mesh: BTreeMap<MeshId, u64> = scene.meshes().iter().map(|(id, mesh)| (*id, mesh_triangles(mesh))).collect();
    scene.nodes().values().filter_map(|node| of_mesh.get(&node.mesh?)).sum()
}

pub(crate) fn mesh_triangles(mesh: &Mesh) -> u64 {
    mesh.primitives.iter().map(|primitive| count(primitive.geometry.triangles().triangles.len())).sum()
}

fn at_most(what: &str, given: u64, allowed: u64) -> Result<(), ToolError> {
    if given <= allowed { Ok(()) } else { Err(ToolError::limit(what, given, allowed)) }
}

fn count(given: usize) -> u64 {
    u64::try_from(given).unwrap_or(u64::MAX)
}
