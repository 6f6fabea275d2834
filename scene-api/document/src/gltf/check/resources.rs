//! Bytes of buffers and images: the GLB's chunk, data URIs, external files.

use super::data_uri::{self, DataUri, relative_path};
use super::document::list;
use super::glb::Container;
use super::images::sniff;
use super::report::Report;
use super::schema::uint;
use crate::gltf::Resolve;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Shared where several objects name the same URI.
pub(crate) type Bytes = Option<Arc<Vec<u8>>>;

pub(super) struct Loader<'a> {
    container: &'a Container<'a>,
    resolve: Resolve<'a>,
    /// By URI, so that a file named a thousand times is loaded once.
    loaded: BTreeMap<String, Bytes>,
}

#[derive(Debug, Clone, Copy)]
enum Wanted {
    Buffer,
    Image,
}

impl<'a> Loader<'a> {
    pub(super) fn new(container: &'a Container<'a>, resolve: Resolve<'a>) -> Self {
        Self { container, resolve, loaded: BTreeMap::new() }
    }

    /// One entry per buffer, each at least `byteLength` long.
    pub(super) fn buffers(&mut self, json: &Value, report: &mut Report) -> Vec<Bytes> {
        let buffers = list(json, "buffers").iter().enumerate();
        buffers.map(|(index, buffer)| self.buffer(index, buffer, report)).collect()
    }

    /// One entry per image; `None` also for images in a buffer view.
    pub(super) fn images(&mut self, json: &Value, report: &mut Report) -> Vec<Bytes> {
        let images = list(json, "images").iter().enumerate();
        let mut load = |index: usize, image: &Value| {
            let uri = image.get("uri").and_then(Value::as_str)?;
            self.uri(uri, Wanted::Image, &format!("/images/{index}/uri"), report)
        };
        images.map(|(index, image)| load(index, image)).collect()
    }

    fn buffer(&mut self, index: usize, buffer: &Value, report: &mut Report) -> Bytes {
        let pointer = format!("/buffers/{index}");
        let length = buffer.get("byteLength").and_then(uint)?;
        let is_chunk = self.container.is_glb && index == 0 && buffer.get("uri").is_none();
        let bytes = match buffer.get("uri").and_then(Value::as_str) {
            Some(uri) => self.uri(uri, Wanted::Buffer, &format!("{pointer}/uri"), report)?,
            None if is_chunk => {
                let Some(bin) = self.container.bin else {
                    let message = "Buffer refers to an unresolved GLB binary chunk.";
                    report.error("BUFFER_MISSING_GLB_DATA", &pointer, message);
                    return None;
                };
                Arc::new(bin.to_vec())
            }
            None => return None,
        };
        let given = bytes.len() as u64;
        if given < length {
            let message =
                format!("Actual data byte length ({given}) is less than the declared buffer byte length ({length}).");
            report.error("BUFFER_BYTE_LENGTH_MISMATCH", &pointer, message);
            return None;
        }
        let extra = given.saturating_sub(length.next_multiple_of(4));
        if is_chunk && extra > 0 {
            let message = format!("GLB-stored BIN chunk contains {extra} extra padding byte(s).");
            report.warning("BUFFER_GLB_CHUNK_TOO_BIG", &pointer, message);
        }
        Some(bytes)
    }

    fn uri(&mut self, uri: &str, wanted: Wanted, pointer: &str, report: &mut Report) -> Bytes {
        if self.container.is_glb {
            report.information("URI_GLB", pointer, "URI is used in GLB container.");
        }
        match data_uri::parse(uri) {
            Some(Ok(data)) => {
                if self.container.is_glb {
                    report.warning("DATA_URI_GLB", pointer, "Data URI is used in GLB container.");
                }
                if let Some((code, message)) = wanted.fault(&data) {
                    report.error(code, pointer, message);
                    return None;
                }
                self.once(uri, |_| Some(data.bytes))
            }
            Some(Err(fault)) => {
                report.error("INVALID_URI", pointer, format!("Invalid URI: {fault}."));
                None
            }
            None if uri.is_empty() || uri.starts_with(':') => {
                report.error("INVALID_URI", pointer, format!("Invalid URI '{uri}'."));
                None
            }
            None => {
                let path = relative_path(uri);
                if path.is_none() {
                    report.warning("NON_RELATIVE_URI", pointer, format!("Non-relative URI found: '{uri}'."));
                }
                let bytes = self.once(uri, |resolve| path.and_then(|path| resolve(&path)));
                if bytes.is_none() {
                    report.error("IO_ERROR", pointer, format!("No such resource: '{uri}'."));
                }
                bytes
            }
        }
    }

    fn once(&mut self, uri: &str, load: impl FnOnce(Resolve<'a>) -> Option<Vec<u8>>) -> Bytes {
        if let Some(bytes) = self.loaded.get(uri) {
            return bytes.clone();
        }
        let bytes = load(self.resolve).map(Arc::new);
        self.loaded.insert(uri.into(), bytes.clone());
        bytes
    }
}

impl Wanted {
    fn fault(self, data: &DataUri) -> Option<(&'static str, String)> {
        let media_type = data.media_type.as_str();
        match self {
            Self::Buffer if matches!(media_type, "application/octet-stream" | "application/gltf-buffer") => None,
            Self::Buffer => {
                let message = format!(
                    "Data URI media type must be 'application/octet-stream' or 'application/gltf-buffer'. \
                     Found '{media_type}' instead."
                );
                Some(("BUFFER_DATA_URI_MIME_TYPE_INVALID", message))
            }
            Self::Image if sniff(&data.bytes) == Some(media_type) => None,
            Self::Image => {
                let message =
                    format!("Invalid URI: the declared media type '{media_type}' does not match the content.");
                Some(("INVALID_URI", message))
            }
        }
    }
}
