//! A camera's projection and clip planes, as a model writes them.

use super::edits::same_name;
use crate::tool_error::{ErrorCode, ToolError};
use scene_document::Projection;
use schemars::JsonSchema;
use serde::Deserialize;

const ZNEAR_M: f64 = 0.05;
/// An orthographic view needs an end.
const ORTHOGRAPHIC_ZFAR_M: f64 = 1000.0;

/// What a camera has where nothing is said.
pub(super) const USUAL: Projection =
    Projection::Perspective { yfov_rad: 50.0_f64.to_radians(), aspect: None, znear_m: ZNEAR_M, zfar_m: None };

/// Half the width and half the height of the view, metres.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Orthographic {
    #[schemars(range(min = 0.001, max = 10000))]
    xmag_m: f64,
    #[schemars(range(min = 0.001, max = 10000))]
    ymag_m: f64,
}

/// As given; an absent part keeps what is there.
#[derive(Clone, Copy)]
pub(super) struct Lens {
    pub(super) yfov_deg: Option<f64>,
    pub(super) orthographic: Option<Orthographic>,
    pub(super) znear_m: Option<f64>,
    pub(super) zfar_m: Option<f64>,
    /// No far plane, instead of `zfar_m`.
    pub(super) endless: bool,
}

impl Lens {
    pub(super) fn is_empty(&self) -> bool {
        let planes = self.znear_m.is_some() || self.zfar_m.is_some() || self.endless;
        self.yfov_deg.is_none() && self.orthographic.is_none() && !planes
    }

    /// # Errors
    /// `InvalidArgument` for what excludes each other, and for a parallel projection without an end.
    pub(super) fn onto(self, base: Projection) -> Result<Projection, ToolError> {
        let (znear_before, zfar_before) = match base {
            Projection::Perspective { znear_m, zfar_m, .. } => (znear_m, zfar_m),
            Projection::Orthographic { znear_m, zfar_m, .. } => (znear_m, Some(zfar_m)),
        };
        if self.endless && self.zfar_m.is_some() {
            return Err(excluded("/endless", "zfar_m and endless exclude each other", "one of zfar_m, endless"));
        }
        let znear_m = self.znear_m.unwrap_or(znear_before);
        let zfar_m = if self.endless { None } else { self.zfar_m.or(zfar_before) };
        let parallel = |xmag_m: f64, ymag_m: f64| {
            if self.endless {
                let message = "a parallel projection needs an end";
                return Err(excluded("/endless", message, "zfar_m, or a perspective camera"));
            }
            Ok(Projection::Orthographic { xmag_m, ymag_m, znear_m, zfar_m: zfar_m.unwrap_or(ORTHOGRAPHIC_ZFAR_M) })
        };
        match (self.yfov_deg, self.orthographic, base) {
            (Some(_), Some(_), _) => {
                let message = "yfov_deg and orthographic exclude each other";
                Err(excluded("/orthographic", message, "one of yfov_deg, orthographic"))
            }
            (None, Some(Orthographic { xmag_m, ymag_m }), _) => parallel(xmag_m, ymag_m),
            (None, None, Projection::Orthographic { xmag_m, ymag_m, .. }) => parallel(xmag_m, ymag_m),
            (yfov_deg, None, Projection::Perspective { yfov_rad, aspect, .. }) => {
                let yfov_rad = yfov_deg.map_or(yfov_rad, f64::to_radians);
                Ok(Projection::Perspective { yfov_rad, aspect, znear_m, zfar_m })
            }
            (Some(yfov_deg), None, Projection::Orthographic { .. }) => {
                // Only a parallel projection may begin at the camera itself.
                let znear_m = if znear_m > 0.0 { znear_m } else { ZNEAR_M };
                Ok(Projection::Perspective { yfov_rad: yfov_deg.to_radians(), aspect: None, znear_m, zfar_m })
            }
        }
    }
}

/// JSON pointer of the argument that the document calls `what`.
pub(super) fn in_lens(what: &str) -> String {
    match what {
        "xmag_m" | "ymag_m" => format!("/orthographic/{what}"),
        "yfov_rad" => "/yfov_deg".into(),
        other => same_name(other),
    }
}

fn excluded(pointer: &str, message: &str, allowed: &str) -> ToolError {
    ToolError::new(ErrorCode::InvalidArgument, pointer, message).allowed(allowed)
}
