//! What clears an overlap without harm elsewhere.

use crate::reward::evidence::{micrometres, millimetres};
use crate::reward::fix::{move_by, move_object, scale_by};
use crate::reward::input::{Input, Object};
use geometry_checks::Aabb;
use scene_document::NodeId;

/// Moves an object as a whole by what was measured; where that would bury it, the shortest way out of the other
/// mesh's box to a side or up.
pub(super) fn object(input: &Input<'_>, moved: &Object, other: usize, by_m: [f64; 3]) -> String {
    let (Some(aabb), Some(body)) = (&moved.aabb, input.bodies.get(other)) else { return String::new() };
    let by_m = if buries(input, aabb, by_m) { way_out(aabb, body.aabb()) } else { by_m };
    move_object(input, moved, by_m)
}

/// Moves one mesh of an object; one that would go below the ground is made shorter at its upper end.
pub(super) fn part(input: &Input<'_>, moved: usize, by_m: [f64; 3]) -> String {
    let (Some(mesh), Some(body)) = (input.baked.meshes.get(moved), input.bodies.get(moved)) else {
        return String::new();
    };
    if !buries(input, body.aabb(), by_m) {
        return move_by(input, mesh.node, by_m);
    }
    let by = millimetres(by_m[1].abs());
    shortened(input, mesh.node, body.aabb(), by_m[1].abs())
        .unwrap_or_else(|| format!("make {} {by} lower at its upper end", input.mesh_path(moved)))
}

fn buries(input: &Input<'_>, aabb: &Aabb, by_m: [f64; 3]) -> bool {
    let lowest_m = aabb.min.y + by_m[1];
    by_m[1] < 0.0 && input.task.is_some_and(|task| lowest_m < task.ground_y_m - input.tolerances.ground_sink_m)
}

fn way_out(moved: &Aabb, other: &Aabb) -> [f64; 3] {
    let (over, under) = (other.max - moved.min, other.min - moved.max);
    let ways = [[over.x, 0.0, 0.0], [under.x, 0.0, 0.0], [0.0, over.y, 0.0], [0.0, 0.0, over.z], [0.0, 0.0, under.z]];
    let length = |way: &[f64; 3]| way.iter().map(|part| part.abs()).sum::<f64>();
    ways.into_iter().min_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or_default()
}

/// Scales a node without children and puts its lower end back where it was.
fn shortened(input: &Input<'_>, node: NodeId, aabb: &Aabb, by_m: f64) -> Option<String> {
    let scene = &input.import.scene;
    let height_m = aabb.extents().y;
    let factor = micrometres(1.0 - by_m / height_m);
    if factor <= 0.0 || scene.children(Some(node)).next().is_some() {
        return None;
    }
    let origin_y_m = scene.world_from_node(node)[(1, 3)];
    let back_m = (aabb.min.y - origin_y_m) * (1.0 - factor);
    let scale = scale_by(input, node, [1.0, factor, 1.0])?;
    Some(format!("{scale}, then {}", move_by(input, node, [0.0, back_m, 0.0])))
}
