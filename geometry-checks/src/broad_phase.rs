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

/// Pairs (i, j) of a box of the one list and one of the other that have a point in common, touching ones too, in
/// ascending order; `None` where they are more than `most`.
pub fn touching_pairs(ones: &[Aabb], others: &[Aabb], most: usize) -> Option<Vec<(usize, usize)>> {
    let mut pairs = Vec::new();
    if others.is_empty() {
        return Some(pairs);
    }
    let (_, tree) = tree_over(others);
    for (i, query) in ones.iter().map(leaf_box).enumerate() {
        let first = pairs.len();
        pairs.extend(tree.intersect_aabb(&query).map(|j| (i, j as usize)).take(most - first + 1));
        if pairs.len() > most {
            return None;
        }
        pairs[first..].sort_unstable();
    }
    Some(pairs)
}

/// Whether no two of the boxes share volume.
pub(crate) fn all_apart(aabbs: &[Aabb]) -> bool {
    let (boxes, tree) = tree_over(aabbs);
    boxes.iter().enumerate().all(|(i, query)| {
        tree.intersect_aabb(query).map(|j| j as usize).all(|j| i == j || !aabbs[i].intersects(&aabbs[j]))
    })
}

fn tree_over(aabbs: &[Aabb]) -> (Vec<ParryAabb>, Bvh) {
    let boxes: Vec<ParryAabb> = aabbs.iter().map(leaf_box).collect();
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    (boxes, tree)
}

fn leaf_box(aabb: &Aabb) -> ParryAabb {
    let (min, max) = (aabb.min, aabb.max);
    ParryAabb::new(Vector::new(min.x, min.y, min.z), Vector::new(max.x, max.y, max.z))
}
