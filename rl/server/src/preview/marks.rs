//! Which pixels show which nodes.

use scene_api::evidence_ids;
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
    let ids = evidence_ids(import);
    let mut marks: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (mark, mesh) in (1..).zip(&baked.meshes) {
        for id in import.scene.ancestry(mesh.node).filter_map(|node| ids.get(&node)) {
            marks.entry(id.clone()).or_default().push(mark);
        }
    }
    marks
}

/// `pixels` are the meshes' numbers in a picture.
pub(super) fn rows(import: &Import, baked: &Baked, pixels: &[u32]) -> Vec<NodeRow> {
    let ids = evidence_ids(import);
    let mut visible: BTreeMap<u32, usize> = BTreeMap::new();
    for run in pixels.chunk_by(|a, b| a == b) {
        *visible.entry(run[0]).or_default() += run.len();
    }
    let row = |(mark, mesh): (u32, &BakedMesh)| NodeRow {
        id: ids.get(&mesh.node).cloned().unwrap_or_default(),
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
}
