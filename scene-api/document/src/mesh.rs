//! Meshes: primitives of parametric shapes, raw triangles, or primitives kept from an imported file.

use crate::{MaterialId, Shape};
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
    /// Read from a file; `primitive` is its glTF JSON verbatim (attributes, targets, extensions), so that export
    /// writes back what was there, whether or not it was understood.
    Imported {
        triangles: Arc<Triangles>,
        primitive: Arc<serde_json::Value>,
    },
}

impl Geometry {
    /// The triangles; shapes are tessellated on the spot.
    #[must_use]
    pub fn triangles(&self) -> Arc<Triangles> {
        match self {
            Self::Shape(shape) => Arc::new(shape.tessellate()),
            Self::Raw(triangles) | Self::Imported { triangles, .. } => Arc::clone(triangles),
        }
    }

    /// Whether textures know where to go: shapes do not say it.
    #[must_use]
    pub fn has_uvs(&self) -> bool {
        match self {
            Self::Shape(_) => false,
            Self::Raw(triangles) | Self::Imported { triangles, .. } => triangles.uvs.is_some(),
        }
    }

    /// How many triangles there are, without making those of a shape.
    #[must_use]
    pub fn triangle_count(&self) -> u64 {
        match self {
            Self::Shape(shape) => shape.triangle_count(),
            Self::Raw(triangles) | Self::Imported { triangles, .. } => triangles.triangles.len() as u64,
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
        match self.primitives.first().map(|primitive| &primitive.geometry) {
            Some(Geometry::Imported { primitive, .. }) => {
                primitive.get("targets").and_then(serde_json::Value::as_array).map_or(0, Vec::len)
            }
            Some(Geometry::Shape(_) | Geometry::Raw(_)) | None => 0,
        }
    }
}
