//! What skins and morph targets need of a primitive's vertices.

use std::sync::Arc;

/// Each list is empty or has one entry per position of the primitive's triangles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Deformation {
    /// Empty where no skin moves the primitive.
    pub influences: Vec<Influence>,
    /// As many in every primitive of a mesh.
    pub targets: Vec<Arc<MorphTarget>>,
}

/// The joints that move a vertex: glTF's JOINTS_0 and WEIGHTS_0.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Influence {
    /// Places in `Skin::joints`.
    pub joints: [u16; 4],
    /// At least 0, 1 together (± 2e-7 for each that is not 0).
    pub weights: [f32; 4],
}

/// What one morph target adds to the vertices, times its weight.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MorphTarget {
    /// Metres, node space.
    pub positions: Vec<[f32; 3]>,
    /// Only where the triangles have normals; the sum is made as long as the normal was.
    pub normals: Option<Vec<[f32; 3]>>,
}
