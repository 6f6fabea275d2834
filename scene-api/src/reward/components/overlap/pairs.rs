//! Which pairs of meshes may overlap, and how much each can cost at most.

use super::Owners;
use crate::reward::input::Input;
use geometry_checks::{Aabb, Body, candidate_pairs};

/// Indices into the input's bodies, `a` < `b`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) a: usize,
    pub(super) b: usize,
    /// Bound of the common volume over `Owners::smaller_m3`; infinite where a mesh is open.
    pub(super) most_share: f64,
    /// Of measuring it, in triangles.
    pub(super) work: u64,
}

impl Pair {
    pub(super) fn bodies<'a>(&self, input: &'a Input<'_>) -> Option<[&'a Body; 2]> {
        Some([input.bodies.get(self.a)?, input.bodies.get(self.b)?])
    }
}

/// The pairs that can count, those that can cost most first, and whether they are all.
pub(super) fn candidates(input: &Input<'_>, owners: &Owners<'_>) -> (Vec<Pair>, bool) {
    let mut largest: Vec<(usize, Aabb)> = input.bodies.iter().map(|body| *body.aabb()).enumerate().collect();
    let complete = largest.len() <= input.thresholds.overlap_meshes_max;
    if !complete {
        largest.sort_by(|(_, one), (_, other)| other.extents().product().total_cmp(&one.extents().product()));
        largest.truncate(input.thresholds.overlap_meshes_max);
        largest.sort_by_key(|(mesh, _)| *mesh);
    }
    let (meshes, boxes): (Vec<usize>, Vec<Aabb>) = largest.into_iter().unzip();
    let mut pairs: Vec<Pair> = candidate_pairs(&boxes)
        .into_iter()
        .filter_map(|(a, b)| pair(input, owners, *meshes.get(a)?, *meshes.get(b)?))
        .collect();
    pairs.sort_by(|x, y| y.most_share.total_cmp(&x.most_share).then_with(|| (x.a, x.b).cmp(&(y.a, y.b))));
    (pairs, complete)
}

/// `None` where the common box of two closed bodies shows that the pair only touches or is a joint.
fn pair(input: &Input<'_>, owners: &Owners<'_>, a: usize, b: usize) -> Option<Pair> {
    let (t, g) = (input.thresholds, &input.tolerances);
    let (one, other) = (input.bodies.get(a)?, input.bodies.get(b)?);
    let common = one.aabb().intersection(other.aabb())?;
    let triangles = (one.mesh().triangles.len() + other.mesh().triangles.len()) as u64;
    let work = if one.is_convex() && other.is_convex() { triangles } else { triangles + t.overlap_columns_work };
    let pair = Pair { a, b, most_share: f64::INFINITY, work };
    if !(one.closed() && other.closed()) {
        return Some(pair);
    }
    let most_m3 = common.extents().product();
    let share = most_m3 / one.volume_m3().min(other.volume_m3());
    let thinner_m = one.thin_extent_m().min(other.thin_extent_m());
    let joint = common.min_extent() <= g.joint_share * thinner_m && share <= g.joint_share;
    let can_count = common.min_extent() > g.touch_m(thinner_m) && share > g.counted_share;
    let most_share = most_m3 / owners.smaller_m3(&pair, [one, other]);
    (can_count && !(joint && owners.within_one(&pair))).then_some(Pair { most_share, ..pair })
}
