//! Skinning influences: joints exist, weights are not negative and sum to one.

use super::data::{Work, too_much};
use super::document::{Accessor, Document};
use super::report::Report;
use super::tolerances::TOLERANCES;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check(document: &Document, work: &mut Work, report: &mut Report) {
    let fewest_joints = fewest_joints(document);
    let mut seen = BTreeSet::new();
    for (mesh_index, mesh) in document.list("meshes").iter().enumerate() {
        let Some(joints) = fewest_joints.get(&mesh_index).copied() else { continue };
        for (index, primitive) in super::document::list(mesh, "primitives").iter().enumerate() {
            let pointer = format!("/meshes/{mesh_index}/primitives/{index}/attributes");
            let Some(sets) = influence_sets(primitive) else { continue };
            if !seen.insert((sets.clone(), joints)) {
                continue;
            }
            let accessors: Option<Vec<(&Accessor, &Accessor)>> = sets
                .iter()
                .map(|(joints, weights)| Some((document.accessor(*joints)?, document.accessor(*weights)?)))
                .collect();
            let Some(accessors) = accessors.filter(|accessors| fit(document, accessors)) else { continue };
            if !accessors.iter().all(|(joints, weights)| work.spend(joints) && work.spend(weights)) {
                return too_much(&pointer, report);
            }
            check_influences(document, &accessors, joints, &pointer, report);
        }
    }
}

/// By mesh: the number of joints of the smallest skin that a node uses it with.
fn fewest_joints(document: &Document) -> BTreeMap<usize, usize> {
    let mut fewest = BTreeMap::new();
    for node in document.list("nodes") {
        let (Some(mesh), Some(skin)) = (super::index(node.get("mesh")), super::index(node.get("skin"))) else {
            continue;
        };
        let joints = document.list("skins").get(skin).and_then(|skin| skin.get("joints")).and_then(Value::as_array);
        if let Some(joints) = joints.map(Vec::len).filter(|joints| *joints > 0) {
            fewest.entry(mesh).and_modify(|fewest: &mut usize| *fewest = joints.min(*fewest)).or_insert(joints);
        }
    }
    fewest
}

/// Accessors of JOINTS_n and WEIGHTS_n.
fn influence_sets(primitive: &Value) -> Option<Vec<(usize, usize)>> {
    let attributes = primitive.get("attributes")?;
    let set = |number: usize| {
        let joints = super::index(attributes.get(format!("JOINTS_{number}")))?;
        let weights = super::index(attributes.get(format!("WEIGHTS_{number}")))?;
        Some((joints, weights))
    };
    let sets: Vec<(usize, usize)> = (0..).map_while(set).collect();
    (!sets.is_empty()).then_some(sets)
}

/// Four components each, all of one length.
fn fit(document: &Document, sets: &[(&Accessor, &Accessor)]) -> bool {
    let count = sets.first().map(|(joints, _)| joints.count);
    sets.iter().flat_map(|(joints, weights)| [joints, weights]).all(|accessor| {
        accessor.format.components() == 4
            && Some(accessor.count) == count
            && (accessor.view.is_some() || accessor.sparse.is_some())
            && document.fits(accessor)
    })
}

fn check_influences(
    document: &Document,
    sets: &[(&Accessor, &Accessor)],
    joint_count: usize,
    pointer: &str,
    report: &mut Report,
) {
    let decoded: Option<Vec<(Vec<f64>, Vec<f64>)>> =
        sets.iter().map(|(joints, weights)| Some((document.elements(joints)?, document.elements(weights)?))).collect();
    let Some(decoded) = decoded else { return };
    let components = decoded.first().map_or(0, |(joints, _)| joints.len());
    let mut faults = Faults::default();
    for vertex in 0..components / 4 {
        // Summed in single precision, like the validator's.
        let mut sum = 0.0_f32;
        let mut allowed = 0.0;
        let mut used = BTreeSet::new();
        for ((joints, weights), (_, accessor)) in decoded.iter().zip(sets) {
            let range = 4 * vertex..4 * vertex + 4;
            let (Some(joints), Some(weights)) = (joints.get(range.clone()), weights.get(range)) else { continue };
            for (joint, weight) in joints.iter().zip(weights) {
                let weight = accessor.format.decode(*weight);
                if *joint >= joint_count as f64 {
                    faults.joint.get_or_insert((vertex, *joint));
                } else if weight == 0.0 {
                    faults.idle |= *joint != 0.0;
                } else if used.contains(&(*joint as u64)) {
                    faults.duplicate.get_or_insert((vertex, *joint));
                } else if weight < 0.0 {
                    faults.negative.get_or_insert((vertex, weight));
                } else {
                    used.insert(*joint as u64);
                    sum = (f64::from(sum) + weight) as f32;
                    allowed += TOLERANCES.weight;
                }
            }
        }
        if (f64::from(sum) - 1.0).abs() > allowed {
            faults.sum.get_or_insert((vertex, f64::from(sum)));
            faults.sums += 1;
        }
    }
    faults.report(joint_count, pointer, report);
}

/// The first vertex of each kind, with its value.
#[derive(Debug, Default)]
struct Faults {
    joint: Option<(usize, f64)>,
    duplicate: Option<(usize, f64)>,
    negative: Option<(usize, f64)>,
    sum: Option<(usize, f64)>,
    sums: usize,
    idle: bool,
}

impl Faults {
    fn report(&self, joint_count: usize, pointer: &str, report: &mut Report) {
        let joints = format!("{pointer}/JOINTS_0");
        let weights = format!("{pointer}/WEIGHTS_0");
        if let Some((vertex, joint)) = self.joint {
            let message = format!("Vertex {vertex} uses joint {joint}; the skin has {joint_count}.");
            report.error("ACCESSOR_JOINTS_INDEX_OOB", &joints, message);
        }
        if let Some((vertex, joint)) = self.duplicate {
            let message = format!("Vertex {vertex} uses joint {joint} more than once.");
            report.error("ACCESSOR_JOINTS_INDEX_DUPLICATE", &joints, message);
        }
        if self.idle {
            let message = "A joint other than 0 is used with zero weight.";
            report.warning("ACCESSOR_JOINTS_USED_ZERO_WEIGHT", &joints, message);
        }
        if let Some((vertex, weight)) = self.negative {
            let message = format!("Vertex {vertex} has the negative weight {weight}.");
            report.error("ACCESSOR_WEIGHTS_NEGATIVE", &weights, message);
        }
        if let Some((vertex, sum)) = self.sum {
            let message = format!("{} vertices have weights that do not sum to 1; vertex {vertex}: {sum}.", self.sums);
            report.error("ACCESSOR_WEIGHTS_NON_NORMALIZED", &weights, message);
        }
    }
}
