//! Nodes, scenes and skins: transforms, a forest without cycles, scenes made of its roots.

use super::document::Document;
use super::matrix::decompose;
use super::report::Report;
use super::tolerances::TOLERANCES;
use super::usage::Usage;
use ::gltf::json::accessor::{ComponentType, Type};
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) fn check(document: &Document, usage: &mut Usage, report: &mut Report) {
    let nodes = document.list("nodes");
    let joints: BTreeSet<usize> = document
        .list("skins")
        .iter()
        .flat_map(|skin| super::indices(skin.get("joints")))
        .map(|(_, joint)| joint)
        .collect();
    let is_skinned: Vec<bool> = document.list("meshes").iter().map(is_skinned).collect();
    for (index, node) in nodes.iter().enumerate() {
        let pointer = format!("/nodes/{index}");
        check_transform(node, &pointer, report);
        check_mesh(document, &is_skinned, node, &pointer, report);
        let carries = ["children", "mesh", "camera", "extensions", "extras"];
        if node.is_object() && !joints.contains(&index) && carries.iter().all(|member| node.get(*member).is_none()) {
            report.information("NODE_EMPTY", &pointer, "Empty node encountered.");
        }
    }
    let hierarchy = Hierarchy::of(nodes, report);
    for (scene_index, scene) in document.list("scenes").iter().enumerate() {
        for (position, node) in super::indices(scene.get("nodes")) {
            if hierarchy.parents.get(node).is_some_and(Option::is_some) {
                let pointer = format!("/scenes/{scene_index}/nodes/{position}");
                report.error("SCENE_NON_ROOT_NODE", &pointer, format!("Node {node} is not a root node."));
            }
        }
    }
    for (index, skin) in document.list("skins").iter().enumerate() {
        check_skin(document, &hierarchy, skin, &format!("/skins/{index}"), usage, report);
    }
}

fn check_transform(node: &Value, pointer: &str, report: &mut Report) {
    let rotation = super::numbers::<4>(node.get("rotation"));
    if let Some(rotation) = rotation {
        let length = rotation.iter().map(|part| part * part).sum::<f64>().sqrt();
        if (length - 1.0).abs() > TOLERANCES.unit_quaternion {
            let message = format!("Rotation quaternion must be normalized; its length is {length}.");
            report.error("ROTATION_NON_UNIT", &format!("{pointer}/rotation"), message);
        }
    }
    let Some(matrix) = super::numbers::<16>(node.get("matrix")) else { return };
    let place = format!("{pointer}/matrix");
    if ["translation", "rotation", "scale"].iter().any(|member| node.get(*member).is_some()) {
        let message =
            "A node can have either a matrix or any combination of translation/rotation/scale (TRS) properties.";
        report.error("NODE_MATRIX_TRS", &place, message);
    }
    let is_identity = matrix.iter().enumerate().all(|(index, part)| *part == f64::from(u8::from(index % 5 == 0)));
    if is_identity {
        report.information("NODE_MATRIX_DEFAULT", &place, "Do not specify default transform matrix.");
    } else if decompose(&matrix).is_none() {
        report.error("NODE_MATRIX_NON_TRS", &place, "Matrix must be decomposable to TRS.");
    }
}

fn is_skinned(mesh: &Value) -> bool {
    let mut primitives = super::document::list(mesh, "primitives").iter();
    primitives.any(|primitive| primitive.pointer("/attributes/JOINTS_0").is_some())
}

/// `is_skinned`: by mesh, so that a node does not search its primitives again.
fn check_mesh(document: &Document, is_skinned: &[bool], node: &Value, pointer: &str, report: &mut Report) {
    let Some(mesh) = super::index(node.get("mesh")) else {
        for member in ["skin", "weights"] {
            if node.get(member).is_some() {
                let message = "Dependency failed. 'mesh' must be defined.";
                report.error("UNSATISFIED_DEPENDENCY", &format!("{pointer}/{member}"), message);
            }
        }
        return;
    };
    let primitives =
        document.list("meshes").get(mesh).and_then(|mesh| mesh.get("primitives")).and_then(Value::as_array);
    let Some(primitives) = primitives else { return };
    let targets = primitives.first().and_then(|primitive| primitive.get("targets")).and_then(Value::as_array);
    if let Some(weights) = node.get("weights").and_then(Value::as_array) {
        let targets = targets.map_or(0, Vec::len);
        if weights.len() != targets {
            let message = format!(
                "The length of weights array ({}) does not match the number of morph targets ({targets}).",
                weights.len()
            );
            report.error("NODE_WEIGHTS_INVALID", &format!("{pointer}/weights"), message);
        }
    }
    let is_skinned = is_skinned.get(mesh).is_some_and(|skinned| *skinned);
    match node.get("skin") {
        Some(_) if !is_skinned => {
            report.error(
                "NODE_SKIN_WITH_NON_SKINNED_MESH",
                pointer,
                "Node has skin defined, but mesh has no joints data.",
            );
        }
        None if is_skinned => {
            let message = "Node uses skinned mesh, but has no skin defined.";
            report.warning("NODE_SKINNED_MESH_WITHOUT_SKIN", pointer, message);
        }
        _ => {}
    }
}

/// Who is whose child. Cycles and second parents are reported; the last parent counts.
struct Hierarchy {
    parents: Vec<Option<usize>>,
    /// The root above each node; some node of the cycle where there is none.
    roots: Vec<usize>,
}

impl Hierarchy {
    /// O(nodes + children).
    fn of(nodes: &[Value], report: &mut Report) -> Self {
        let mut parents: Vec<Option<usize>> = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            for (position, child) in super::indices(node.get("children")) {
                let Some(parent) = parents.get_mut(child) else { continue };
                if parent.is_some() {
                    let pointer = format!("/nodes/{index}/children/{position}");
                    report.error("NODE_PARENT_OVERRIDE", &pointer, format!("Value overrides parent of node {child}."));
                }
                *parent = Some(index);
            }
        }
        let mut roots: Vec<Option<usize>> = vec![None; nodes.len()];
        let mut walked_by: Vec<Option<usize>> = vec![None; nodes.len()];
        for start in 0..nodes.len() {
            let mut path = Vec::new();
            let mut node = start;
            let root = loop {
                if let Some(root) = roots[node] {
                    break root;
                }
                if walked_by[node] == Some(start) {
                    let cycle = path.iter().skip_while(|member| **member != node);
                    cycle.for_each(|member| {
                        report.error("NODE_LOOP", &format!("/nodes/{member}"), "Node is a part of a node loop.");
                    });
                    break node;
                }
                walked_by[node] = Some(start);
                path.push(node);
                match parents[node] {
                    Some(parent) => node = parent,
                    None => break node,
                }
            };
            for member in path {
                roots[member] = Some(root);
            }
        }
        let roots = roots.into_iter().enumerate().map(|(index, root)| root.unwrap_or(index)).collect();
        Self { parents, roots }
    }
}

fn check_skin(
    document: &Document,
    hierarchy: &Hierarchy,
    skin: &Value,
    pointer: &str,
    usage: &mut Usage,
    report: &mut Report,
) {
    let joints = || super::indices(skin.get("joints"));
    let mut roots = joints().filter_map(|(_, joint)| hierarchy.roots.get(joint));
    let first = roots.next();
    let names_joints = skin.get("joints").and_then(Value::as_array).is_some_and(|joints| !joints.is_empty());
    if names_joints && (first.is_none() || roots.any(|root| Some(root) != first)) {
        report.error("SKIN_NO_COMMON_ROOT", &format!("{pointer}/joints"), "Joints do not have a common root.");
    }
    let Some(index) = super::index(skin.get("inverseBindMatrices")) else { return };
    let Some(accessor) = document.accessor(index) else { return };
    let place = format!("{pointer}/inverseBindMatrices");
    usage.accessor(index, "IBM", &place, report);
    if let Some(view) = accessor.view {
        usage.view(view, "IBM", &place, report);
        if document.view(view).is_some_and(|view| view.stride.is_some()) {
            let message =
                "bufferView.byteStride must not be defined for buffer views used by inverse bind matrices accessors.";
            report.error("SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", &place, message);
        }
    }
    if accessor.format.kind != Type::Mat4 || accessor.format.component != ComponentType::F32 {
        report.error("SKIN_IBM_INVALID_FORMAT", &place, "Invalid IBM accessor format. Must be {MAT4, FLOAT}.");
    }
    let joints = joints().count();
    if accessor.count < joints as u64 {
        let message = format!("IBM accessor must have at least {joints} elements. Found {}.", accessor.count);
        report.error("INVALID_IBM_ACCESSOR_COUNT", &place, message);
    }
}
