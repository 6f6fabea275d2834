//! How many closed components of a mesh contain each other one.

use parry3d_f64::bounding_volume::{Aabb as LeafBox, BoundingVolume};
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

use crate::Tolerances;
use crate::components::Component;
use crate::plumb::height_at;
use crate::topology::{Topology, leaf_box};

/// For each component the number of other closed components around it; 0 for open ones. A component counts as inside
/// when the middles of `t.nested_samples` of its faces all are, by the parity of crossings straight upwards. At most
/// `t.nested_components`, the largest, are placed; the rest count as outermost.
pub(crate) fn nesting_depths(
    topology: &Topology,
    components: &[Component],
    part_of: &[usize],
    t: &Tolerances,
) -> Vec<usize> {
    let mut depths = vec![0; components.len()];
    let mut closed: Vec<usize> = (0..components.len()).filter(|&part| components[part].closed).collect();
    if closed.len() < 2 {
        return depths;
    }
    let faces: Vec<usize> = closed.iter().flat_map(|&part| components[part].faces.iter().copied()).collect();
    let boxes: Vec<LeafBox> = faces.iter().map(|&face| leaf_box(topology.corners(face))).collect();
    let top_m = boxes.iter().fold(f64::NEG_INFINITY, |top, leaf| top.max(leaf.maxs.y));
    let bvh = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    let mut bounds: Vec<Option<LeafBox>> = vec![None; components.len()];
    for (&face, leaf) in faces.iter().zip(&boxes) {
        let part = &mut bounds[part_of[face]];
        *part = Some(part.map_or(*leaf, |around| around.merged(leaf)));
    }
    let mut may_enclose = vec![false; components.len()];

    closed.sort_by(|&a, &b| components[b].area_m2.total_cmp(&components[a].area_m2));
    closed.truncate(t.nested_components);
    for part in closed {
        // Only what has the part's box within its own can enclose it.
        for (other, may) in may_enclose.iter_mut().enumerate() {
            let boxes = bounds[other].as_ref().zip(bounds[part].as_ref());
            *may = other != part && boxes.is_some_and(|(outer, inner)| outer.contains(inner));
        }
        if !may_enclose.contains(&true) {
            continue;
        }
        let own = &components[part].faces;
        let step = own.len().div_ceil(t.nested_samples.max(1));
        let mut samples = own.iter().step_by(step).map(|&face| {
            let point = topology.centroid(face);
            let line = LeafBox::new(Vector::new(point.x, point.y, point.z), Vector::new(point.x, top_m, point.z));
            let mut crossed: Vec<usize> = bvh
                .intersect_aabb(&line)
                .map(|leaf| faces[leaf as usize])
                .filter(|&face| may_enclose[part_of[face]])
                .filter(|&face| height_at(&topology.corners(face), point.x, point.z).is_some_and(|h| h > point.y))
                .map(|face| part_of[face])
                .collect();
            crossed.sort_unstable();
            crossed.chunk_by(|a, b| a == b).filter(|run| run.len() % 2 == 1).map(|run| run[0]).collect::<Vec<_>>()
        });
        let mut around = samples.next().unwrap_or_default();
        while !around.is_empty()
            && let Some(here) = samples.next()
        {
            around.retain(|other| here.contains(other));
        }
        depths[part] = around.len();
    }
    depths
}
