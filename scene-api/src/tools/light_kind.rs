//! The kind of a light as a model writes it.

use super::edits::same_name;
use super::ranges::positive;
use scene_document::LightKind;
use schemars::JsonSchema;
use serde::Deserialize;
use std::f64::consts::FRAC_PI_2;

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum LightKindArgs {
    /// Parallel light, as from the sun.
    Directional,
    /// From a point to all sides.
    Point,
    /// A cone from a point.
    Spot {
        /// Half-angle of full light, at least 0.
        #[schemars(range(min = 0, max = FRAC_PI_2))]
        inner_cone_rad: f64,
        /// Half-angle of the edge, more than `inner_cone_rad`, at most π/2.
        #[schemars(range(max = FRAC_PI_2), transform = positive)]
        outer_cone_rad: f64,
    },
}

impl From<LightKindArgs> for LightKind {
    fn from(light: LightKindArgs) -> Self {
        match light {
            LightKindArgs::Directional => Self::Directional,
            LightKindArgs::Point => Self::Point,
            LightKindArgs::Spot { inner_cone_rad, outer_cone_rad } => Self::Spot { inner_cone_rad, outer_cone_rad },
        }
    }
}

/// JSON pointer of the argument that the document calls `what`, where the kind is the argument `light`.
pub(super) fn in_kind(what: &str) -> String {
    match what {
        "inner_cone_rad" | "outer_cone_rad" => format!("/light/{what}"),
        other => same_name(other),
    }
}
