//! Values inside accessors: declared bounds, finite numbers, indices, unit vectors, affine matrices.

use super::document::{Accessor, Document};
use super::keys;
use super::report::Report;
use super::schema::join;
use super::tolerances::TOLERANCES;
use super::weights;
use ::gltf::json::accessor::{ComponentType, Type};
use serde_json::Value;

/// What the users of one accessor ask of its values; pointers of the users.
#[derive(Debug, Clone, Default)]
struct Roles {
    /// Vec3: normals. Vec4: tangents with a sign.
    unit: Vec<String>,
    clamped: Vec<String>,
    /// Inverse bind matrices.
    affine: Vec<String>,
    indices: Vec<IndexUse>,
}

#[derive(Debug, Clone)]
struct IndexUse {
    pointer: String,
    /// 0 where the primitive has no attributes.
    vertices: u64,
    is_triangles: bool,
}

/// Accessors may overlap, so a small file can name far more values than it has bytes; beyond 4 values for every byte
/// the values go unchecked and the file counts as invalid.
pub(super) struct Work {
    left: u64,
}

impl Work {
    /// Values that a file may name whatever its size, and zeros that one accessor without a buffer view may stand for.
    const ANY_FILE: u64 = 1 << 25;

    fn for_document(document: &Document) -> Self {
        let bytes: u64 = document.buffers.iter().flatten().map(|buffer| buffer.len() as u64).sum();
        Self { left: Self::ANY_FILE + 4 * bytes }
    }

    pub(super) fn spend(&mut self, accessor: &Accessor) -> bool {
        let values = accessor.count.saturating_mul(accessor.format.components() as u64);
        let bounded = accessor.view.is_some() || values <= Self::ANY_FILE;
        let enough = bounded && values <= self.left;
        self.left = self.left.saturating_sub(values);
        enough
    }
}

pub(super) fn check(document: &Document, report: &mut Report) {
    let roles = roles(document);
    let keys = keys::keys(document, report);
    let mut work = Work::for_document(document);
    for (index, (roles, keys)) in roles.iter().zip(&keys).enumerate() {
        let Some(accessor) = document.accessor(index) else { continue };
        if accessor.view.is_none() && accessor.sparse.is_none() || !document.fits(accessor) {
            continue;
        }
        let pointer = format!("/accessors/{index}");
        if !work.spend(accessor) {
            return too_much(&pointer, report);
        }
        check_sparse_indices(document, accessor, &pointer, report);
        let Some(values) = document.elements(accessor) else { continue };
        check_values(accessor, &values, &pointer, report);
        check_roles(accessor, &values, roles, report);
        keys::check(accessor, &values, keys, report);
    }
    weights::check(document, &mut work, report);
}

pub(super) fn too_much(pointer: &str, report: &mut Report) {
    let message = "The accessors overlap so much that their values were not checked.";
    report.error("ACCESSOR_DATA_EXCESSIVE", pointer, message);
}

fn roles(document: &Document) -> Vec<Roles> {
    let mut roles = vec![Roles::default(); document.accessors.len()];
    for (mesh_index, mesh) in document.list("meshes").iter().enumerate() {
        for (index, primitive) in super::document::list(mesh, "primitives").iter().enumerate() {
            let pointer = format!("/meshes/{mesh_index}/primitives/{index}");
            let attributes = primitive.get("attributes").and_then(Value::as_object);
            let mut vertices = None;
            for (semantic, value) in attributes.into_iter().flatten() {
                let Some(index) = super::index(Some(value)) else { continue };
                let Some(accessor) = document.accessor(index) else { continue };
                vertices.get_or_insert(accessor.count);
                let Some(roles) = roles.get_mut(index) else { continue };
                let place = || join(&format!("{pointer}/attributes"), semantic);
                let is_float = accessor.format.component == ComponentType::F32;
                match (semantic.as_str(), accessor.format.kind) {
                    ("NORMAL", Type::Vec3) | ("TANGENT", Type::Vec4) => roles.unit.push(place()),
                    ("COLOR_0", Type::Vec3 | Type::Vec4) if is_float => roles.clamped.push(place()),
                    _ => {}
                }
            }
            let indices = super::index(primitive.get("indices"));
            let usable = indices.and_then(|index| document.accessor(index)).is_some_and(Accessor::is_indices);
            if let Some(index) = indices.filter(|_| usable)
                && let Some(roles) = roles.get_mut(index)
            {
                roles.indices.push(IndexUse {
                    pointer: format!("{pointer}/indices"),
                    vertices: vertices.unwrap_or(0),
                    is_triangles: primitive.get("mode").map_or(Some(4), super::uint) == Some(4),
                });
            }
        }
    }
    for (skin_index, skin) in document.list("skins").iter().enumerate() {
        let Some(index) = super::index(skin.get("inverseBindMatrices")) else { continue };
        let is_matrix = document.accessor(index).is_some_and(|accessor| accessor.format.kind == Type::Mat4);
        if let Some(roles) = roles.get_mut(index).filter(|_| is_matrix) {
            roles.affine.push(format!("/skins/{skin_index}/inverseBindMatrices"));
        }
    }
    roles
}

fn check_sparse_indices(document: &Document, accessor: &Accessor, pointer: &str, report: &mut Report) {
    let Some(sparse) = &accessor.sparse else { return };
    let Some(indices) = document.sparse_indices(sparse) else { return };
    let place = format!("{pointer}/sparse");
    if let Some(position) = indices.windows(2).position(|pair| pair[1] <= pair[0]) {
        let message = format!("Accessor sparse indices do not increase after element {position}.");
        report.error("ACCESSOR_SPARSE_INDICES_NON_INCREASING", &place, message);
    }
    if let Some((position, index)) = indices.iter().enumerate().find(|(_, index)| **index >= accessor.count) {
        let message = format!(
            "Accessor sparse indices element at index {position} is greater than or equal to the number of accessor \
             elements: {index} >= {}.",
            accessor.count
        );
        report.error("ACCESSOR_SPARSE_INDEX_OOB", &place, message);
    }
}

fn check_values(accessor: &Accessor, values: &[f64], pointer: &str, report: &mut Report) {
    let components = accessor.format.components();
    let mut broken = values.iter().enumerate().filter(|(_, value)| !value.is_finite());
    if let Some((index, value)) = broken.next() {
        let more = broken.count();
        let message = format!("Accessor element at index {index} is {value}; {more} more are not finite.");
        report.error("ACCESSOR_INVALID_FLOAT", pointer, message);
    }
    for component in 0..components {
        let column = || values.iter().skip(component).step_by(components).copied();
        if let Some(declared) = accessor.min.as_ref().and_then(|min| min.get(component)).copied() {
            let actual = column().fold(f64::INFINITY, f64::min);
            let below = column().filter(|value| *value < declared).count();
            let place = format!("{pointer}/min/{component}");
            if declared != actual {
                let message = format!(
                    "Declared minimum value for this component ({declared}) does not match actual minimum ({actual})."
                );
                report.error("ACCESSOR_MIN_MISMATCH", &place, message);
            }
            if below > 0 {
                let message =
                    format!("Accessor contains {below} element(s) less than declared minimum value {declared}.");
                report.error("ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND", &place, message);
            }
        }
        if let Some(declared) = accessor.max.as_ref().and_then(|max| max.get(component)).copied() {
            let actual = column().fold(f64::NEG_INFINITY, f64::max);
            let above = column().filter(|value| *value > declared).count();
            let place = format!("{pointer}/max/{component}");
            if declared != actual {
                let message = format!(
                    "Declared maximum value for this component ({declared}) does not match actual maximum ({actual})."
                );
                report.error("ACCESSOR_MAX_MISMATCH", &place, message);
            }
            if above > 0 {
                let message =
                    format!("Accessor contains {above} element(s) greater than declared maximum value {declared}.");
                report.error("ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND", &place, message);
            }
        }
    }
}

fn check_roles(accessor: &Accessor, values: &[f64], roles: &Roles, report: &mut Report) {
    if !roles.unit.is_empty() {
        check_unit(accessor, values, &roles.unit, report);
    }
    if !roles.affine.is_empty() {
        check_affine(values, &roles.affine, report);
    }
    if let Some(value) = values.iter().find(|value| !(0.0..=1.0).contains(*value)) {
        for pointer in &roles.clamped {
            let message = format!("Accessor element is not clamped to 0..1 range: {value}.");
            report.error("ACCESSOR_NON_CLAMPED", pointer, message);
        }
    }
    if roles.indices.is_empty() {
        return;
    }
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let restart = match accessor.format.component {
        ComponentType::U8 => f64::from(u8::MAX),
        ComponentType::U16 => f64::from(u16::MAX),
        _ => f64::from(u32::MAX),
    };
    let degenerate = values
        .chunks_exact(3)
        .filter(|corner| corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]);
    let degenerate = degenerate.count();
    for IndexUse { pointer, vertices, is_triangles } in &roles.indices {
        if largest >= *vertices as f64 {
            let message = format!("Indices accessor has value {largest}; there are {vertices} vertices.");
            report.error("ACCESSOR_INDEX_OOB", pointer, message);
        }
        if largest == restart {
            let message = format!("Indices accessor contains primitive restart value ({restart}).");
            report.error("ACCESSOR_INDEX_PRIMITIVE_RESTART", pointer, message);
        }
        if *is_triangles && degenerate > 0 {
            let message = format!("Indices accessor contains {degenerate} degenerate triangles.");
            report.information("ACCESSOR_INDEX_TRIANGLE_DEGENERATE", pointer, message);
        }
    }
}

/// Sixteen components an element, column by column.
fn check_affine(values: &[f64], pointers: &[String], report: &mut Report) {
    let last_row = [3_usize, 7, 11, 15].into_iter().zip([0.0, 0.0, 0.0, 1.0]);
    for (index, matrix) in values.chunks_exact(16).enumerate() {
        let Some((place, _)) = last_row.clone().find(|(place, wanted)| matrix[*place] != *wanted) else { continue };
        for pointer in pointers {
            let given = matrix[place];
            let message =
                format!("Matrix element at index {index} (component index {place}) contains invalid value: {given}.");
            report.error("ACCESSOR_INVALID_IBM", pointer, message);
        }
        return;
    }
}

/// Three or four components an element.
fn check_unit(accessor: &Accessor, values: &[f64], pointers: &[String], report: &mut Report) {
    let format = accessor.format;
    let mut off_length: Option<(usize, f64)> = None;
    let mut off_sign: Option<(usize, f64)> = None;
    let mut count = 0_usize;
    for (index, element) in values.chunks_exact(format.components()).enumerate() {
        let length =
            element.iter().take(3).map(|part| format.decode(*part)).map(|part| part * part).sum::<f64>().sqrt();
        if (length - 1.0).abs() > TOLERANCES.unit_vector {
            off_length.get_or_insert((index, length));
            count += 1;
        }
        let sign = element.get(3).map(|sign| format.decode(*sign));
        if let Some(sign) = sign.filter(|sign| sign.abs() != 1.0) {
            off_sign.get_or_insert((index, sign));
        }
    }
    for pointer in pointers {
        if let Some((index, length)) = off_length {
            let message =
                format!("{count} vectors are not of unit length; the first is element {index} of length {length}.");
            report.error("ACCESSOR_VECTOR3_NON_UNIT", pointer, message);
        }
        if let Some((index, sign)) = off_sign {
            let message = format!("Element {index} has invalid w component: {sign}. Must be 1.0 or -1.0.");
            report.error("ACCESSOR_INVALID_SIGN", pointer, message);
        }
    }
}
