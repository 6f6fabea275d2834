//! Profiles: which gates and measures are in force, with what weights and thresholds. Pure data, hashed.

use crate::task::SceneTask;
use serde::Serialize;

/// All must pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GateKind {
    /// Size limit, readable, no Khronos error.
    Export,
    /// Every coordinate finite and within the limit.
    Finite,
    /// Every required object exists, with surface to speak of.
    Present,
    /// Nothing required is microscopic or huge.
    Scale,
    /// The model's camera sees something.
    Foreground,
    /// Budgets kept.
    Integrity,
}

impl GateKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Export => "export",
            Self::Finite => "finite",
            Self::Present => "present",
            Self::Scale => "scale",
            Self::Foreground => "foreground",
            Self::Integrity => "integrity",
        }
    }
}

/// The quality components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Measure {
    Overlap,
    Normals,
    Mesh,
    Visibility,
    Lighting,
    Support,
    Bounds,
    Scale,
}

impl Measure {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Overlap => "overlap",
            Self::Normals => "normals",
            Self::Mesh => "mesh",
            Self::Visibility => "visibility",
            Self::Lighting => "lighting",
            Self::Support => "support",
            Self::Bounds => "bounds",
            Self::Scale => "scale",
        }
    }

    /// Whether it belongs to `c`, the least of which caps the reward.
    pub(crate) fn caps(self) -> bool {
        !matches!(self, Self::Bounds | Self::Scale)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Weighted {
    pub(crate) measure: Measure,
    /// Before renormalisation over the measures in force.
    pub(crate) weight: f64,
}

/// What scores: the definitions' version, gates, weights, mask and thresholds. A change of any definition is a new
/// version, so that equal hashes mean equal rewards.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    pub id: &'static str,
    pub version: u32,
    pub description: &'static str,
    /// Whether objects, sizes and bounds come from a task. Without one, lighting is in force only where the file has
    /// lights.
    pub(crate) needs_task: bool,
    pub(crate) gates: Vec<GateKind>,
    /// The mask: what is not listed is not measured.
    pub(crate) measures: Vec<Weighted>,
    pub(crate) thresholds: Thresholds,
}

impl Profile {
    /// Every profile, ordered by id.
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![Self::file_0(), Self::r3d_0()]
    }

    #[must_use]
    pub fn by_id(id: &str) -> Option<Self> {
        Self::all().into_iter().find(|profile| profile.id == id)
    }

    /// The task's own; `file/0` without one.
    #[must_use]
    pub fn for_task(task: Option<&SceneTask>) -> Self {
        task.and_then(|task| Self::by_id(&task.profile))
            .unwrap_or_else(|| if task.is_some() { Self::r3d_0() } else { Self::file_0() })
    }

    /// BLAKE3 of the canonical JSON: members in declared order, shortest round-trip numbers.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        let json = serde_json::to_vec(self).expect("a profile is plain data with text keys");
        *blake3::hash(&json).as_bytes()
    }

    fn r3d_0() -> Self {
        use GateKind::{Export, Finite, Foreground, Integrity, Present, Scale};
        Self {
            id: "r3d/0",
            version: 1,
            description: "A task's scene: overlap, normals, mesh, visibility, lighting, support, bounds, scale",
            needs_task: true,
            gates: vec![Export, Finite, Present, Scale, Foreground, Integrity],
            measures: weights(&[
                (Measure::Overlap, 0.21),
                (Measure::Normals, 0.16),
                (Measure::Mesh, 0.09),
                (Measure::Visibility, 0.14),
                (Measure::Lighting, 0.09),
                (Measure::Support, 0.14),
                (Measure::Bounds, 0.05),
                (Measure::Scale, 0.04),
            ]),
            thresholds: Thresholds::default(),
        }
    }

    fn file_0() -> Self {
        Self {
            id: "file/0",
            version: 1,
            description: "A file without a task: overlap, normals, mesh, visibility, lighting where it has lights",
            needs_task: false,
            gates: vec![GateKind::Export, GateKind::Finite],
            measures: weights(&[
                (Measure::Overlap, 0.21),
                (Measure::Normals, 0.16),
                (Measure::Mesh, 0.09),
                (Measure::Visibility, 0.14),
                (Measure::Lighting, 0.09),
            ]),
            // Files come in centimetres and millimetres too, and with budgets of their own.
            thresholds: Thresholds {
                export_bytes_max: 256 << 20,
                nodes_max: 100_000,
                triangles_max: 5_000_000,
                coordinate_max_m: 1e9,
                ..Thresholds::default()
            },
        }
    }
}

fn weights(table: &[(Measure, f64)]) -> Vec<Weighted> {
    table.iter().map(|(measure, weight)| Weighted { measure: *measure, weight: *weight }).collect()
}

/// Every threshold of the reward. "Full" is where a grade leaves 1, "zero" where it reaches 0; linear in between.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Thresholds {
    /// Bytes of the artifact (32 MiB).
    pub(crate) export_bytes_max: usize,
    /// Nodes of the scene (2 000).
    pub(crate) nodes_max: usize,
    /// Triangles in world space (1 000 000).
    pub(crate) triangles_max: usize,
    /// |coordinate|, metres (1 000).
    pub(crate) coordinate_max_m: f64,

    /// Triangles with area that a required object must have (4).
    pub(crate) present_triangles_min: usize,
    /// Area of a required object over the area of its target box (0.01).
    pub(crate) present_area_share_min: f64,
    /// Alpha below which a blended surface is not there (0.05).
    pub(crate) alpha_visible_min: f64,
    /// Longest side of a required object over that of its target (0.2 … 5).
    pub(crate) side_ratio_min: f64,
    pub(crate) side_ratio_max: f64,
    /// An object's box over the bounds' volume, above which it is oversized (0.6), and how many may be (1).
    pub(crate) bounds_volume_share_max: f64,
    pub(crate) oversized_objects_max: usize,
    /// Share of the model's picture that shows something (0.02).
    pub(crate) foreground_share_min: f64,

    /// Common volume over the smaller volume at which a pair costs its objects everything (0.05).
    pub(crate) overlap_share_zero: f64,
    /// Mesh nodes of one object may interpenetrate by this share of the smaller minimum extent (0.10).
    pub(crate) joint_share: f64,
    /// Highest overlap value when a mesh of an interpenetrating pair is not closed (0.9).
    pub(crate) uncertain_volume_cap: f64,
    /// Distance from the plane, over the diagonal, up to which a double-sided mesh is a sheet (1e-4).
    pub(crate) sheet_flatness: f64,

    /// Width of the model's picture, pixels (256); its height follows from the camera's aspect.
    pub(crate) model_view_width_px: u32,
    /// Width over height where the camera has none (4/3), and the range it is held to (0.25 … 4).
    pub(crate) model_view_aspect: f64,
    pub(crate) model_view_aspect_min: f64,
    pub(crate) model_view_aspect_max: f64,
    /// Hidden cameras (8), square pictures of so many pixels (128), vertical field of view (50°).
    pub(crate) hidden_views: u32,
    pub(crate) hidden_view_px: u32,
    pub(crate) hidden_yfov_rad: f64,
    /// Sine of the hidden cameras' elevation (10° … 65°): uniform on that zone of the sphere.
    pub(crate) hidden_sine_min: f64,
    pub(crate) hidden_sine_max: f64,
    /// Share of the picture an object must cover (0.002).
    pub(crate) visible_px_share: f64,
    /// Share of an object's own pixels that nothing hides (0.3).
    pub(crate) unoccluded_min: f64,
    /// Share of an object's projection inside the picture (0.7).
    pub(crate) in_frame_min: f64,

    /// Luminance that the scorer's fixed exposure shows as white, cd/m² (100).
    pub(crate) white_cd_m2: f64,
    /// Middle grey as a share of white (0.18).
    pub(crate) grey: f64,
    /// Distance of the median from middle grey, EV: full 1.5, zero 4.
    pub(crate) exposure_full_ev: f64,
    pub(crate) exposure_zero_ev: f64,
    /// Shares of white below and above which a pixel is clipped (0.01, 0.98).
    pub(crate) clip_dark: f64,
    pub(crate) clip_bright: f64,
    /// Share of clipped pixels: full 0.02, zero 0.6.
    pub(crate) clip_share_full: f64,
    pub(crate) clip_share_zero: f64,
    /// 90th over 10th percentile of luminance, as log2: zero, full, full, zero (0, 1, 6, 12).
    pub(crate) contrast_log2: [f64; 4],

    /// Metres by which the bounds are widened before footprints are compared (0.010).
    pub(crate) bounds_margin_m: f64,
    /// Share of a footprint outside the bounds at which an object's grade is zero (0.05).
    pub(crate) outside_share_zero: f64,
    /// Width of the size grade exp(−(ln(size/target)/w)²) (0.35).
    pub(crate) size_log_width: f64,
    /// Relative error of an extent above which it is mentioned (0.02).
    pub(crate) size_evidence_share: f64,

    /// A predicate is full within its tolerance and zero at so many tolerances (4).
    pub(crate) predicate_zero: f64,

    /// R = this · passed/all when a gate fails (0.05).
    pub(crate) failed_gate_reward: f64,
    /// Least value of a component in the geometric mean (0.01).
    pub(crate) component_floor: f64,
    /// R ≤ base + (1 − base)·c (0.25).
    pub(crate) cap_base: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            export_bytes_max: 32 << 20,
            nodes_max: 2_000,
            triangles_max: 1_000_000,
            coordinate_max_m: 1_000.0,
            present_triangles_min: 4,
            present_area_share_min: 0.01,
            alpha_visible_min: 0.05,
            side_ratio_min: 0.2,
            side_ratio_max: 5.0,
            bounds_volume_share_max: 0.6,
            oversized_objects_max: 1,
            foreground_share_min: 0.02,
            overlap_share_zero: 0.05,
            joint_share: 0.10,
            uncertain_volume_cap: 0.9,
            sheet_flatness: 1e-4,
            model_view_width_px: 256,
            model_view_aspect: 4.0 / 3.0,
            model_view_aspect_min: 0.25,
            model_view_aspect_max: 4.0,
            hidden_views: 8,
            hidden_view_px: 128,
            hidden_yfov_rad: 50.0 * std::f64::consts::PI / 180.0,
            hidden_sine_min: 0.1736,
            hidden_sine_max: 0.9063,
            visible_px_share: 0.002,
            unoccluded_min: 0.3,
            in_frame_min: 0.7,
            white_cd_m2: 100.0,
            grey: 0.18,
            exposure_full_ev: 1.5,
            exposure_zero_ev: 4.0,
            clip_dark: 0.01,
            clip_bright: 0.98,
            clip_share_full: 0.02,
            clip_share_zero: 0.6,
            contrast_log2: [0.0, 1.0, 6.0, 12.0],
            bounds_margin_m: 0.010,
            outside_share_zero: 0.05,
            size_log_width: 0.35,
            size_evidence_share: 0.02,
            predicate_zero: 4.0,
            failed_gate_reward: 0.05,
            component_floor: 0.01,
            cap_base: 0.25,
        }
    }
}
