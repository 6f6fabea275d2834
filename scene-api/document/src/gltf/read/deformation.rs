//! Joints, weights and morph targets of a primitive's vertices: floats, integers, quantised and sparse accessors.

use super::super::check::Accessor;
use super::geometry::{Meshes, unreadable};
use super::{invalid, within};
use crate::gltf::ReadError;
use crate::{Deformation, Influence, MorphTarget};
use ::gltf::json::accessor::{ComponentType, Type};
use ::gltf::json::mesh::{self, Semantic};
use ::gltf::json::validation::Checked;
use serde_json::Value;
use std::sync::Arc;

impl Meshes<'_> {
    /// `None` where the primitive has neither joints with weights nor morph targets. `vertices`: of its triangles;
    /// `uses`: by how many nodes.
    pub(super) fn deformation(
        &mut self,
        json: &mesh::Primitive,
        vertices: usize,
        uses: u64,
        pointer: &str,
    ) -> Result<Option<Arc<Deformation>>, ReadError> {
        let attribute = |semantic| json.attributes.get(&Checked::Valid(semantic)).map(|accessor| accessor.value());
        let sources = attribute(Semantic::Joints(0)).zip(attribute(Semantic::Weights(0)));
        let has_normals = attribute(Semantic::Normals).is_some();
        let targets = json.targets.as_deref().unwrap_or_default();
        if vertices == 0 || (sources.is_none() && targets.is_empty()) {
            return Ok(None);
        }
        let of_target = if has_normals { 6 } else { 3 };
        let of_vertex = 8 * u64::from(sources.is_some()) + of_target * targets.len() as u64;
        let numbers = of_vertex.saturating_mul(vertices as u64).saturating_mul(uses);
        self.deformation_numbers = self.deformation_numbers.saturating_add(numbers);
        within("numbers of joints and morph targets", self.deformation_numbers, self.limits.deformation_numbers)?;

        let influences = match sources {
            Some((joints, weights)) => {
                self.influences([joints, weights], vertices, &format!("{pointer}/attributes"))?
            }
            None => Vec::new(),
        };
        let mut read = Vec::with_capacity(targets.len());
        for (place, target) in targets.iter().enumerate() {
            let pointer = format!("{pointer}/targets/{place}");
            let positions = target.positions.map(|place| place.value());
            let positions = positions.map(|place| self.deltas(place, vertices, &format!("{pointer}/POSITION")));
            let normals = target.normals.filter(|_| has_normals).map(|place| place.value());
            let normals = normals.map(|place| self.deltas(place, vertices, &format!("{pointer}/NORMAL")));
            read.push(Arc::new(MorphTarget {
                positions: positions.transpose()?.unwrap_or_else(|| vec![[0.0; 3]; vertices]),
                normals: normals.transpose()?,
            }));
        }
        Ok(Some(Arc::new(Deformation { influences, targets: read })))
    }

    fn deltas(&self, place: usize, vertices: usize, pointer: &str) -> Result<Vec<[f32; 3]>, ReadError> {
        if self.accessor(place, pointer)?.count != vertices as u64 {
            let message = "Base accessor has different count.";
            return Err(invalid("MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT", pointer, message.into()));
        }
        self.vectors(place, pointer)
    }

    fn influences(
        &self,
        [joints, weights]: [usize; 2],
        vertices: usize,
        pointer: &str,
    ) -> Result<Vec<Influence>, ReadError> {
        let is_short = |component| matches!(component, ComponentType::U8 | ComponentType::U16);
        let are_joints = |accessor: &Accessor| is_short(accessor.format.component) && !accessor.format.normalized;
        let are_weights = |accessor: &Accessor| {
            let format = accessor.format;
            format.component == ComponentType::F32 || (is_short(format.component) && format.normalized)
        };
        let joints = self.quads(joints, vertices, &format!("{pointer}/JOINTS_0"), are_joints)?;
        let weights = self.quads(weights, vertices, &format!("{pointer}/WEIGHTS_0"), are_weights)?;
        let pairs = joints.into_iter().zip(weights);
        Ok(pairs
            .map(|(joints, weights)| Influence {
                joints: joints.map(|joint| joint as u16),
                weights: weights.map(|weight| weight as f32),
            })
            .collect())
    }

    /// Four decoded numbers for each vertex.
    fn quads(
        &self,
        place: usize,
        vertices: usize,
        pointer: &str,
        is_allowed: impl Fn(&Accessor) -> bool,
    ) -> Result<Vec<[f64; 4]>, ReadError> {
        let accessor = self.accessor(place, pointer)?;
        let format = accessor.format;
        if format.kind != Type::Vec4 || !is_allowed(accessor) {
            let message = format!("Invalid accessor format {format:?} for this attribute semantic.");
            return Err(invalid("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", pointer, message));
        }
        if accessor.count != vertices as u64 {
            let message = "All accessors of the same primitive must have the same count.";
            return Err(invalid("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", pointer, message.into()));
        }
        let values = self.document.elements(accessor).ok_or_else(|| unreadable(place))?;
        if let Some(broken) = values.iter().position(|value| !value.is_finite()) {
            let message = format!("Accessor element at index {broken} is not finite.");
            return Err(invalid("ACCESSOR_INVALID_FLOAT", &format!("/accessors/{place}"), message));
        }
        let (quads, _) = values.as_chunks::<4>();
        Ok(quads.iter().map(|quad| quad.map(|stored| format.decode(stored))).collect())
    }
}

/// The weights of a node or a mesh, one for each of the morph targets; none where they are malformed, which the report
/// has as an error.
pub(super) fn weights(json: &Value, targets: usize) -> Vec<f64> {
    let items = json.get("weights").and_then(Value::as_array).filter(|items| items.len() == targets);
    items.and_then(|items| items.iter().map(Value::as_f64).collect()).unwrap_or_default()
}

/// The names that a mesh's extras give to its morph targets, as most exporters write them; none where they are not one
/// text each.
pub(super) fn target_names(json: &Value, targets: usize) -> Vec<String> {
    let items = json.pointer("/extras/targetNames").and_then(Value::as_array).filter(|items| items.len() == targets);
    items.and_then(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect()).unwrap_or_default()
}
