//! Where buffer views and accessors lie: bounds, alignment, strides, sparse overrides.

use super::document::{Accessor, Document, View, span};
use super::report::Report;
use super::usage::Usage;
use ::gltf::json::accessor::{ComponentType, Type};
use ::gltf::json::buffer::Target;
use serde_json::Value;

pub(super) fn check(document: &Document, usage: &mut Usage, report: &mut Report) {
    for (index, view) in document.views.iter().enumerate() {
        if let Some(view) = view {
            check_view(document, view, &format!("/bufferViews/{index}"), report);
        }
    }
    for (index, value) in document.list("accessors").iter().enumerate() {
        let pointer = format!("/accessors/{index}");
        if value.get("byteOffset").is_some() && value.get("bufferView").is_none() {
            let place = format!("{pointer}/byteOffset");
            report.error("UNSATISFIED_DEPENDENCY", &place, "Dependency failed. 'bufferView' must be defined.");
        }
        if let Some(accessor) = document.accessor(index) {
            check_bounds(value, accessor, &pointer, report);
            check_accessor(document, accessor, &pointer, report);
            check_sparse(document, accessor, &pointer, usage, report);
        }
    }
}

fn check_view(document: &Document, view: &View, pointer: &str, report: &mut Report) {
    if let Some(stride) = view.stride {
        let place = format!("{pointer}/byteStride");
        if stride > view.length {
            let message = format!("Buffer view's byteStride ({stride}) is greater than byteLength ({}).", view.length);
            report.error("BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", &place, message);
        }
        if !stride.is_multiple_of(4) {
            report.error("VALUE_MULTIPLE_OF", &place, format!("Value {stride} is not a multiple of 4."));
        }
        if view.target == Some(Target::ElementArrayBuffer) {
            let message = "Only buffer views with raw vertex data can have byteStride.";
            report.error("BUFFER_VIEW_INVALID_BYTE_STRIDE", &place, message);
        }
    }
    let buffer = document.list("buffers").get(view.buffer);
    let Some(length) = buffer.and_then(|buffer| buffer.get("byteLength")).and_then(super::uint) else { return };
    let member = if view.offset >= length {
        "byteOffset"
    } else if view.offset.saturating_add(view.length) > length {
        "byteLength"
    } else {
        return;
    };
    let message = format!("BufferView does not fit buffer ({}) byteLength ({length}).", view.buffer);
    report.error("BUFFER_VIEW_TOO_LONG", &format!("{pointer}/{member}"), message);
}

/// Bounds that were left out of the accessor because they are malformed.
fn check_bounds(value: &Value, accessor: &Accessor, pointer: &str, report: &mut Report) {
    for (member, parsed) in [("min", &accessor.min), ("max", &accessor.max)] {
        let Some(given) = value.get(member).and_then(Value::as_array) else { continue };
        if parsed.is_some() || given.is_empty() || !given.iter().all(Value::is_number) {
            continue;
        }
        let place = format!("{pointer}/{member}");
        let components = accessor.format.components();
        if given.len() != components {
            let message = format!("Invalid array length {}. Valid lengths are: ({components}).", given.len());
            report.error("ARRAY_LENGTH_NOT_IN_LIST", &place, message);
        } else {
            let message = format!("Invalid value for GL type '{:?}'.", accessor.format.component);
            report.error("INVALID_GL_VALUE", &place, message);
        }
    }
}

fn check_accessor(document: &Document, accessor: &Accessor, pointer: &str, report: &mut Report) {
    let format = accessor.format;
    if format.normalized && matches!(format.component, ComponentType::F32 | ComponentType::U32) {
        let message = "Only (u)byte and (u)short accessors can be normalized.";
        report.error("ACCESSOR_NORMALIZED_INVALID", &format!("{pointer}/normalized"), message);
    }
    if matches!(format.kind, Type::Mat2 | Type::Mat3 | Type::Mat4) && !accessor.offset.is_multiple_of(4) {
        let message = "Matrix accessors must be aligned to 4-byte boundaries.";
        report.error("ACCESSOR_MATRIX_ALIGNMENT", &format!("{pointer}/byteOffset"), message);
    }
    let Some(index) = accessor.view else { return };
    let Some(view) = document.view(index) else { return };
    let element = format.length() as u64;
    if let Some(stride) = view.stride.filter(|stride| *stride < element) {
        let message = format!(
            "Referenced bufferView's byteStride value {stride} is less than accessor element's length {element}."
        );
        report.error("ACCESSOR_SMALL_BYTESTRIDE", pointer, message);
    }
    let stride = view.stride.unwrap_or(format.tight_stride() as u64);
    let size = format.component.size() as u64;
    check_fit(accessor.offset, size, span(accessor.count, stride, format), (index, view), pointer, report);
}

fn check_sparse(document: &Document, accessor: &Accessor, pointer: &str, usage: &mut Usage, report: &mut Report) {
    let Some(sparse) = &accessor.sparse else { return };
    if sparse.count > accessor.count {
        let message = format!(
            "Sparse accessor overrides more elements ({}) than the base accessor contains ({}).",
            sparse.count, accessor.count
        );
        report.error("ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", &format!("{pointer}/sparse/count"), message);
    }
    let size = accessor.format.component.size() as u64;
    let index_size = sparse.index.size() as u64;
    let parts = [
        ("indices", sparse.indices_view, sparse.indices_offset, index_size, index_size),
        ("values", sparse.values_view, sparse.values_offset, size, size * accessor.format.components() as u64),
    ];
    for (part, index, offset, size, element) in parts {
        let Some(view) = document.view(index) else { continue };
        let place = format!("{pointer}/sparse/{part}");
        let view_place = format!("{place}/bufferView");
        usage.view(index, "Other", &view_place, report);
        if view.stride.is_some() {
            let message = "Only buffer views with raw vertex data can have byteStride.";
            report.error("BUFFER_VIEW_INVALID_BYTE_STRIDE", &view_place, message);
        }
        check_fit(offset, size, element.saturating_mul(sparse.count), (index, view), &place, report);
    }
}

/// `size`: bytes of one component; `length`: bytes of the whole range.
fn check_fit(offset: u64, size: u64, length: u64, (index, view): (usize, &View), pointer: &str, report: &mut Report) {
    if !offset.is_multiple_of(size) {
        let message = format!("Offset {offset} is not a multiple of componentType length {size}.");
        report.error("ACCESSOR_OFFSET_ALIGNMENT", &format!("{pointer}/byteOffset"), message);
    }
    let total = view.offset.saturating_add(offset);
    if !total.is_multiple_of(size) {
        let message = format!("Accessor's total byteOffset {total} isn't a multiple of componentType length {size}.");
        report.error("ACCESSOR_TOTAL_OFFSET_ALIGNMENT", pointer, message);
    }
    let message = || {
        format!(
            "Accessor (offset: {offset}, length: {length}) does not fit referenced bufferView [{index}] length {}.",
            view.length
        )
    };
    if offset > view.length {
        report.error("ACCESSOR_TOO_LONG", &format!("{pointer}/byteOffset"), message());
    } else if offset.saturating_add(length) > view.length {
        report.error("ACCESSOR_TOO_LONG", pointer, message());
    }
}
