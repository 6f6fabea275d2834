//! Meshes: primitives of parametric shapes, raw triangles, or primitives kept from an imported file.

use crate::{Deformation, MaterialId, Shape};
use std::sync::Arc;

/// Triangles in node space. `normals` and `uvs`, when present, are one per position.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Triangles {
    /// Metres, node space; f32 because that is what a GLB holds.
    pub positions: Vec<[f32; 3]>,
    /// Shading normals; unit by the glTF rule |‖n‖−1| ≤ 0.00674.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Texture coordinates (glTF's TEXCOORD_0), one per position: u to the right, v downwards, the image from 0 to 1.
    pub uvs: Option<Vec<[f32; 2]>>,
    /// Counter-clockwise seen from outside; each index < `positions.len()`.
    pub triangles: Vec<[u32; 3]>,
}

/// Where a primitive's triangles come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    Shape(Shape),
    Raw(Arc<Triangles>),
    /// Triangles that a skin or morph targets can move.
    Deformable {
        triangles: Arc<Triangles>,
        deformation: Arc<Deformation>,
    },
    /// Read from a file; `primitive` is its glTF JSON verbatim (attributes, targets, extensions), so that export
    /// writes back what was there, whether or not it was understood.
    Imported {
        triangles: Arc<Triangles>,
        deformation: Option<Arc<Deformation>>,
        primitive: Arc<serde_json::Value>,
    },
}

impl Geometry {
    /// The triangles; shapes are tessellated on the spot.
    #[must_use]
    pub fn triangles(&self) -> Arc<Triangles> {
        match self {
            Self::Shape(shape) => Arc::new(shape.tessellate()),
            Self::Raw(triangles) | Self::Deformable { triangles, .. } | Self::Imported { triangles, .. } => {
                Arc::clone(triangles)
            }
        }
    }

    /// Whether textures know where to go: shapes do not say it.
    #[must_use]
    pub fn has_uvs(&self) -> bool {
        match self {
            Self::Shape(_) => false,
            Self::Raw(triangles) | Self::Deformable { triangles, .. } | Self::Imported { triangles, .. } => {
                triangles.uvs.is_some()
            }
        }
    }

    /// Joints, weights and morph targets of the vertices.
    #[must_use]
    pub fn deformation(&self) -> Option<&Deformation> {
        match self {
            Self::Shape(_) | Self::Raw(_) => None,
            Self::Deformable { deformation, .. } => Some(deformation),
            Self::Imported { deformation, .. } => deformation.as_deref(),
        }
    }

    /// How many morph targets there are.
    pub(crate) fn target_count(&self) -> usize {
        self.deformation().map_or(0, |deformation| deformation.targets.len())
    }

    /// How many triangles there are, without making those of a shape.
    #[must_use]
    pub fn triangle_count(&self) -> u64 {
        match self {
            Self::Shape(shape) => shape.triangle_count(),
            Self::Raw(triangles) | Self::Deformable { triangles, .. } | Self::Imported { triangles, .. } => {
                triangles.triangles.len() as u64
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Primitive {
    pub geometry: Geometry,
    pub material: Option<MaterialId>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    pub name: String,
    pub primitives: Vec<Primitive>,
    /// Of its morph targets, where a node says none; empty where all are 0.
    pub weights: Vec<f64>,
    /// Of its morph targets; empty where they have no names.
    pub target_names: Vec<String>,
    pub kept: crate::Kept,
}

impl Mesh {
    /// Of all primitives. O(primitives).
    #[must_use]
    pub fn triangle_count(&self) -> u64 {
        self.primitives.iter().map(|primitive| primitive.geometry.triangle_count()).sum()
    }

    /// Of its first primitive; glTF wants as many of all.
    #[must_use]
    pub fn morph_target_count(&self) -> usize {
        self.primitives.first().map_or(0, |primitive| primitive.geometry.target_count())
    }

    /// Joints that a skin must have to move the mesh: one more than the highest place that a vertex names. `None`
    /// where no vertex names one. O(vertices).
    #[must_use]
    pub fn joint_count(&self) -> Option<usize> {
        let deformations = self.primitives.iter().filter_map(|primitive| primitive.geometry.deformation());
        let places =
            deformations.flat_map(|deformation| &deformation.influences).flat_map(|influence| influence.joints);
        places.max().map(|highest| usize::from(highest) + 1)
    }

    /// Whether joints can move it. O(primitives).
    #[must_use]
    pub fn is_skinned(&self) -> bool {
        let mut deformations = self.primitives.iter().filter_map(|primitive| primitive.geometry.deformation());
        deformations.any(|deformation| !deformation.influences.is_empty())
    }
}
