//! The file's one buffer with the accessors and buffer views into it.

use crate::Influence;
use crate::gltf::check::index;
use crate::gltf::lists::{put_list, take_list};
use serde_json::{Map, Value, json};

const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
/// Buffer view targets.
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

pub(super) struct Buffer {
    blob: Vec<u8>,
    accessors: Vec<Value>,
    views: Vec<Value>,
}

impl Buffer {
    /// Goes on after what `root` (whose lists it takes) already holds in `blob`.
    pub(super) fn after(blob: Vec<u8>, root: &mut Map<String, Value>) -> Self {
        Self { blob, accessors: take_list(root, "accessors"), views: take_list(root, "bufferViews") }
    }

    /// An accessor of f32 vectors with their exact bounds; at least one row.
    pub(super) fn vectors(&mut self, rows: &[[f32; 3]]) -> usize {
        let mut min = [f32::INFINITY; 3];
        let mut max = [f32::NEG_INFINITY; 3];
        let mut bytes = Vec::with_capacity(rows.len() * 12);
        for row in rows {
            for ((part, min), max) in row.iter().zip(&mut min).zip(&mut max) {
                // Not f32::min: it may give either zero when 0 meets −0.
                if *part < *min {
                    *min = *part;
                }
                if *part > *max {
                    *max = *part;
                }
                bytes.extend_from_slice(&part.to_le_bytes());
            }
        }
        let view = self.view(&bytes, Some(ARRAY_BUFFER));
        self.accessor(json!({
            "bufferView": view, "componentType": FLOAT, "count": rows.len(), "type": "VEC3",
            "min": min.map(f64::from), "max": max.map(f64::from),
        }))
    }

    /// An accessor of texture coordinates; at least one row.
    pub(super) fn uvs(&mut self, rows: &[[f32; 2]]) -> usize {
        let view = self.view(&little_endian(rows.as_flattened()), Some(ARRAY_BUFFER));
        self.accessor(json!({
            "bufferView": view, "componentType": FLOAT, "count": rows.len(), "type": "VEC2",
        }))
    }

    /// An accessor of texture coordinates that are all 0, which takes no bytes.
    pub(super) fn zero_uvs(&mut self, count: usize) -> usize {
        self.accessor(json!({"componentType": FLOAT, "count": count, "type": "VEC2"}))
    }

    /// A buffer view of other bytes, such as an image.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> usize {
        self.view(bytes, None)
    }

    /// What a buffer view shows; `None` where that is not there.
    pub(super) fn content(&self, view: usize) -> Option<&[u8]> {
        let view = self.views.get(view)?;
        let start = index(view.get("byteOffset")).unwrap_or(0);
        self.blob.get(start..start.checked_add(index(view.get("byteLength"))?)?)
    }

    /// Accessors of joints (u16) and of weights (f32); at least one row.
    pub(super) fn influences(&mut self, influences: &[Influence]) -> [usize; 2] {
        let joints: Vec<u8> =
            influences.iter().flat_map(|influence| influence.joints).flat_map(u16::to_le_bytes).collect();
        let weights: Vec<u8> =
            influences.iter().flat_map(|influence| influence.weights).flat_map(f32::to_le_bytes).collect();
        [(joints, UNSIGNED_SHORT), (weights, FLOAT)].map(|(bytes, component)| {
            let view = self.view(&bytes, Some(ARRAY_BUFFER));
            self.accessor(json!({
                "bufferView": view, "componentType": component, "count": influences.len(), "type": "VEC4",
            }))
        })
    }

    /// An accessor of triangle corners, u16 where `vertices` allows (65535 is glTF's restart value, never an index).
    pub(super) fn corners(&mut self, triangles: &[[u32; 3]], vertices: usize) -> usize {
        let corners = || triangles.iter().flatten().copied();
        let short = vertices < 65535;
        let mut bytes = Vec::with_capacity(triangles.len() * if short { 6 } else { 12 });
        for corner in corners() {
            match u16::try_from(corner) {
                Ok(corner) if short => bytes.extend_from_slice(&corner.to_le_bytes()),
                _ => bytes.extend_from_slice(&corner.to_le_bytes()),
            }
        }
        let view = self.view(&bytes, Some(ELEMENT_ARRAY_BUFFER));
        self.accessor(json!({
            "bufferView": view, "componentType": if short { UNSIGNED_SHORT } else { UNSIGNED_INT },
            "count": triangles.len() * 3, "type": "SCALAR",
            "min": [corners().min().unwrap_or(0)], "max": [corners().max().unwrap_or(0)],
        }))
    }

    /// An accessor of key times, which increase, with the bounds that glTF demands of them; at least one.
    pub(super) fn times(&mut self, times_s: &[f32]) -> usize {
        let view = self.view(&little_endian(times_s), None);
        let bound = |time_s: Option<&f32>| time_s.copied().map_or(0.0, f64::from);
        self.accessor(json!({
            "bufferView": view, "componentType": FLOAT, "count": times_s.len(), "type": "SCALAR",
            "min": [bound(times_s.first())], "max": [bound(times_s.last())],
        }))
    }

    /// An accessor of what keys hold, elements of `kind`; at least one.
    pub(super) fn values(&mut self, values: &[f32], kind: &str, components: usize) -> usize {
        let view = self.view(&little_endian(values), None);
        self.accessor(json!({
            "bufferView": view, "componentType": FLOAT, "count": values.len() / components, "type": kind,
        }))
    }

    fn accessor(&mut self, json: Value) -> usize {
        self.accessors.push(json);
        self.accessors.len() - 1
    }

    /// A buffer view of its own, at a multiple of 4.
    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        self.blob.resize(self.blob.len().next_multiple_of(4), 0);
        let mut view = json!({"buffer": 0, "byteOffset": self.blob.len(), "byteLength": bytes.len()});
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.blob.extend_from_slice(bytes);
        self.views.len() - 1
    }

    /// Writes the lists into `root`; the bytes.
    pub(super) fn finish(self, root: &mut Map<String, Value>) -> Vec<u8> {
        put_list(root, "accessors", self.accessors);
        put_list(root, "bufferViews", self.views);
        let old = take_list(root, "buffers").into_iter().next();
        if !self.blob.is_empty() {
            let mut buffer = match old {
                Some(Value::Object(members)) => members,
                _ => Map::new(),
            };
            buffer.remove("uri");
            buffer.insert("byteLength".into(), json!(self.blob.len()));
            put_list(root, "buffers", vec![Value::Object(buffer)]);
        }
        self.blob
    }
}

fn little_endian(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}
