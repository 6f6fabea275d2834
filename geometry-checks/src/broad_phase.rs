//! Which pairs are worth measuring.

use parry3d_f64::{
    bounding_volume::Aabb as ParryAabb,
    math::Vector,
    partitioning::{Bvh, BvhBuildStrategy},
};

use crate::Aabb;

/// Pairs (i, j), i < j, whose boxes share volume, in ascending order.
pub fn candidate_pairs(aabbs: &[Aabb]) -> Vec<(usize, usize)> {
    let (boxes, tree) = tree_over(aabbs);
    let mut pairs = Vec::new();
    for (i, query) in boxes.iter().enumerate() {
        let later = tree.intersect_aabb(query).map(|j| j as usize).filter(|&j| i < j);
        pairs.extend(later.filter(|&j| aabbs[i].intersects(&aabbs[j])).map(|j| (i, j)));
    }
    pairs.sort_unstable();
    pairs
}

/// Whether no two of the boxes share volume.
pub(crate) fn all_apart(aabbs: &[Aabb]) -> bool {
    let (boxes, tree) = tree_over(aabbs);
    boxes.iter().enumerate().all(|(i, query)| {
        tree.intersect_aabb(query).map(|j| j as usize).all(|j| i == j || !aabbs[i].intersects(&aabbs[j]))
    })
}

fn tree_over(aabbs: &[Aabb]) -> (Vec<ParryAabb>, Bvh) {
    let boxes: Vec<ParryAabb> = aabbs
        .iter()
        .map(|b| ParryAabb::new(Vector::new(b.min.x, b.min.y, b.min.z), Vector::new(b.max.x, b.max.y, b.max.z)))
        .collect();
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    (boxes, tree)
}
