//! What the colours of a picture stand for.

use crate::report::hex;
use renderer::Pixels;
use scene_api::evidence_ids;
use scene_document::gltf::Import;
use scene_document::{Baked, BakedMesh};
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[derive(Debug, PartialEq)]
pub(super) enum Legend {
    Meshes(Vec<MeshColour>),
    /// The nearest is white, the farthest dark grey; along the view axis.
    Depth {
        near_m: f32,
        far_m: f32,
    },
}

/// A mesh that is in the picture.
#[derive(Debug, PartialEq)]
pub(super) struct MeshColour {
    /// Of its node, as evidence names it.
    id: String,
    /// Of its node.
    name: String,
    /// `#rrggbb`
    colour: String,
}

impl Legend {
    /// Of ids and depths; `None` for other pixels, and where nothing is seen.
    pub(super) fn of(pixels: &Pixels, import: &Import, baked: &Baked) -> Option<Self> {
        match pixels {
            Pixels::Ids(ids) => Some(meshes(ids, import, baked)).filter(|rows| !rows.is_empty()).map(Self::Meshes),
            Pixels::DepthM(depth_m) => {
                let seen = || depth_m.iter().copied().filter(|depth_m| depth_m.is_finite());
                Some(Self::Depth { near_m: seen().reduce(f32::min)?, far_m: seen().reduce(f32::max)? })
            }
            Pixels::Srgb(_) | Pixels::Linear(_) => None,
        }
    }

    /// For people.
    pub(super) fn lines(&self) -> Vec<String> {
        match self {
            Self::Meshes(rows) => {
                let widest = rows.iter().map(|row| row.id.len()).max().unwrap_or(0);
                rows.iter().map(|row| format!("  {}  {:<widest$}  {}", row.colour, row.id, row.name)).collect()
            }
            Self::Depth { near_m, far_m } => {
                let ends = format!("white is {near_m} m deep, the nearest; dark grey is {far_m} m deep, the farthest");
                vec![format!("  {ends}; black is nothing")]
            }
        }
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        match self {
            Self::Meshes(rows) => {
                let mesh = |row: &MeshColour| json!({ "id": row.id, "name": row.name, "colour": row.colour });
                json!({ "meshes": rows.iter().map(mesh).collect::<Vec<_>>() })
            }
            Self::Depth { near_m, far_m } => json!({ "near_m": near_m, "far_m": far_m, "white": "near" }),
        }
    }
}

/// `pixels` are the meshes' numbers, as in `Pixels::Ids`.
fn meshes(pixels: &[u32], import: &Import, baked: &Baked) -> Vec<MeshColour> {
    let seen: BTreeSet<u32> = pixels.iter().copied().collect();
    let ids = evidence_ids(import);
    let in_picture = (1..).zip(&baked.meshes).filter(|(number, _)| seen.contains(number));
    let row = |(number, mesh): (u32, &BakedMesh)| MeshColour {
        id: ids.get(&mesh.node).cloned().unwrap_or_default(),
        name: mesh.name.clone(),
        colour: format!("#{}", hex(scene_picture::ids(&[number]).as_flattened())),
    };
    in_picture.map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use scene_document::gltf::{Limits, read};

    /// Three nodes that share a triangle.
    const FILE: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1,2]}],
        "nodes":[{"name":"top","mesh":0},{"name":"leg","mesh":0},{"name":"lamp","mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
        "bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":"triangle.bin"}]}"#;

    fn legend(pixels: &Pixels) -> Option<Legend> {
        let triangle = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let bytes: Vec<u8> = triangle.iter().flat_map(|value| value.to_le_bytes()).collect();
        let import = read(FILE.as_bytes(), &|_| Some(bytes.clone()), &Limits::default()).unwrap();
        Legend::of(pixels, &import, &import.scene.bake())
    }

    #[test]
    fn meshes_in_the_picture_are_listed_with_their_colours() {
        let legend = legend(&Pixels::Ids(vec![0, 3, 1, 3])).unwrap();
        let colours = scene_picture::ids(&[1, 3]);
        let [top, lamp] = [0_usize, 1].map(|place| format!("#{}", hex(&colours[place])));
        let lines = [format!("  {top}  n_1  top"), format!("  {lamp}  n_3  lamp")];
        assert_eq!(legend.lines(), lines);
        let rows = json!([
            { "id": "n_1", "name": "top", "colour": top },
            { "id": "n_3", "name": "lamp", "colour": lamp },
        ]);
        assert_eq!(legend.json()["meshes"], rows);
    }

    #[test]
    fn depths_are_told_with_the_end_that_is_white() {
        let legend = legend(&Pixels::DepthM(vec![f32::INFINITY, 2.5, 0.5, 1.0])).unwrap();
        assert_eq!(legend, Legend::Depth { near_m: 0.5, far_m: 2.5 });
        assert_eq!(legend.json(), json!({ "near_m": 0.5, "far_m": 2.5, "white": "near" }));
        assert!(legend.lines()[0].contains("white is 0.5 m deep"), "{:?}", legend.lines());
    }

    #[test]
    fn what_shows_nothing_has_no_legend() {
        let blank = [Pixels::Ids(vec![0; 2]), Pixels::DepthM(vec![f32::INFINITY; 2]), Pixels::Srgb(vec![[9; 3]; 2])];
        assert_eq!(blank.map(|pixels| legend(&pixels)), [None, None, None]);
    }
}
