//! Checks on skins and morph targets: as many entries as there are vertices, weights that sum to one, joints that are
//! there.

use super::{Checked, count};
use crate::gltf::WEIGHT_TOLERANCE;
use crate::{Deformation, EditError, Influence, Mesh, Scene, Skin};
use std::collections::BTreeSet;

pub(super) fn deformation(deformation: &Deformation, positions: usize, has_normals: bool) -> Checked {
    let Deformation { influences, targets } = deformation;
    if !influences.is_empty() {
        per_vertex("influences", influences.len(), positions)?;
    }
    influences.iter().enumerate().try_for_each(|(vertex, influence)| self::influence(vertex, influence))?;
    for target in targets {
        per_vertex("deltas of a morph target", target.positions.len(), positions)?;
        if let Some(normals) = &target.normals {
            per_vertex("normal deltas of a morph target", normals.len(), if has_normals { positions } else { 0 })?;
        }
        let mut parts = target.positions.iter().chain(target.normals.iter().flatten()).flatten();
        if !parts.all(|part| part.is_finite()) {
            return Err(EditError::NotFinite { what: "morph targets" });
        }
    }
    Ok(())
}

/// All primitives have as many morph targets, and the mesh as many weights and names if it has any.
pub(super) fn targets(mesh: &Mesh) -> Checked {
    let targets = mesh.morph_target_count();
    for primitive in &mesh.primitives {
        per_target("morph targets of a primitive", primitive.geometry.target_count(), targets)?;
    }
    if !mesh.target_names.is_empty() {
        per_target("names", mesh.target_names.len(), targets)?;
    }
    weights(&mesh.weights, targets)
}

/// None, or one for each morph target.
pub(crate) fn weights(weights: &[f64], targets: usize) -> Checked {
    if !weights.is_empty() {
        per_target("weights", weights.len(), targets)?;
    }
    super::finite("weights", weights)
}

pub(crate) fn skin(scene: &Scene, skin: &Skin) -> Checked {
    count("joints", skin.joints.len())?;
    let mut seen = BTreeSet::new();
    for joint in skin.joints.iter().chain(&skin.skeleton) {
        scene.node(*joint).ok_or(EditError::NoNode(*joint))?;
    }
    if let Some(joint) = skin.joints.iter().copied().find(|joint| !seen.insert(*joint)) {
        return Err(EditError::JointTwice { joint });
    }
    let (given, joints) = (skin.inverse_bind_matrices.len(), skin.joints.len());
    if given > 0 && given != joints {
        return Err(EditError::MatrixCount { given, joints });
    }
    if !skin.inverse_bind_matrices.iter().flatten().all(|part| part.is_finite()) {
        return Err(EditError::NotFinite { what: "inverse_bind_matrices" });
    }
    let is_affine = |columns: &[f32; 16]| [3_usize, 7, 11, 15].map(|place| columns[place]) == [0.0, 0.0, 0.0, 1.0];
    match skin.inverse_bind_matrices.iter().position(|columns| !is_affine(columns)) {
        Some(joint) => Err(EditError::MatrixNotAffine { joint }),
        None => Ok(()),
    }
}

/// Whether the skin has every joint that the mesh names, and the mesh names any.
pub(crate) fn bound(mesh: &Mesh, skin: &Skin) -> Checked {
    let (needed, joints) = (mesh.joint_count().ok_or(EditError::NoJoints)?, skin.joints.len());
    if needed <= joints { Ok(()) } else { Err(EditError::JointOutOfRange { joint: needed - 1, joints }) }
}

fn influence(vertex: usize, influence: &Influence) -> Checked {
    let weights = influence.weights.map(f64::from);
    let sum: f64 = weights.iter().sum();
    let used = weights.iter().filter(|weight| **weight != 0.0).count();
    // A sum that is not a number is not within the tolerance either.
    let sums_to_one = (sum - 1.0).abs() <= WEIGHT_TOLERANCE * used as f64;
    if sums_to_one && weights.iter().all(|weight| *weight >= 0.0) {
        Ok(())
    } else {
        Err(EditError::InfluenceSum { vertex, weights: influence.weights })
    }
}

fn per_vertex(what: &'static str, given: usize, positions: usize) -> Checked {
    if given == positions { Ok(()) } else { Err(EditError::VertexCount { what, given, positions }) }
}

fn per_target(what: &'static str, given: usize, targets: usize) -> Checked {
    if given == targets { Ok(()) } else { Err(EditError::TargetCount { what, given, targets }) }
}
