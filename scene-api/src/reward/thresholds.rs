//! Every threshold of the reward, and which of them a gate or component was held against.

use super::profile::{GateKind, Measure};
use crate::limits::Limits;
use geometry_checks::Tolerances;
use rl_protocol::Factor;
use serde::Serialize;

/// Every threshold of the reward. "Full" is where a grade leaves 1, "zero" where it reaches 0; linear in between.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Thresholds {
    /// Budgets of an episode's scene, `Limits`' own: bytes of the artifact, |coordinate| in metres, nodes, triangles in
    /// world space, materials, lights, cameras.
    pub(crate) export_bytes_max: usize,
    pub(crate) coordinate_max_m: f64,
    pub(crate) nodes_max: u64,
    pub(crate) triangles_max: u64,
    pub(crate) materials_max: u64,
    pub(crate) lights_max: u64,
    pub(crate) cameras_max: u64,

    /// Triangles with area that a required object must have (4).
    pub(crate) present_triangles_min: usize,
    /// Area of a required object over the area of its target box (0.01).
    pub(crate) present_area_share_min: f64,
    /// Alpha below which a blended surface is not there (0.5; 0.05 without a task, where files may hold glass).
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
    /// Highest overlap value when a mesh of an interpenetrating pair is not closed (0.9).
    pub(crate) uncertain_volume_cap: f64,
    /// Pairs measured side by side (64); a pair is left out when both its sides have lost everything before.
    pub(crate) overlap_chunk_pairs: usize,
    /// Work of measuring overlaps, in triangles: a pair costs those of both sides, and where one is not convex as many
    /// more (5 000). When all of it (3 000 000, some seconds) is used, pairs count as their boxes allow.
    pub(crate) overlap_columns_work: u64,
    pub(crate) overlap_work_max: u64,
    /// Meshes, the largest first, that are held against each other for overlap (3 000).
    pub(crate) overlap_meshes_max: usize,
    /// Meshes that are held against each other for support (128): those of required objects and of what is below them.
    pub(crate) support_meshes_max: usize,

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
    /// Luminance, as a share of white, below which all is equally black (1/1600, four stops below `clip_dark`).
    pub(crate) black: f64,
    /// Ranks of luminance that exposure (0.5) and contrast (0.1, 0.9) are read at.
    pub(crate) median_rank: f64,
    pub(crate) dark_rank: f64,
    pub(crate) bright_rank: f64,
    /// Distance of the median from middle grey, EV: full 1.5, zero 4.
    pub(crate) exposure_full_ev: f64,
    pub(crate) exposure_zero_ev: f64,
    /// Shares of white below and above which a pixel is clipped (0.01, 0.98).
    pub(crate) clip_dark: f64,
    pub(crate) clip_bright: f64,
    /// Share of clipped pixels: full 0.02, zero 0.6.
    pub(crate) clip_share_full: f64,
    pub(crate) clip_share_zero: f64,
    /// 90th over 10th percentile of luminance, as log2: zero, full, full, zero (0, 0.5, 6, 12).
    pub(crate) contrast_log2: [f64; 4],

    /// Metres by which the bounds are widened before footprints are compared (0.010).
    pub(crate) bounds_margin_m: f64,
    /// Share of a footprint outside the bounds at which an object's grade is zero (0.05).
    pub(crate) outside_share_zero: f64,
    /// Width of the size grade exp(−(ln(size/target)/w)²) (0.35).
    pub(crate) size_log_width: f64,
    /// Relative error of an extent that is rounding: the grade is 1 (1e-4).
    pub(crate) size_dead_share: f64,
    /// Relative error of an extent above which it is mentioned (0.02).
    pub(crate) size_evidence_share: f64,

    /// A predicate is full within its tolerance and zero at so many tolerances (4).
    pub(crate) predicate_zero: f64,
    /// Share of its box that a part must fill (0.5).
    pub(crate) part_fill_min: f64,

    /// R = this · passed/all when a gate fails (0.05).
    pub(crate) failed_gate_reward: f64,
    /// Least value of a component in the geometric mean (0.01).
    pub(crate) component_floor: f64,
    /// R ≤ base + (1 − base)·c (0.25).
    pub(crate) cap_base: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        let limits = Limits::default();
        Self {
            export_bytes_max: limits.export_bytes,
            coordinate_max_m: limits.coordinate_m,
            nodes_max: limits.nodes.into(),
            triangles_max: limits.triangles,
            materials_max: limits.materials.into(),
            lights_max: limits.lights.into(),
            cameras_max: limits.cameras.into(),
            present_triangles_min: 4,
            present_area_share_min: 0.01,
            alpha_visible_min: 0.5,
            side_ratio_min: 0.2,
            side_ratio_max: 5.0,
            bounds_volume_share_max: 0.6,
            oversized_objects_max: 1,
            foreground_share_min: 0.02,
            overlap_share_zero: 0.05,
            uncertain_volume_cap: 0.9,
            overlap_chunk_pairs: 64,
            overlap_columns_work: 5_000,
            overlap_work_max: 3_000_000,
            overlap_meshes_max: 3_000,
            support_meshes_max: 128,
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
            black: 0.000_625,
            median_rank: 0.5,
            dark_rank: 0.1,
            bright_rank: 0.9,
            exposure_full_ev: 1.5,
            exposure_zero_ev: 4.0,
            clip_dark: 0.01,
            clip_bright: 0.98,
            clip_share_full: 0.02,
            clip_share_zero: 0.6,
            contrast_log2: [0.0, 0.5, 6.0, 12.0],
            bounds_margin_m: 0.010,
            outside_share_zero: 0.05,
            size_log_width: 0.35,
            size_dead_share: 1e-4,
            size_evidence_share: 0.02,
            predicate_zero: 4.0,
            part_fill_min: 0.5,
            failed_gate_reward: 0.05,
            component_floor: 0.01,
            cap_base: 0.25,
        }
    }
}

fn named<const N: usize>(thresholds: [(&str, f64); N]) -> Vec<Factor> {
    thresholds.into_iter().map(|(name, value)| Factor { name: name.into(), value }).collect()
}

impl Thresholds {
    /// Those of the geometry checks, for scoring: a common volume past which neither penalty nor joint can change is not
    /// measured further.
    pub(crate) fn geometry(&self) -> Tolerances {
        let default = Tolerances::default();
        let decided_share = self.overlap_share_zero.max(default.joint_share * default.joint_none);
        Tolerances { decided_share, ..default }
    }

    /// What a gate was held against; names carry the unit.
    pub(crate) fn of_gate(&self, kind: GateKind) -> Vec<Factor> {
        match kind {
            GateKind::Export => named([("bytes_max", self.export_bytes_max as f64)]),
            GateKind::Finite => named([("coordinate_max_m", self.coordinate_max_m)]),
            GateKind::Present => named([
                ("triangles_min", self.present_triangles_min as f64),
                ("area_share_min", self.present_area_share_min),
                ("alpha_visible_min", self.alpha_visible_min),
            ]),
            GateKind::Scale => named([
                ("side_ratio_min", self.side_ratio_min),
                ("side_ratio_max", self.side_ratio_max),
                ("bounds_volume_share_max", self.bounds_volume_share_max),
                ("oversized_objects_max", self.oversized_objects_max as f64),
            ]),
            GateKind::Foreground => named([("picture_share_min", self.foreground_share_min)]),
            GateKind::Integrity => named([
                ("nodes_max", self.nodes_max as f64),
                ("triangles_max", self.triangles_max as f64),
                ("materials_max", self.materials_max as f64),
                ("lights_max", self.lights_max as f64),
                ("cameras_max", self.cameras_max as f64),
            ]),
            GateKind::Renderability => named([("differing_share_above", 0.0)]),
        }
    }

    /// What a component was held against; names carry the unit.
    pub(crate) fn of_measure(&self, measure: Measure, geometry: &Tolerances) -> Vec<Factor> {
        match measure {
            Measure::Overlap => named([
                ("share_zero", self.overlap_share_zero),
                ("counted_share", geometry.counted_share),
                ("touch_share", geometry.touch_share),
                ("touch_min_m", geometry.touch_min_m),
                ("touch_max_m", geometry.touch_max_m),
                ("joint_share", geometry.joint_share),
                ("joint_none", geometry.joint_none),
                ("uncertain_volume_cap", self.uncertain_volume_cap),
                ("work_max_triangles", self.overlap_work_max as f64),
            ]),
            Measure::Normals => {
                named([("length_error_max", geometry.unit_normal), ("grazing_cosine", geometry.grazing_normal_cosine)])
            }
            Measure::Mesh => named([
                ("degenerate_height_share", geometry.degenerate_height_share),
                ("degenerate_area_share", geometry.degenerate_area_share),
                ("self_intersection_depth_share", geometry.self_intersection_depth_share),
                ("self_intersection_gain", geometry.self_intersection_gain),
            ]),
            Measure::Visibility => named([
                ("picture_share_min", self.visible_px_share),
                ("unoccluded_min", self.unoccluded_min),
                ("in_frame_min", self.in_frame_min),
                ("hidden_views", f64::from(self.hidden_views)),
            ]),
            Measure::Lighting => {
                let [low_zero, low_full, high_full, high_zero] = self.contrast_log2;
                named([
                    ("white_cd_m2", self.white_cd_m2),
                    ("grey_share", self.grey),
                    ("exposure_full_ev", self.exposure_full_ev),
                    ("exposure_zero_ev", self.exposure_zero_ev),
                    ("clip_dark_share", self.clip_dark),
                    ("clip_bright_share", self.clip_bright),
                    ("clipped_full_share", self.clip_share_full),
                    ("clipped_zero_share", self.clip_share_zero),
                    ("contrast_low_zero_log2", low_zero),
                    ("contrast_low_full_log2", low_full),
                    ("contrast_high_full_log2", high_full),
                    ("contrast_high_zero_log2", high_zero),
                ])
            }
            Measure::Support => named([
                ("gap_max_m", geometry.support_gap_m),
                ("ground_sink_max_m", geometry.ground_sink_m),
                ("balance_max_m", geometry.balance_m),
                ("joint_share", geometry.joint_share),
            ]),
            Measure::Bounds => {
                named([("margin_m", self.bounds_margin_m), ("outside_share_zero", self.outside_share_zero)])
            }
            Measure::Scale => named([("log_width", self.size_log_width), ("dead_share", self.size_dead_share)]),
        }
    }

    /// What the predicates have in common; their own tolerances stand in the task.
    pub(crate) fn of_task(&self) -> Vec<Factor> {
        named([("zero_tolerances", self.predicate_zero), ("part_fill_min", self.part_fill_min)])
    }
}
