//! The GLB container: a 12-byte header, then chunks of 4-byte aligned length (glTF 2.0 §4).

use super::report::Report;

/// The two parts of a file that hold content.
#[derive(Debug, Clone, Copy)]
pub(super) struct Container<'a> {
    pub(super) json: &'a [u8],
    /// Byte at which `json` starts in the file.
    pub(super) json_start: usize,
    pub(super) bin: Option<&'a [u8]>,
    pub(super) is_glb: bool,
}

const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

/// `None` where nothing can be read; the report says why. Whatever does not start like a GLB is taken for JSON text.
pub(super) fn split<'a>(bytes: &'a [u8], report: &mut Report) -> Option<Container<'a>> {
    if bytes.starts_with(b"glTF") || b"glTF".starts_with(bytes) {
        split_glb(bytes, report)
    } else {
        Some(Container { json: bytes, json_start: 0, bin: None, is_glb: false })
    }
}

fn split_glb<'a>(bytes: &'a [u8], report: &mut Report) -> Option<Container<'a>> {
    let end = bytes.len();
    let (Some(version), Some(total)) = (word(bytes, 4), word(bytes, 8)) else {
        report.error("GLB_UNEXPECTED_END_OF_HEADER", &at(end), "Unexpected end of header.");
        return None;
    };
    if version != 2 {
        report.error("GLB_INVALID_VERSION", &at(4), format!("Invalid GLB version value {version}."));
        return None;
    }
    let total = total as usize;
    if total <= 12 {
        report.error("GLB_LENGTH_TOO_SMALL", &at(8), format!("Declared GLB length ({total}) is too small."));
    }
    let mut json = None;
    let mut bin = None;
    let mut start = 12;
    let mut number = 0;
    while start != end {
        if start == total {
            report.warning("GLB_EXTRA_DATA", &at(start), "Extra data after the end of GLB stream.");
            break;
        }
        let (Some(length), Some(kind)) = (word(bytes, start), word(bytes, start + 4)) else {
            report.error("GLB_UNEXPECTED_END_OF_CHUNK_HEADER", &at(end), "Unexpected end of chunk header.");
            return None;
        };
        let length = length as usize;
        chunk_header(kind, length, start, total, number == 0, report);
        let data_start = start + 8;
        let Some(data) = bytes.get(data_start..data_start.saturating_add(length)) else {
            report.error("GLB_UNEXPECTED_END_OF_CHUNK_DATA", &at(end), "Unexpected end of chunk data.");
            return None;
        };
        match kind {
            JSON => keep_once(&mut json, (data, data_start), kind, start, report),
            BIN => {
                if number > 1 && bin.is_none() {
                    report.error("GLB_UNEXPECTED_BIN_CHUNK", &at(start), "BIN chunk must be the second chunk.");
                }
                keep_once(&mut bin, (data, data_start), kind, start, report);
            }
            _ => report.warning("GLB_UNKNOWN_CHUNK_TYPE", &at(start), format!("Unknown GLB chunk type: {kind:#010x}.")),
        }
        number += 1;
        start = data_start + length;
    }
    if start == end && start != total {
        report.error(
            "GLB_LENGTH_MISMATCH",
            &at(end),
            format!("Declared length ({total}) does not match GLB length ({end})."),
        );
    }
    let (json, json_start) = json.filter(|(data, _)| !data.is_empty())?;
    Some(Container { json, json_start, bin: bin.map(|(data, _)| data), is_glb: true })
}

fn chunk_header(kind: u32, length: usize, start: usize, total: usize, first: bool, report: &mut Report) {
    if !length.is_multiple_of(4) {
        let message = format!("Length of {kind:#010x} chunk is not aligned to 4-byte boundaries.");
        report.error("GLB_CHUNK_LENGTH_UNALIGNED", &at(start), message);
    }
    if (start + 8).saturating_add(length) > total {
        let message = format!("Chunk ({kind:#010x}) length ({length}) does not fit total GLB length.");
        report.error("GLB_CHUNK_TOO_BIG", &at(start), message);
    }
    if first && kind != JSON {
        let message = format!("First chunk must be of JSON type. Found {kind:#010x} instead.");
        report.error("GLB_UNEXPECTED_FIRST_CHUNK", &at(start), message);
    }
    if length == 0 && kind == JSON {
        report.error("GLB_EMPTY_CHUNK", &at(start), format!("Chunk ({kind:#010x}) cannot have zero length."));
    }
    if length == 0 && kind == BIN {
        report.information("GLB_EMPTY_BIN_CHUNK", &at(start), "Empty BIN chunk should be omitted.");
    }
}

fn keep_once<T>(place: &mut Option<T>, chunk: T, kind: u32, start: usize, report: &mut Report) {
    if place.is_some() {
        let message = format!("Chunk of type {kind:#010x} has already been used.");
        report.error("GLB_DUPLICATE_CHUNK", &at(start), message);
    } else {
        *place = Some(chunk);
    }
}

fn word(bytes: &[u8], start: usize) -> Option<u32> {
    bytes.get(start..)?.first_chunk::<4>().map(|word| u32::from_le_bytes(*word))
}

pub(super) fn at(byte: usize) -> String {
    format!("@byte {byte}")
}
