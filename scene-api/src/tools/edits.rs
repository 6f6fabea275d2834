//! Edits of one call, and their refusals in the words of the tool.

use super::Outcome;
use crate::limits::Blame;
use crate::tool_error::{ErrorCode, ToolError};
use scene_document::{Applied, Changed, Edit, EditError, NodeId, Scene, apply};
use serde_json::{Value, json};

/// Applies one edit; `place` gives the JSON pointer of the argument that the document calls `what`.
///
/// # Errors
/// The document's refusal.
pub(super) fn edit(scene: &Scene, edit: Edit, place: impl Fn(&str) -> String) -> Result<Applied, ToolError> {
    apply(scene, edit).map_err(|error| refused(&error, place))
}

/// One more edit of the same call.
pub(super) fn and_edit(first: Applied, then: Edit, place: impl Fn(&str) -> String) -> Result<Applied, ToolError> {
    let second = edit(&first.scene, then, place)?;
    let changed = Changed {
        nodes: union(first.changed.nodes, second.changed.nodes),
        meshes: union(first.changed.meshes, second.changed.meshes),
        materials: union(first.changed.materials, second.changed.materials),
        lights: union(first.changed.lights, second.changed.lights),
        cameras: union(first.changed.cameras, second.changed.cameras),
        animations: union(first.changed.animations, second.changed.animations),
        textures: union(first.changed.textures, second.changed.textures),
        skins: union(first.changed.skins, second.changed.skins),
        environment: first.changed.environment || second.changed.environment,
    };
    Ok(Applied { scene: second.scene, changed })
}

/// No edit yet.
pub(super) fn unchanged(scene: &Scene) -> Applied {
    Applied { scene: scene.clone(), changed: Changed::default() }
}

/// All edits of one call, in order.
pub(super) fn edit_all(
    scene: &Scene,
    edits: impl IntoIterator<Item = Edit>,
    place: impl Fn(&str) -> String,
) -> Result<Applied, ToolError> {
    edits.into_iter().try_fold(unchanged(scene), |done, next| and_edit(done, next, &place))
}

/// Of tools that put a new node somewhere.
pub(super) const AT_TRANSLATION: Blame = Blame { triangles: "", place: "/translation" };

pub(super) fn edited(applied: Applied, result: Value) -> Outcome {
    Outcome::Edited { applied: Box::new(applied), result, blame: Blame::default() }
}

impl Outcome {
    /// Names the arguments that a limit error is to point at.
    pub(super) fn blaming(self, blame: Blame) -> Self {
        match self {
            Self::Edited { applied, result, .. } => Self::Edited { applied, result, blame },
            other => other,
        }
    }
}

/// The node that the last `CreateNode` made: ids go up.
///
/// # Errors
/// `NotFound` where none was made.
pub(super) fn created(applied: &Applied) -> Result<NodeId, ToolError> {
    let newest = applied.changed.nodes.last().copied();
    newest.ok_or_else(|| ToolError::new(ErrorCode::NotFound, "", "no node was made"))
}

/// The argument of the same name.
pub(super) fn same_name(what: &str) -> String {
    format!("/{what}")
}

fn union<Id: Ord>(mut first: Vec<Id>, second: Vec<Id>) -> Vec<Id> {
    first.extend(second);
    first.sort();
    first.dedup();
    first
}

fn refused(error: &EditError, place: impl Fn(&str) -> String) -> ToolError {
    let message = error.to_string();
    let new = |code, pointer: String| ToolError::new(code, pointer, message.clone());
    match error {
        EditError::NoNode(id) => new(ErrorCode::NotFound, place("node")).given(id.to_string()),
        EditError::NoMaterial(id) => new(ErrorCode::NotFound, place("material")).given(id.to_string()),
        EditError::NoMesh(id) | EditError::NoCamera(id) => {
            new(ErrorCode::NotFound, place("node")).given(id.to_string())
        }
        EditError::NoAnimation(id) => new(ErrorCode::NotFound, place("animation")).given(id.to_string()),
        EditError::NoMorphTargets(_) => new(ErrorCode::Unsupported, place("path"))
            .given("weights")
            .allowed("translation, rotation, scale; weights of a node whose mesh has morph targets"),
        EditError::Dangling { what, id } => new(ErrorCode::NotFound, place(what)).given(id.as_str()),
        EditError::NotFinite { what } => {
            new(ErrorCode::NonFinite, place(what)).given("not finite").allowed("finite numbers")
        }
        EditError::NormalLength { normal, length } => {
            new(ErrorCode::OutOfRange, format!("{}/{normal}", place("normals")))
                .given(*length)
                .allowed("a length of 1 ± 0.00674")
        }
        EditError::OutOfRange { what, given, allowed } => {
            new(ErrorCode::OutOfRange, place(what)).given(*given).allowed(*allowed)
        }
        EditError::ZeroRotation { given } => {
            new(ErrorCode::OutOfRange, place("rotation")).given(json!(given)).allowed("a unit quaternion [x, y, z, w]")
        }
        EditError::IndexOutOfRange { triangle, index, vertices } => {
            new(ErrorCode::OutOfRange, format!("{}/{triangle}", place("triangles")))
                .given(*index)
                .allowed(format!("0 to {}", vertices.saturating_sub(1)))
        }
        EditError::NormalCount { normals, positions } => new(ErrorCode::InvalidArgument, place("normals"))
            .given(*normals)
            .allowed(format!("{positions}, one per position")),
        EditError::UvCount { uvs, positions } => {
            new(ErrorCode::InvalidArgument, place("uvs")).given(*uvs).allowed(format!("{positions}, one per position"))
        }
        EditError::TimesNotIncreasing { key, given, previous } => {
            new(ErrorCode::OutOfRange, format!("{}/{key}", place("times_s")))
                .given(*given)
                .allowed(format!("more than {previous}"))
        }
        EditError::ValueCount { given, wanted } => {
            new(ErrorCode::InvalidArgument, place("values")).given(*given).allowed(format!("{wanted} numbers in all"))
        }
        EditError::RotationLength { row, length } => new(ErrorCode::OutOfRange, format!("{}/{row}", place("values")))
            .given(*length)
            .allowed("a length of 1 ± 0.00769"),
        EditError::TargetTwice { path, .. } => {
            new(ErrorCode::InvalidArgument, place("path")).given(*path).allowed("each path of a node once")
        }
        EditError::NoJoints => {
            new(ErrorCode::Unsupported, place("node")).allowed("a mesh whose vertices name the joints that move them")
        }
        EditError::VertexCount { given, positions, .. } => new(ErrorCode::InvalidArgument, place("positions"))
            .given(*given)
            .allowed(format!("{positions}, one per vertex")),
        EditError::JointTwice { joint } => {
            new(ErrorCode::InvalidArgument, place("joints")).given(joint.to_string()).allowed("each joint once")
        }
        EditError::JointOutOfRange { joint, joints } => new(ErrorCode::OutOfRange, place("joints"))
            .given(*joint)
            .allowed(format!("0 to {}", joints.saturating_sub(1))),
        EditError::MatrixCount { given, joints } => new(ErrorCode::InvalidArgument, place("inverse_bind_matrices"))
            .given(*given)
            .allowed(format!("{joints}, one per joint")),
        EditError::MatrixNotAffine { joint } => {
            new(ErrorCode::OutOfRange, format!("{}/{joint}", place("inverse_bind_matrices")))
                .allowed("a last row of 0, 0, 0, 1")
        }
        EditError::InfluenceSum { vertex, weights } => {
            new(ErrorCode::OutOfRange, format!("{}/{vertex}", place("weights")))
                .given(json!(weights))
                .allowed("weights of at least 0 that sum to 1")
        }
        EditError::TargetCount { given, targets, .. } => new(ErrorCode::InvalidArgument, place("weights"))
            .given(*given)
            .allowed(format!("{targets}, one per morph target")),
        EditError::NameTaken { name, taken_by } => new(ErrorCode::NameConflict, place("name"))
            .given(name.as_str())
            .allowed("a name that no sibling has")
            .nearest(vec![taken_by.to_string()]),
        EditError::Cycle { node, parent } => new(ErrorCode::InvalidArgument, place("parent"))
            .given(parent.to_string())
            .allowed(format!("a node that is neither {node} nor below it, or none for a root")),
        EditError::TooDeep { depth, limit } => {
            new(ErrorCode::LimitExceeded, place("parent")).given(*depth).allowed(format!("at most {limit} levels"))
        }
    }
}
