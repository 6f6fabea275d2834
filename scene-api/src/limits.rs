//! How large an episode's scene may become.

use crate::difference::untouched;
use crate::measured::world_aabb;
use crate::tool_error::{ErrorCode, ToolError};
use scene_document::{NodeId, Scene, Texels};
use std::collections::BTreeSet;
use std::sync::Arc;

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
    pub animations: u32,
    pub textures: u32,
    /// Of all textures' files.
    pub texture_bytes: u64,
    /// Of one animation.
    pub channels: u32,
    /// Of one channel.
    pub keys: u32,
    /// |coordinate| in world space, of node origins and of mesh bounds.
    pub coordinate_m: f64,
    /// Longest side of a mesh's bounds in world space.
    pub extent_min_m: f64,
    /// Of an episode; its task may give another number.
    pub calls: u32,
    /// Of all pictures of an episode. One step may ask for all of them, at three bytes a pixel: this bounds its reply,
    /// however calls are grouped into steps.
    pub pixels: u64,
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
            animations: 16,
            textures: 32,
            texture_bytes: 8 << 20,
            channels: 64,
            keys: 4096,
            coordinate_m: 1000.0,
            extent_min_m: 0.001,
            calls: 200,
            pixels: 4 << 20,
            request_bytes: 1 << 20,
            export_bytes: 32 << 20,
        }
    }
}

/// JSON pointers of the arguments that a call's limit errors name: the one that brings triangles, and the one that
/// puts them, or a node, where they are. Empty where none does so alone.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Blame {
    pub(crate) triangles: &'static str,
    pub(crate) place: &'static str,
}

impl Limits {
    /// Whether `after` may replace `before`; `reshaped` is what differs. What `before` already had is not measured
    /// again, only counted.
    pub(crate) fn admit(
        &self,
        before: &Scene,
        after: &Scene,
        reshaped: &BTreeSet<NodeId>,
        blame: Blame,
    ) -> Result<(), ToolError> {
        at_most("", "nodes", count(after.nodes().size()), u64::from(self.nodes))?;
        at_most("", "materials", count(after.materials().size()), u64::from(self.materials))?;
        at_most("", "lights", count(after.lights().size()), u64::from(self.lights))?;
        at_most("", "cameras", count(after.cameras().size()), u64::from(self.cameras))?;
        self.admit_animations(before, after)?;
        self.admit_textures(after)?;
        for mesh in after.meshes().values() {
            at_most(blame.triangles, "triangles in one mesh", mesh.triangle_count(), self.triangles_per_mesh)?;
        }
        at_most(blame.triangles, "triangles", after.triangle_count(), self.triangles)?;
        for id in after.nodes().keys().copied().filter(|id| !untouched(before, after, *id)) {
            at_most("/parent", "levels of nodes", count(after.ancestry(id).count()), count(self.depth))?;
            self.near_origin(id, blame, after.world_from_node(id).column(3).iter().take(3).copied())?;
        }
        reshaped.iter().try_for_each(|id| self.fits(after, *id, blame))
    }

    fn admit_animations(&self, before: &Scene, after: &Scene) -> Result<(), ToolError> {
        at_most("", "animations", count(after.animations().size()), u64::from(self.animations))?;
        for (id, animation) in after.animations() {
            if before.animations().get(id).is_some_and(|old| Arc::ptr_eq(old, animation)) {
                continue;
            }
            at_most("", "channels of one animation", count(animation.channels.len()), u64::from(self.channels))?;
            for channel in &animation.channels {
                at_most("/times_s", "keys of one channel", count(channel.times_s.len()), u64::from(self.keys))?;
            }
        }
        Ok(())
    }

    /// Those of a file that the scene was read from count by their number only.
    fn admit_textures(&self, after: &Scene) -> Result<(), ToolError> {
        at_most("", "textures", count(after.textures().size()), u64::from(self.textures))?;
        let bytes = after.textures().values().map(|texture| match &texture.texels {
            Texels::Image { image, .. } => count(image.bytes().len()),
            Texels::Imported(_) => 0,
        });
        at_most("/image", "bytes of textures", bytes.sum(), self.texture_bytes)
    }

    fn fits(&self, scene: &Scene, id: NodeId, blame: Blame) -> Result<(), ToolError> {
        let Some(bounds) = world_aabb(scene, id) else { return Ok(()) };
        self.near_origin(id, blame, bounds.min.iter().chain(bounds.max.iter()).copied())?;
        let extent_m = bounds.extents().max();
        if extent_m < self.extent_min_m {
            let message =
                format!("the mesh of {id} is {extent_m:.3e} m long; at least {} m is allowed", self.extent_min_m);
            return Err(ToolError::new(ErrorCode::LimitExceeded, blame.place, message)
                .given(extent_m)
                .allowed(format!("a longest side of at least {} m in world space", self.extent_min_m)));
        }
        Ok(())
    }

    fn near_origin(&self, id: NodeId, blame: Blame, coordinates: impl Iterator<Item = f64>) -> Result<(), ToolError> {
        let most = self.coordinate_m;
        for coordinate in coordinates {
            if !(-most..=most).contains(&coordinate) {
                let message =
                    format!("{id} reaches {coordinate:.4e} m in world space; -{most} to {most} m are allowed");
                return Err(ToolError::new(ErrorCode::LimitExceeded, blame.place, message)
                    .given(coordinate)
                    .allowed(format!("coordinates of -{most} to {most} m in world space")));
            }
        }
        Ok(())
    }
}

fn at_most(pointer: &str, what: &str, given: u64, allowed: u64) -> Result<(), ToolError> {
    if given <= allowed { Ok(()) } else { Err(ToolError::limit(pointer, what, given, allowed)) }
}

fn count(given: usize) -> u64 {
    u64::try_from(given).unwrap_or(u64::MAX)
}
