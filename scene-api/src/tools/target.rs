//! What a model points at: a point, or a node, whose middle is meant.

use super::look_at::centre;
use super::references;
use crate::measured::subtree_aabb;
use crate::tool_error::ToolError;
use scene_document::Scene;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Target {
    Point([f64; 3]),
    Node(String),
}

impl Target {
    /// World space, metres.
    ///
    /// # Errors
    /// `NotFound`.
    pub(super) fn point_m(&self, scene: &Scene, pointer: &str) -> Result<[f64; 3], ToolError> {
        self.sphere_m(scene, pointer).map(|(point_m, _)| point_m)
    }

    /// As `point_m`, and the radius of the sphere around it that holds the bounds of the node and all below it; `None`
    /// without a mesh.
    pub(super) fn sphere_m(&self, scene: &Scene, pointer: &str) -> Result<([f64; 3], Option<f64>), ToolError> {
        match self {
            Self::Point(point_m) => Ok((*point_m, None)),
            Self::Node(given) => {
                let (id, _) = references::node(scene, pointer, given)?;
                let radius_m = subtree_aabb(scene, id).map(|bounds| bounds.diagonal() / 2.0);
                Ok((centre(scene, id), radius_m))
            }
        }
    }
}
