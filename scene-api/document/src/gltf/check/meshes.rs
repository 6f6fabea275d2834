//! Mesh primitives: attributes, indices, morph targets, and what their material needs.

use super::attributes::{check_names, format_allowed, is_target_attribute};
use super::document::{Accessor, Document};
use super::report::Report;
use super::schema::join;
use super::usage::Usage;
use ::gltf::json::accessor::{ComponentType, Type};
use serde_json::{Map, Value};

pub(super) fn check(document: &Document, usage: &mut Usage, report: &mut Report) {
    let quantized = document.uses("KHR_mesh_quantization");
    for (mesh_index, mesh) in document.list("meshes").iter().enumerate() {
        let primitives = super::document::list(mesh, "primitives");
        let target_count = |primitive: &Value| primitive.get("targets").and_then(Value::as_array).map_or(0, Vec::len);
        let first_targets = primitives.first().map_or(0, target_count);
        for (index, primitive) in primitives.iter().enumerate() {
            let pointer = format!("/meshes/{mesh_index}/primitives/{index}");
            let targets = target_count(primitive);
            if targets != first_targets {
                let place = if targets > 0 { format!("{pointer}/targets") } else { pointer.clone() };
                let message = "All primitives must have the same number of morph targets.";
                report.error("MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT", &place, message);
            }
            Checker { document, quantized, usage: &mut *usage, report: &mut *report }.primitive(primitive, &pointer);
        }
        if let Some(weights) = mesh.get("weights").and_then(Value::as_array)
            && weights.len() != first_targets
        {
            let message = format!(
                "The length of weights array ({}) does not match the number of morph targets ({first_targets}).",
                weights.len()
            );
            report.error("MESH_INVALID_WEIGHTS_COUNT", &format!("/meshes/{mesh_index}/weights"), message);
        }
    }
}

struct Checker<'a> {
    document: &'a Document,
    quantized: bool,
    usage: &'a mut Usage,
    report: &'a mut Report,
}

impl Checker<'_> {
    fn primitive(&mut self, primitive: &Value, pointer: &str) {
        let Some(attributes) = primitive.get("attributes").and_then(Value::as_object) else { return };
        let place = format!("{pointer}/attributes");
        let texcoords = if attributes.is_empty() { 0 } else { check_names(attributes, &place, self.report) };
        let vertices = self.attributes(attributes, &place);
        let indices = self.indices(primitive, pointer);
        self.mode(primitive, indices.or(vertices), pointer);
        self.material(primitive, texcoords, pointer);
        let targets = primitive.get("targets").and_then(Value::as_array);
        for (index, target) in targets.into_iter().flatten().enumerate() {
            if let Some(target) = target.as_object() {
                self.target(attributes, target, &format!("{pointer}/targets/{index}"));
            }
        }
    }

    /// The number of vertices.
    fn attributes(&mut self, attributes: &Map<String, Value>, pointer: &str) -> Option<u64> {
        let document = self.document;
        let mut vertices = None;
        for (semantic, value) in attributes {
            let Some(index) = super::index(Some(value)) else { continue };
            let Some(accessor) = document.accessor(index) else { continue };
            let place = join(pointer, semantic);
            self.attribute(semantic, (index, accessor), false, &place);
            if *vertices.get_or_insert(accessor.count) != accessor.count {
                let message = "All accessors of the same primitive must have the same count.";
                self.report.error("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", &place, message);
            }
        }
        vertices
    }

    fn attribute(&mut self, semantic: &str, (index, accessor): (usize, &Accessor), is_target: bool, place: &str) {
        self.usage.accessor(index, "VertexAttribute", place, self.report);
        if let Some(view) = accessor.view {
            self.usage.view(view, "VertexBuffer", place, self.report);
        }
        if semantic == "POSITION" && (accessor.min.is_none() || accessor.max.is_none()) {
            let message = "accessor.min and accessor.max must be defined for POSITION attribute accessor.";
            self.report.error("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", place, message);
        }
        match format_allowed(semantic, accessor.format, is_target, self.quantized) {
            Some(false) => {
                let format = accessor.format;
                let message = format!("Invalid accessor format {format:?} for this attribute semantic.");
                self.report.error("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", place, message);
            }
            None if accessor.format.component == ComponentType::U32 && !is_target => {
                let message = "Mesh attributes cannot use UNSIGNED_INT component type.";
                self.report.error("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", place, message);
            }
            _ => {}
        }
        let view = accessor.view.and_then(|view| Some((view, self.document.view(view)?)));
        let unstrided = view.filter(|(_, view)| view.stride.is_none()).map(|(index, _)| index);
        let unaligned = unstrided.is_some() && !accessor.format.length().is_multiple_of(4);
        if unaligned || !accessor.offset.is_multiple_of(4) {
            let message = "Vertex attribute data must be aligned to 4-byte boundaries.";
            self.report.error("MESH_PRIMITIVE_ACCESSOR_UNALIGNED", place, message);
        }
        if let Some(view) = unstrided {
            self.usage.unstrided(view, index, place, self.report);
        }
    }

    /// The number of indices.
    fn indices(&mut self, primitive: &Value, pointer: &str) -> Option<u64> {
        let index = super::index(primitive.get("indices"))?;
        let accessor = self.document.accessor(index)?;
        let place = format!("{pointer}/indices");
        self.usage.accessor(index, "PrimitiveIndices", &place, self.report);
        if let Some(view) = accessor.view {
            self.usage.view(view, "IndexBuffer", &place, self.report);
            if self.document.view(view).is_some_and(|view| view.stride.is_some()) {
                let message = "bufferView.byteStride must not be defined for indices accessor.";
                self.report.error("MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE", &place, message);
            }
        }
        if !accessor.is_indices() {
            let message = format!("Invalid indices accessor format {:?}.", accessor.format);
            self.report.error("MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", &place, message);
        }
        Some(accessor.count)
    }

    fn mode(&mut self, primitive: &Value, count: Option<u64>, pointer: &str) {
        let Some(count) = count else { return };
        let mode = primitive.get("mode").map_or(Some(4), super::uint);
        let incompatible = match mode {
            Some(1) => !count.is_multiple_of(2),
            Some(2 | 3) => count < 2,
            Some(4) => !count.is_multiple_of(3),
            Some(5 | 6) => count < 3,
            _ => false,
        };
        if incompatible {
            let message = format!("Number of vertices or indices ({count}) is not compatible with used drawing mode.");
            self.report.warning("MESH_PRIMITIVE_INCOMPATIBLE_MODE", pointer, message);
        }
    }

    /// `texcoords`: sets of texture coordinates that the primitive has.
    fn material(&mut self, primitive: &Value, texcoords: usize, pointer: &str) {
        const TEXTURES: [&str; 5] = [
            "/pbrMetallicRoughness/baseColorTexture",
            "/pbrMetallicRoughness/metallicRoughnessTexture",
            "/normalTexture",
            "/occlusionTexture",
            "/emissiveTexture",
        ];
        let Some(index) = super::index(primitive.get("material")) else { return };
        let Some(material) = self.document.list("materials").get(index) else { return };
        for place in TEXTURES {
            let Some(texture) = material.pointer(place) else { continue };
            let set = texture
                .pointer("/extensions/KHR_texture_transform/texCoord")
                .or_else(|| texture.get("texCoord"))
                .map_or(Some(0), super::uint);
            if texture.is_object() && set.is_some_and(|set| set >= texcoords as u64) {
                let message = format!(
                    "Material is incompatible with mesh primitive: Texture binding '/materials/{index}{place}' needs \
                     'TEXCOORD_{}' attribute.",
                    set.unwrap_or(0)
                );
                self.report.error("MESH_PRIMITIVE_TOO_FEW_TEXCOORDS", &format!("{pointer}/material"), message);
            }
        }
    }

    fn target(&mut self, base: &Map<String, Value>, target: &Map<String, Value>, pointer: &str) {
        let document = self.document;
        for (semantic, value) in target {
            let place = join(pointer, semantic);
            if !is_target_attribute(semantic) {
                self.report.error("MESH_PRIMITIVE_INVALID_ATTRIBUTE", &place, "Invalid attribute name.");
            }
            let Some(index) = super::index(Some(value)) else { continue };
            let Some(accessor) = document.accessor(index) else { continue };
            match base.get(semantic) {
                None => {
                    let message = "The mesh primitive does not define this attribute semantic.";
                    self.report.error("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR", &place, message);
                }
                Some(value) => {
                    let base = super::index(Some(value)).and_then(|base| document.accessor(base));
                    if base.is_some_and(|base| base.count != accessor.count) {
                        let message = "Base accessor has different count.";
                        self.report.error("MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT", &place, message);
                    }
                }
            }
            self.attribute(semantic, (index, accessor), true, &place);
        }
    }
}

impl Accessor {
    /// Whether the format is one that indices may have.
    pub(crate) fn is_indices(&self) -> bool {
        let format = self.format;
        format.kind == Type::Scalar
            && !format.normalized
            && matches!(format.component, ComponentType::U8 | ComponentType::U16 | ComponentType::U32)
    }
}
