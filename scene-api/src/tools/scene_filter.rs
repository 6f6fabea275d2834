//! Which nodes of a scene a model wants to see.

use super::references;
use crate::measured::four_digits;
use crate::tolerances::Tolerances;
use crate::tool_error::ToolError;
use geometry_checks::Aabb;
use nalgebra::Point3;
use scene_document::{Node, NodeId, Scene};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// All that is given must hold.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Filter {
    /// A part of the node's name; letter case does not matter.
    name: Option<String>,
    /// Id of a node: only what is below it.
    below: Option<String>,
    /// What the node itself has; `empty` is none of the others.
    kind: Option<Kind>,
    /// Only what lies wholly in this box, the bounds of all below it included; the origin where there is no mesh.
    inside: Option<Region>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Mesh,
    Light,
    Camera,
    Empty,
}

/// World space, metres.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Region {
    min_m: [f64; 3],
    max_m: [f64; 3],
}

impl Filter {
    /// `bounds` are those of each node and all below it, in world space.
    ///
    /// # Errors
    /// `NotFound` and `OutOfRange` with pointers below `/filter`.
    pub(super) fn nodes(&self, scene: &Scene, bounds: &BTreeMap<NodeId, Aabb>) -> Result<BTreeSet<NodeId>, ToolError> {
        let below = self.below.as_deref().map(|given| references::node(scene, "/filter/below", given)).transpose()?;
        let below = below.map(|(id, _)| id);
        let region = self.inside.map(Region::checked).transpose()?;
        let name = self.name.as_deref().map(str::to_lowercase);
        let is_meant = |id: NodeId, node: &Node| {
            name.as_deref().is_none_or(|part| node.name.to_lowercase().contains(part))
                && below.is_none_or(|above| id != above && scene.is_within(id, above))
                && self.kind.is_none_or(|kind| kind.is_of(node))
                && region.is_none_or(|region| region.holds(&bounds_or_origin(scene, id, bounds)))
        };
        let meant = scene.nodes().iter().filter(|(id, node)| is_meant(**id, node));
        Ok(meant.map(|(id, _)| *id).collect())
    }
}

fn bounds_or_origin(scene: &Scene, id: NodeId, bounds: &BTreeMap<NodeId, Aabb>) -> Aabb {
    bounds.get(&id).copied().unwrap_or_else(|| {
        let origin = scene.world_from_node(id).transform_point(&Point3::origin());
        Aabb { min: origin, max: origin }
    })
}

impl Kind {
    fn is_of(self, node: &Node) -> bool {
        match self {
            Self::Mesh => node.mesh.is_some(),
            Self::Light => node.light.is_some(),
            Self::Camera => node.camera.is_some(),
            Self::Empty => node.mesh.is_none() && node.light.is_none() && node.camera.is_none(),
        }
    }
}

impl Region {
    fn checked(self) -> Result<Self, ToolError> {
        for (axis, (least, most)) in self.min_m.iter().zip(self.max_m).enumerate() {
            if most < *least {
                let allowed = format!("at least {}, that of min_m", four_digits(*least));
                return Err(ToolError::out_of_range(format!("/filter/inside/max_m/{axis}"), most, allowed));
            }
        }
        Ok(self)
    }

    /// Rounding does not put anything outside.
    fn holds(&self, bounds: &Aabb) -> bool {
        let slack_m = Tolerances::default().coincident_m;
        let above = bounds.min.iter().zip(&self.min_m).all(|(part, least)| *part >= least - slack_m);
        above && bounds.max.iter().zip(&self.max_m).all(|(part, most)| *part <= most + slack_m)
    }
}
