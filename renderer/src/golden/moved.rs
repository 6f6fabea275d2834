//! Which nodes a difference comes from.

use super::planes::Planes;
use scene_document::{BakedMesh, NodeId};
use serde::Serialize;

/// A node some of whose pixels differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Moved {
    pub node: NodeId,
    pub name: String,
    /// Pixels that show the node in the reference.
    pub pixels_reference: u64,
    /// Pixels that show it now.
    pub pixels_actual: u64,
    /// Pixels that show it in one of the two only.
    pub pixels_moved: u64,
    /// Pixels that show it in either and differ in colour, node or depth.
    pub pixels_changed: u64,
    /// Over the pixels that show it in either, 0 to 1.
    pub mean_flip: f64,
}

impl Moved {
    /// Of the pixels that show the node in either picture, those that show it in one only.
    fn moved_share(&self) -> f64 {
        self.pixels_moved as f64 / self.pixels_either() as f64
    }

    /// A pixel that shows it in both is in both counts, one that moved in one of them.
    fn pixels_either(&self) -> u64 {
        (self.pixels_reference + self.pixels_actual + self.pixels_moved) / 2
    }
}

/// The nodes that differ, the likeliest cause first: the greatest share of its pixels moved, then the greatest FLIP
/// error. `flip` has one value per pixel.
pub(super) fn moved(reference: &Planes, actual: &Planes, flip: &[f32], meshes: &[BakedMesh]) -> Vec<Moved> {
    let row = |mesh: &BakedMesh| Moved {
        node: mesh.node,
        name: mesh.name.clone(),
        pixels_reference: 0,
        pixels_actual: 0,
        pixels_moved: 0,
        pixels_changed: 0,
        mean_flip: 0.0,
    };
    let mut rows: Vec<Moved> = meshes.iter().map(row).collect();
    for (pixel, error) in flip.iter().enumerate() {
        let (before, after) = (reference.ids[pixel], actual.ids[pixel]);
        let changed = before != after
            || reference.rgb[pixel] != actual.rgb[pixel]
            || reference.depth[pixel] != actual.depth[pixel];
        // 0 is no node, and is passed over.
        let shown = if before == after { [before, 0] } else { [before, after] };
        for id in shown {
            let Some(row) = (id as usize).checked_sub(1).and_then(|mesh| rows.get_mut(mesh)) else { continue };
            row.pixels_reference += u64::from(id == before);
            row.pixels_actual += u64::from(id == after);
            row.pixels_moved += u64::from(before != after);
            row.pixels_changed += u64::from(changed);
            row.mean_flip += f64::from(*error);
        }
    }
    rows.retain(|row| row.pixels_changed > 0);
    for row in &mut rows {
        row.mean_flip /= row.pixels_either() as f64;
    }
    rows.sort_by(|a, b| {
        let order = |row: &Moved| (row.moved_share(), row.mean_flip);
        let ((share_a, flip_a), (share_b, flip_b)) = (order(a), order(b));
        share_b.total_cmp(&share_a).then(flip_b.total_cmp(&flip_a))
    });
    rows
}
