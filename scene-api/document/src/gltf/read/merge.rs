//! All buffers, and images named by URI, in one blob; the JSON brought into line.

use super::super::check::{Bytes, Document, index, sniff, uint};
use super::invalid;
use crate::NodeId;
use crate::gltf::lists::{put_list, take_list};
use crate::gltf::{ReadError, Source};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// # Errors
/// `Invalid` where a buffer view's buffer has no bytes.
pub(super) fn source(document: Document, node_ids: Vec<Option<NodeId>>) -> Result<Source, ReadError> {
    let Document { json, buffers, images, .. } = document;
    let mut root = match json {
        Value::Object(root) => root,
        _ => Map::new(),
    };
    let mut blob = Blob::default();
    let declared = take_list(&mut root, "buffers");
    let lengths: Vec<usize> = declared.iter().map(|buffer| index(buffer.get("byteLength")).unwrap_or(0)).collect();
    let bases = blob.append_buffers(&buffers, &lengths);

    let mut views = take_list(&mut root, "bufferViews");
    for (place, view) in views.iter_mut().enumerate() {
        let Some(view) = view.as_object_mut() else { continue };
        if !rebase(view, &bases) {
            let message = "The bytes of the buffer are missing.";
            return Err(invalid("IO_ERROR", &format!("/bufferViews/{place}/buffer"), message.into()));
        }
        // EXT_meshopt_compression names a buffer of its own.
        if let Some(Value::Object(extensions)) = view.get_mut("extensions") {
            extensions
                .values_mut()
                .filter_map(Value::as_object_mut)
                .filter(|extension| extension.contains_key("buffer"))
                .for_each(|extension| {
                    rebase(extension, &bases);
                });
        }
    }
    if let Some(Value::Array(list)) = root.get_mut("images") {
        let mut embedded = BTreeMap::new();
        for (image, bytes) in list.iter_mut().zip(&images) {
            embed(image, bytes, &mut embedded, &mut blob, &mut views);
        }
    }
    put_list(&mut root, "bufferViews", views);
    if !blob.bytes.is_empty() {
        let mut buffer = match <[Value; 1]>::try_from(declared) {
            Ok([Value::Object(only)]) => only,
            _ => Map::new(),
        };
        buffer.remove("uri");
        buffer.insert("byteLength".into(), Value::from(blob.bytes.len()));
        put_list(&mut root, "buffers", vec![Value::Object(buffer)]);
    }
    Ok(Source { json: Value::Object(root), blob: blob.bytes, node_ids })
}

#[derive(Default)]
struct Blob {
    bytes: Vec<u8>,
}

impl Blob {
    /// The offset of each buffer; one for buffers that share their bytes.
    fn append_buffers(&mut self, buffers: &[Bytes], lengths: &[usize]) -> Vec<Option<usize>> {
        let mut longest: BTreeMap<*const Vec<u8>, usize> = BTreeMap::new();
        for (bytes, length) in buffers.iter().zip(lengths) {
            if let Some(bytes) = bytes {
                let longest = longest.entry(Arc::as_ptr(bytes)).or_default();
                *longest = (*longest).max(*length);
            }
        }
        let mut bases: BTreeMap<*const Vec<u8>, usize> = BTreeMap::new();
        let mut append = |bytes: &Arc<Vec<u8>>| {
            let key = Arc::as_ptr(bytes);
            *bases.entry(key).or_insert_with(|| {
                let length = longest.get(&key).copied().unwrap_or(0).min(bytes.len());
                self.append(&bytes[..length])
            })
        };
        buffers.iter().map(|bytes| bytes.as_ref().map(&mut append)).collect()
    }

    /// The offset, a multiple of 4.
    fn append(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        offset
    }
}

/// Points a view at the merged buffer; false where the buffer it names has no bytes.
fn rebase(view: &mut Map<String, Value>, bases: &[Option<usize>]) -> bool {
    let base = index(view.get("buffer")).and_then(|buffer| *bases.get(buffer)?);
    let Some(base) = base else { return false };
    let offset = view.get("byteOffset").and_then(uint).unwrap_or(0).saturating_add(base as u64);
    view.insert("buffer".into(), Value::from(0));
    view.insert("byteOffset".into(), Value::from(offset));
    true
}

/// Moves an image from its URI into the blob, once for images that share their bytes. One whose format is unknown stays
/// where it is.
fn embed(
    image: &mut Value,
    bytes: &Bytes,
    embedded: &mut BTreeMap<*const Vec<u8>, usize>,
    blob: &mut Blob,
    views: &mut Vec<Value>,
) {
    let (Some(image), Some(bytes)) = (image.as_object_mut(), bytes) else { return };
    let Some(media_type) = sniff(bytes) else { return };
    let view = *embedded.entry(Arc::as_ptr(bytes)).or_insert_with(|| {
        let offset = blob.append(bytes);
        views.push(json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()}));
        views.len() - 1
    });
    image.remove("uri");
    image.insert("bufferView".into(), Value::from(view));
    image.insert("mimeType".into(), Value::from(media_type));
}
