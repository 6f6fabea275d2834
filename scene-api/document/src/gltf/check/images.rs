//! Images: where they are, and what format their bytes have.

use super::document::Document;
use super::report::Report;
use super::usage::Usage;
use crate::image::{CUT, header};
use serde_json::Value;

pub(super) fn check(document: &Document, usage: &mut Usage, report: &mut Report) {
    for (index, image) in document.list("images").iter().enumerate() {
        let pointer = format!("/images/{index}");
        let view = image.get("bufferView").and_then(super::uint);
        let has_uri = image.get("uri").is_some_and(Value::is_string);
        let declared = image.get("mimeType").and_then(Value::as_str);
        if image.is_object() && view.is_some() == has_uri {
            let message = "Exactly one of ('bufferView', 'uri') properties must be defined.";
            report.error("ONE_OF_MISMATCH", &pointer, message);
        }
        let view_pointer = format!("{pointer}/bufferView");
        if view.is_some() && declared.is_none() {
            report.error("UNSATISFIED_DEPENDENCY", &view_pointer, "Dependency failed. 'mimeType' must be defined.");
        }
        let view = view.and_then(|view| usize::try_from(view).ok());
        if let Some(view) = view {
            usage.view(view, "Image", &view_pointer, report);
        }
        let view = view.and_then(|view| document.view(view));
        if view.is_some_and(|view| view.stride.is_some()) {
            let message = "bufferView.byteStride must not be defined for buffer views containing image data.";
            report.error("IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", &view_pointer, message);
        }
        if image.get("extensions").is_some() {
            continue;
        }
        let bytes = document.image(index);
        if let Some((_, Err(what))) = bytes.and_then(header) {
            let (code, message) = match what {
                CUT => ("IMAGE_UNEXPECTED_EOS", "Unexpected end of image stream.".into()),
                _ => ("IMAGE_DATA_INVALID", format!("Image data is invalid. {what}.")),
            };
            report.error(code, &pointer, message);
        }
        match (bytes.map(sniff), declared) {
            (Some(None), _) => report.warning("IMAGE_UNRECOGNIZED_FORMAT", &pointer, "Image format not recognized."),
            (Some(Some(found)), Some(declared)) if found != declared => {
                let message =
                    format!("Recognized image format '{found}' does not match declared image format '{declared}'.");
                let place = if has_uri { format!("{pointer}/uri") } else { view_pointer };
                report.error("IMAGE_MIME_TYPE_INVALID", &place, message);
            }
            _ => {}
        }
    }
}

/// Media type by the first bytes.
pub(crate) fn sniff(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1A\n") {
        Some("image/png")
    } else if bytes.starts_with(b"\xFF\xD8") {
        Some("image/jpeg")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}
