//! Profiles: which gates and measures are in force, with what weights and thresholds. Pure data, hashed.

use super::thresholds::Thresholds;
use crate::task::SceneTask;
use scene_document::{Baked, gltf};
use scene_raster::RasterScene;
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
    /// Budgets of nodes, triangles, materials, lights and cameras kept.
    Integrity,
    /// A renderer draws the scene, and the picture shows something.
    Renderability,
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
            Self::Renderability => "renderability",
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

/// What scores: gates, weights, mask and thresholds. A change of any definition is a new id.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    pub id: &'static str,
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
        vec![Self::file_0(), Self::level_0(), Self::level_shape(), Self::r3d_0(), Self::r3d_0_render()]
    }

    #[must_use]
    pub fn by_id(id: &str) -> Option<Self> {
        Self::all().into_iter().find(|profile| profile.id == id)
    }

    /// The task's own; `file/0` without one.
    #[must_use]
    pub fn for_task(task: Option<&SceneTask>) -> Self {
        task.map_or_else(Self::file_0, |task| task.profile.clone())
    }

    /// Whether a renderer must draw the scene; nothing else of a reward needs one.
    #[must_use]
    pub fn needs_renderer(&self) -> bool {
        self.gates.contains(&GateKind::Renderability)
    }

    /// Whether anything is judged by pictures of the scene.
    pub(crate) fn looks(&self) -> bool {
        let sees = |gate: &GateKind| matches!(gate, GateKind::Foreground | GateKind::Renderability);
        let sighted = |weighted: &Weighted| matches!(weighted.measure, Measure::Visibility | Measure::Lighting);
        self.gates.iter().any(sees) || self.measures.iter().any(sighted)
    }

    /// BLAKE3 of the canonical JSON (members in declared order, shortest round-trip numbers) and of the tolerances of
    /// geometry checks and rasteriser. Equal hashes of one build mean equal rewards.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        let json = serde_json::to_vec(self).expect("a profile is plain data with text keys");
        // A scene without meshes is the rasteriser's tolerances and nothing that varies.
        let measures = format!("{:?} {:?}", self.thresholds.geometry(), RasterScene::new(&Baked::default()));
        let mut hasher = blake3::Hasher::new();
        hasher.update(&json).update(measures.as_bytes());
        *hasher.finalize().as_bytes()
    }

    /// For tasks that ask for objects and neither for lights nor for a camera: what nobody asked for is not missed, and
    /// no picture is made, so that a score costs milliseconds. Weights are those of `r3d/0`.
    pub(crate) fn level_0() -> Self {
        use GateKind::{Export, Finite, Integrity, Present, Scale};
        Self {
            id: "level/0",
            description: "A task's objects, without lights and camera: overlap, normals, mesh, support, bounds, scale",
            needs_task: true,
            gates: vec![Export, Finite, Integrity, Present, Scale],
            measures: weights(&[
                (Measure::Overlap, 0.21),
                (Measure::Normals, 0.16),
                (Measure::Mesh, 0.09),
                (Measure::Support, 0.14),
                (Measure::Bounds, 0.05),
                (Measure::Scale, 0.04),
            ]),
            thresholds: Thresholds::default(),
        }
    }

    /// As `level/0`, where the object hangs is free, and predicates are graded far beyond their tolerances: nearly every
    /// attempt is better or worse than another, which is what a policy learns from.
    pub(crate) fn level_shape() -> Self {
        use GateKind::{Export, Finite, Integrity, Present};
        Self {
            id: "level/shape",
            description: "A task's objects wherever they hang, graded from afar: overlap, normals, mesh, bounds, scale",
            needs_task: true,
            gates: vec![Export, Finite, Integrity, Present],
            measures: weights(&[
                (Measure::Overlap, 0.21),
                (Measure::Normals, 0.16),
                (Measure::Mesh, 0.09),
                (Measure::Bounds, 0.05),
                (Measure::Scale, 0.04),
            ]),
            thresholds: Thresholds { predicate_zero: 30.0, ..Thresholds::default() },
        }
    }

    pub(crate) fn r3d_0() -> Self {
        use GateKind::{Export, Finite, Foreground, Integrity, Present, Scale};
        Self {
            id: "r3d/0",
            description: "A task's scene: overlap, normals, mesh, visibility, lighting, support, bounds, scale",
            needs_task: true,
            gates: vec![Export, Finite, Integrity, Present, Scale, Foreground],
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

    fn r3d_0_render() -> Self {
        let mut profile = Self::r3d_0();
        profile.id = "r3d/0+render";
        profile.description = "As r3d/0, and a renderer must be able to draw the scene";
        profile.gates.push(GateKind::Renderability);
        profile
    }

    fn file_0() -> Self {
        Self {
            id: "file/0",
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
            // Files come in centimetres and millimetres too, as large as the reader takes them, and hold glass.
            thresholds: Thresholds {
                export_bytes_max: gltf::Limits::default().bytes,
                coordinate_max_m: 1e9,
                alpha_visible_min: 0.05,
                ..Thresholds::default()
            },
        }
    }
}

fn weights(table: &[(Measure, f64)]) -> Vec<Weighted> {
    table.iter().map(|(measure, weight)| Weighted { measure: *measure, weight: *weight }).collect()
}
