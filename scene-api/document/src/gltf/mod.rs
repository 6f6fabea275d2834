//! glTF 2.0 and GLB, in and out. Reading begins with our own structural check; of the `gltf` crate only the JSON types
//! are used. What is not understood is kept in `Source` and written back.

mod check;
mod environment;
pub(crate) mod imported;
mod lists;
mod read;
mod write;

pub use check::check;
pub use read::read;
pub use write::{WriteError, write_glb, write_gltf};

use crate::{NodeId, Scene};
use serde::Serialize;
use std::collections::BTreeMap;

/// |‖n‖ − 1| of normals, for edits as for files.
pub(crate) const UNIT_VECTOR_TOLERANCE: f64 = check::TOLERANCES.unit_vector;

/// |Σ weights − 1| of a vertex, for each of its joints that has a weight.
pub(crate) const WEIGHT_TOLERANCE: f64 = check::TOLERANCES.weight;

/// |‖q‖ − 1| of rotations that animations bring.
pub(crate) const UNIT_QUATERNION_TOLERANCE: f64 = check::TOLERANCES.unit_quaternion;

/// The file that a scene was read from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Source {
    /// The whole root object; every buffer view refers to buffer 0.
    pub json: serde_json::Value,
    /// Buffer 0: all buffers of the file, merged.
    pub blob: Vec<u8>,
    /// The node made from each node of the file; `None` where none was made. Channels that are kept name nodes by
    /// index, so export needs it.
    pub node_ids: Vec<Option<NodeId>>,
}

/// Khronos' severities; an `Error` makes the file invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Error,
    Warning,
    Information,
}

/// One remark about a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// The Khronos validator's code, e.g. `ACCESSOR_MIN_MISMATCH`.
    pub code: &'static str,
    pub severity: Severity,
    /// A JSON pointer into the file, or `@byte 12` for the GLB container.
    pub pointer: String,
    pub message: String,
}

/// External resources by URI, relative to the file; `None` where there is no such resource.
pub type Resolve<'a> = &'a dyn Fn(&str) -> Option<Vec<u8>>;

/// What a reader accepts, so that a small hostile file cannot ask for unbounded work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The file together with its external buffers.
    pub bytes: usize,
    /// In the file's JSON text; each costs far more memory than bytes of text.
    pub json_values: usize,
    /// In the scene.
    pub nodes: usize,
    /// Levels of the node hierarchy; a root is level 1.
    pub depth: usize,
    /// In world space: a mesh counts once per node that uses it.
    pub triangles: usize,
    /// In world space, like `triangles`, whether or not triangles use them; a primitive counts as one at least.
    pub vertices: usize,
    /// In the file.
    pub materials: usize,
    /// Nodes in the scene that have one.
    pub lights: usize,
    /// Nodes in the scene that have one.
    pub cameras: usize,
    /// In the file.
    pub textures: usize,
    /// Of all images of the file together, as their headers say.
    pub pixels: usize,
    /// Key times and values of all channels; data that channels share counts for each.
    pub animation_numbers: usize,
    /// Joints, weights and deltas of morph targets, in world space like `vertices`.
    pub deformation_numbers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 32 << 20,
            json_values: 1_000_000,
            nodes: 4096,
            depth: 256,
            triangles: 1_000_000,
            vertices: 3_000_000,
            materials: 4096,
            lights: 64,
            cameras: 64,
            textures: 1024,
            pixels: 256 << 20,
            animation_numbers: 16 << 20,
            deformation_numbers: 32 << 20,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Import {
    pub scene: Scene,
    /// Every remark, also on a valid file.
    pub issues: Vec<Issue>,
    /// Where each node stands in the file, e.g. `/nodes/3`.
    pub node_pointers: BTreeMap<NodeId, String>,
    /// Of the nodes in the scene, the meshes and materials that they use, and the scene itself.
    pub not_evaluated: Vec<NotEvaluated>,
}

/// A feature by which a part of the scene can be elsewhere or look otherwise than it bakes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotEvaluated {
    /// The JSON member, e.g. `skin`, `weights`, `EXT_mesh_gpu_instancing`, `COLOR_0`.
    pub what: &'static str,
    /// Where it stands, e.g. `/nodes/3/skin`.
    pub pointer: String,
}

/// Why a file gave no scene.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("not a readable glTF file: {}", first_error(.issues))]
    Invalid { issues: Vec<Issue> },
    #[error("{what} is not supported ({pointer})")]
    Unsupported { what: String, pointer: String },
    #[error("{given} {what} exceed the limit of {allowed}")]
    LimitExceeded { what: &'static str, given: u64, allowed: u64 },
    /// A fault of the reader, contained.
    #[error("the reader failed: {what}")]
    Panicked { what: String },
}

fn first_error(issues: &[Issue]) -> String {
    let errors: Vec<&Issue> = issues.iter().filter(|issue| issue.severity == Severity::Error).collect();
    match errors.as_slice() {
        [] => "no reason given".into(),
        [only] => format!("{} at {}: {}", only.code, only.pointer, only.message),
        [first, rest @ ..] => {
            format!("{} at {}: {} (and {} more)", first.code, first.pointer, first.message, rest.len())
        }
    }
}
