//! Which pixels show which nodes.

use crate::size::Size;
use anyhow::Result;
use renderer::png_rgb;
use scene_document::gltf::Import;
use scene_document::{Baked, BakedMesh, NodeId};
use std::collections::BTreeMap;

/// One row per mesh node.
pub(super) struct NodeRow {
    /// As evidence names it.
    pub(super) id: String,
    /// Names from the root down.
    pub(super) path: String,
    pub(super) triangles: usize,
    pub(super) visible_px: usize,
    /// 1 + index into the baked meshes: the number of its pixels.
    pub(super) mark: u32,
}

/// For the id of each node, as evidence names it, the numbers of the meshes on and below it.
pub(super) fn marks(import: &Import, baked: &Baked) -> BTreeMap<String, Vec<u32>> {
    let mut marks: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (mark, mesh) in (1..).zip(&baked.meshes) {
        for node in import.scene.ancestry(mesh.node) {
            marks.entry(id_of(import, node)).or_default().push(mark);
        }
    }
    marks
}

/// The scorer's rule for files: nodes are taken to have been made in the file's order.
fn id_of(import: &Import, node: NodeId) -> String {
    let place =
        import.node_pointers.get(&node).and_then(|pointer| pointer.strip_prefix("/nodes/")?.parse::<u32>().ok());
    place.map_or_else(|| node.to_string(), |place| format!("n_{}", u64::from(place) + 1))
}

/// `ids` are those of a picture's pixels.
pub(super) fn rows(import: &Import, baked: &Baked, ids: &[u32]) -> Vec<NodeRow> {
    let mut visible: BTreeMap<u32, usize> = BTreeMap::new();
    for run in ids.chunk_by(|a, b| a == b) {
        *visible.entry(run[0]).or_default() += run.len();
    }
    let row = |(mark, mesh): (u32, &BakedMesh)| NodeRow {
        id: id_of(import, mesh.node),
        path: path(import, mesh.node),
        triangles: mesh.triangles.len(),
        visible_px: visible.get(&mark).copied().unwrap_or(0),
        mark,
    };
    (1..).zip(&baked.meshes).map(row).collect()
}

fn path(import: &Import, node: NodeId) -> String {
    let names = import.scene.ancestry(node).filter_map(|id| import.scene.node(id));
    let mut names: Vec<&str> = names.map(|node| node.name.as_str()).collect();
    names.reverse();
    names.join(" / ")
}

/// A PNG whose pixels are the ids themselves, as 24-bit numbers: red is the high byte.
pub(super) fn exact_ids(size: Size, ids: &[u32]) -> Result<Vec<u8>> {
    let rgb = |id: &u32| {
        let [_, red, green, blue] = id.to_be_bytes();
        [red, green, blue]
    };
    let pixels: Vec<[u8; 3]> = ids.iter().map(rgb).collect();
    Ok(png_rgb(size.width, size.height, &pixels, &[])?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use scene_document::gltf::{Limits, read};

    /// A table (node 2) with a top (0) and a lamp (1) that stands alone; the scene lists the lamp first.
    const FILE: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[1,2]}],
        "nodes":[{"name":"top","mesh":0},{"name":"lamp","mesh":0},{"name":"table","children":[0]}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
        "bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":"triangle.bin"}]}"#;

    fn import() -> Import {
        let triangle = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let bytes: Vec<u8> = triangle.iter().flat_map(|value| value.to_le_bytes()).collect();
        read(FILE.as_bytes(), &|_| Some(bytes.clone()), &Limits::default()).unwrap()
    }

    #[test]
    fn evidence_ids_lead_to_the_meshes_on_and_below_their_nodes() {
        let import = import();
        let baked = import.scene.bake();
        let marks = marks(&import, &baked);
        let of_name = |name: &str| {
            let place = baked.meshes.iter().position(|mesh| mesh.name == name).unwrap();
            vec![place as u32 + 1]
        };
        assert_eq!(marks.get("n_1"), Some(&of_name("top")));
        assert_eq!(marks.get("n_2"), Some(&of_name("lamp")));
        assert_eq!(marks.get("n_3"), Some(&of_name("top")));
    }

    #[test]
    fn nodes_are_listed_with_their_pixels() {
        let import = import();
        let baked = import.scene.bake();
        let rows = rows(&import, &baked, &[0, 1, 1, 0, 2, 1]);
        let found: Vec<_> = rows.iter().map(|row| (row.mark, row.visible_px, row.triangles)).collect();
        assert_eq!(found, [(1, 3, 1), (2, 1, 1)]);
        assert!(rows.iter().any(|row| row.path == "table / top" && row.id == "n_1"));
    }

    #[test]
    fn ids_survive_the_picture() {
        let ids = [0, 1, 255, 256, 65_537, 16_777_215];
        let png = exact_ids(Size { width: 3, height: 2 }, &ids).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        let read: Vec<u32> = bytes.chunks(3).map(|rgb| u32::from_be_bytes([0, rgb[0], rgb[1], rgb[2]])).collect();
        assert_eq!(read, ids);
    }
}
