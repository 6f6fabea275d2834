//! Primitives that morph weights or a skin move, in world space (glTF 2.0 §3.7.2.2 and §3.7.3.3): the targets are added
//! first, then the matrices of the joints are blended for each vertex. Normals turn with the inverse transpose of the
//! blended matrix.

use super::{cofactors, same_length, vector};
use crate::{Deformation, Influence, MorphTarget, NodeId, Scene, Triangles};
use nalgebra::{Matrix3, Matrix4, Point3, Vector3};
use std::sync::Arc;

/// World space.
pub(super) struct Posed {
    pub(super) positions: Vec<Point3<f64>>,
    pub(super) normals: Option<Vec<Vector3<f64>>>,
    /// Turned over where the blended matrices mirror all corners.
    pub(super) triangles: Vec<[u32; 3]>,
}

/// `None` where only `world_from_node` moves the primitive. `joints` has `world_from_mesh` by each joint of the node's
/// skin; it is empty without one.
pub(super) fn posed(
    part: &Triangles,
    deformation: Option<&Deformation>,
    weights: &[f64],
    joints: &[Matrix4<f64>],
    world_from_node: &Matrix4<f64>,
) -> Option<Posed> {
    let Deformation { influences, targets } = deformation?;
    let driven: Vec<(f64, &MorphTarget)> =
        weights.iter().copied().zip(targets.iter().map(Arc::as_ref)).filter(|(weight, _)| *weight != 0.0).collect();
    let influences: &[Influence] = if joints.is_empty() { &[] } else { influences.as_slice() };
    if driven.is_empty() && influences.is_empty() {
        return None;
    }
    let mut positions: Vec<Vector3<f64>> = part.positions.iter().map(vector).collect();
    let mut normals: Option<Vec<Vector3<f64>>> =
        part.normals.as_ref().map(|normals| normals.iter().map(vector).collect());
    for (weight, target) in &driven {
        add(&mut positions, &target.positions, *weight);
        if let (Some(normals), Some(deltas)) = (&mut normals, &target.normals) {
            add(normals, deltas, *weight);
        }
    }
    if let (Some(normals), Some(stored), false) = (&mut normals, &part.normals, driven.is_empty()) {
        for (normal, stored) in normals.iter_mut().zip(stored) {
            let unit = normal.try_normalize(0.0);
            *normal = unit.map_or_else(Vector3::zeros, |unit| unit * vector(stored).norm());
        }
    }

    let mut mirrored = Vec::with_capacity(positions.len());
    for (vertex, position) in positions.iter_mut().enumerate() {
        let world_from_vertex = influences.get(vertex).map_or(*world_from_node, |influence| blended(influence, joints));
        let linear: Matrix3<f64> = world_from_vertex.fixed_view::<3, 3>(0, 0).into_owned();
        let origin: Vector3<f64> = world_from_vertex.fixed_view::<3, 1>(0, 3).into_owned();
        let is_mirrored = linear.determinant() < 0.0;
        *position = linear * *position + origin;
        if let Some(normal) = normals.as_mut().and_then(|normals| normals.get_mut(vertex)) {
            let normal_matrix = if is_mirrored { -cofactors(&linear) } else { cofactors(&linear) };
            *normal = same_length(&normal_matrix, *normal);
        }
        mirrored.push(is_mirrored);
    }
    let is_mirrored = |corner: &u32| mirrored.get(*corner as usize) == Some(&true);
    let turned = |corners: &[u32; 3]| {
        let [a, b, c] = *corners;
        if corners.iter().all(is_mirrored) { [a, c, b] } else { [a, b, c] }
    };
    Some(Posed {
        positions: positions.into_iter().map(Point3::from).collect(),
        normals,
        triangles: part.triangles.iter().map(turned).collect(),
    })
}

impl Posed {
    /// Three vertices of its own for each triangle, with the face's normal (zero where the triangle has no area).
    pub(super) fn flat(&self) -> Self {
        let mut flat = Self { positions: Vec::new(), normals: None, triangles: Vec::new() };
        let mut normals = Vec::new();
        for corners in &self.triangles {
            let places = corners.map(|corner| self.positions.get(corner as usize).copied());
            let [Some(a), Some(b), Some(c)] = places else { continue };
            let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vector3::zeros);
            let first = super::index(flat.positions.len());
            flat.positions.extend([a, b, c]);
            normals.extend([normal; 3]);
            flat.triangles.push([first, first + 1, first + 2]);
        }
        flat.normals = Some(normals);
        flat
    }
}

impl Scene {
    /// The vertices of a node's mesh in world space, metres, where morph weights or a skin move them; `None` where the
    /// transforms of nodes do alone. O(vertices) then, else O(primitives).
    #[must_use]
    pub fn deformed_positions(&self, id: NodeId) -> Option<Vec<Point3<f64>>> {
        let node = self.node(id)?;
        let mesh = self.meshes.get(&node.mesh?)?;
        let weights = node.morph_weights(mesh);
        let skin = node.skin.and_then(|skin| self.skins.get(&skin));
        let is_deformable = mesh.primitives.iter().any(|primitive| primitive.geometry.deformation().is_some());
        if !is_deformable || (skin.is_none() && weights.iter().all(|weight| *weight == 0.0)) {
            return None;
        }
        let joints = skin.map(|skin| skin.world_from_mesh(|joint| self.world_from_node(joint))).unwrap_or_default();
        let world_from_node = self.world_from_node(id);
        let mut positions = Vec::new();
        for geometry in mesh.primitives.iter().map(|primitive| &primitive.geometry) {
            let part = geometry.triangles();
            match posed(&part, geometry.deformation(), weights, &joints, &world_from_node) {
                Some(posed) => positions.extend(posed.positions),
                None => positions
                    .extend(part.positions.iter().map(|p| world_from_node.transform_point(&Point3::from(vector(p))))),
            }
        }
        Some(positions)
    }
}

fn add(to: &mut [Vector3<f64>], deltas: &[[f32; 3]], weight: f64) {
    for (to, delta) in to.iter_mut().zip(deltas) {
        *to += vector(delta) * weight;
    }
}

/// The weighted sum of the joints' matrices; only its affine part is meant.
fn blended(influence: &Influence, joints: &[Matrix4<f64>]) -> Matrix4<f64> {
    let mut sum = Matrix4::zeros();
    for (joint, weight) in influence.joints.iter().zip(influence.weights) {
        if weight != 0.0
            && let Some(world_from_mesh) = joints.get(usize::from(*joint))
        {
            sum += world_from_mesh * f64::from(weight);
        }
    }
    sum
}
