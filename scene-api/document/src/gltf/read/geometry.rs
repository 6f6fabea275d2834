//! Primitives as triangles: lists, strips and fans; plain, quantised and sparse accessors.

use super::super::check::{Accessor, Document};
use super::{deformation, invalid, kept, look, ordinal, within};
use crate::gltf::{Limits, ReadError};
use crate::{Geometry, MaterialId, Mesh, Primitive, Triangles};
use ::gltf::json::accessor::Type;
use ::gltf::json::mesh::{self, Mode, Semantic};
use ::gltf::json::validation::Checked;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Mode; accessors of positions, normals, texture coordinates and indices.
type ModeAndAccessors = (u32, Option<usize>, Option<usize>, Option<usize>, Option<usize>);

/// Reads meshes one after the other and counts what they come to in world space.
pub(super) struct Meshes<'a> {
    pub(super) document: &'a Document,
    pub(super) limits: &'a Limits,
    vertices: u64,
    triangles: u64,
    pub(super) deformation_numbers: u64,
    /// Primitives that read the same data share it.
    shared: BTreeMap<ModeAndAccessors, Arc<Triangles>>,
}

impl<'a> Meshes<'a> {
    pub(super) fn new(document: &'a Document, limits: &'a Limits) -> Self {
        Self { document, limits, vertices: 0, triangles: 0, deformation_numbers: 0, shared: BTreeMap::new() }
    }

    /// `uses`: by how many nodes.
    pub(super) fn mesh(&mut self, place: usize, uses: u64) -> Result<Mesh, ReadError> {
        let document = self.document;
        let pointer = format!("/meshes/{place}/primitives");
        let json = document.list("meshes").get(place).unwrap_or(&Value::Null);
        let Some(primitives) = json.get("primitives").and_then(Value::as_array) else {
            return Err(invalid("TYPE_MISMATCH", &pointer, "Type mismatch. Property value is not a 'array'.".into()));
        };
        let mut read = Vec::with_capacity(primitives.len());
        for (index, primitive) in primitives.iter().enumerate() {
            read.push(self.primitive(primitive, uses, &format!("{pointer}/{index}"))?);
        }
        let targets = read.first().map_or(0, |primitive| primitive.geometry.target_count());
        let target_names = deformation::target_names(json, targets);
        let covered = if target_names.is_empty() { &MESH_MEMBERS[..3] } else { MESH_MEMBERS };
        Ok(Mesh {
            name: look::name(json),
            primitives: read,
            weights: deformation::weights(json, targets),
            target_names,
            kept: kept(json, covered),
        })
    }

    fn primitive(&mut self, json: &Value, uses: u64, pointer: &str) -> Result<Primitive, ReadError> {
        let typed = mesh::Primitive::deserialize(json)
            .map_err(|error| invalid("TYPE_MISMATCH", pointer, format!("Not a mesh primitive: {error}.")))?;
        let Checked::Valid(mode) = typed.mode else {
            return Err(invalid("VALUE_NOT_IN_RANGE", &format!("{pointer}/mode"), "No such mode.".into()));
        };
        let material = match typed.material.map(|material| material.value()) {
            Some(place) if place >= self.document.list("materials").len() => {
                let message = format!("Unresolved reference: {place}.");
                return Err(invalid("UNRESOLVED_REFERENCE", &format!("{pointer}/material"), message));
            }
            place => place.map(|place| MaterialId(ordinal(place))),
        };
        let attribute = |semantic| typed.attributes.get(&Checked::Valid(semantic)).map(|accessor| accessor.value());
        let source = Accessors {
            positions: attribute(Semantic::Positions),
            normals: attribute(Semantic::Normals),
            uvs: attribute(Semantic::TexCoords(0)),
            indices: typed.indices.map(|accessor| accessor.value()),
        };
        let triangles = self.triangles(mode, &source, uses, pointer)?;
        let deformation = self.deformation(&typed, triangles.positions.len(), uses, pointer)?;
        let geometry = Geometry::Imported { triangles, deformation, primitive: Arc::new(json.clone()) };
        Ok(Primitive { geometry, material })
    }

    fn triangles(
        &mut self,
        mode: Mode,
        source: &Accessors,
        uses: u64,
        pointer: &str,
    ) -> Result<Arc<Triangles>, ReadError> {
        let Accessors { positions, normals, uvs, indices } = *source;
        let Some(positions) = positions else {
            self.count(1, 0, uses)?;
            return Ok(Arc::default());
        };
        let positions_at = format!("{pointer}/attributes/POSITION");
        let normals_at = format!("{pointer}/attributes/NORMAL");
        let indices_at = format!("{pointer}/indices");

        let vertices = self.accessor(positions, &positions_at)?.count;
        let corners = match indices {
            Some(indices) => self.accessor(indices, &indices_at)?.count,
            None => vertices,
        };
        self.count(vertices, triangle_count(mode, corners), uses)?;
        if let Some(normals) = normals
            && self.accessor(normals, &normals_at)?.count != vertices
        {
            let message = "All accessors of the same primitive must have the same count.";
            return Err(invalid("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", &normals_at, message.into()));
        }

        let key = (mode.as_gl_enum(), Some(positions), normals, uvs, indices);
        if let Some(triangles) = self.shared.get(&key) {
            return Ok(Arc::clone(triangles));
        }
        let positions = self.vectors(positions, &positions_at)?;
        let normals = normals.map(|normals| self.vectors(normals, &normals_at)).transpose()?;
        let uvs = uvs.and_then(|uvs| self.uvs(uvs, vertices));
        let triangles = if triangle_count(mode, corners) == 0 {
            Vec::new()
        } else {
            let corners = match indices {
                Some(indices) => self.corners(indices, positions.len(), &indices_at)?,
                None => (0..positions.len()).map(corner).collect(),
            };
            assemble(mode, &corners)
        };
        let triangles = Arc::new(Triangles { positions, normals, uvs, triangles });
        self.shared.insert(key, Arc::clone(&triangles));
        Ok(triangles)
    }

    /// What one primitive comes to; nothing is allocated before its count is within the limits.
    fn count(&mut self, vertices: u64, triangles: u64, uses: u64) -> Result<(), ReadError> {
        self.vertices = self.vertices.saturating_add(vertices.saturating_mul(uses));
        self.triangles = self.triangles.saturating_add(triangles.saturating_mul(uses));
        within("vertices", self.vertices, self.limits.vertices)?;
        within("triangles", self.triangles, self.limits.triangles)
    }

    /// An accessor whose count its bytes bear out, if it has any.
    pub(super) fn accessor(&self, place: usize, pointer: &str) -> Result<&'a Accessor, ReadError> {
        let message = || format!("Unresolved reference: {place}.");
        let accessor =
            self.document.accessor(place).ok_or_else(|| invalid("UNRESOLVED_REFERENCE", pointer, message()))?;
        if self.document.fits(accessor) { Ok(accessor) } else { Err(unreadable(place)) }
    }

    pub(super) fn vectors(&self, place: usize, pointer: &str) -> Result<Vec<[f32; 3]>, ReadError> {
        let accessor = self.accessor(place, pointer)?;
        let format = accessor.format;
        if format.kind != Type::Vec3 {
            let message = format!("Invalid accessor format {format:?} for this attribute semantic.");
            return Err(invalid("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", pointer, message));
        }
        let values = self.document.elements(accessor).ok_or_else(|| unreadable(place))?;
        if let Some(broken) = values.iter().position(|value| !value.is_finite()) {
            let message = format!("Accessor element at index {broken} is not finite.");
            return Err(invalid("ACCESSOR_INVALID_FLOAT", &format!("/accessors/{place}"), message));
        }
        let part = |stored: f64| format.decode(stored) as f32;
        Ok(values.chunks_exact(3).map(|vector| [part(vector[0]), part(vector[1]), part(vector[2])]).collect())
    }

    /// `None` where they are malformed, which the report has as an error: they move nothing.
    fn uvs(&self, place: usize, vertices: u64) -> Option<Vec<[f32; 2]>> {
        let accessor = self.document.accessor(place).filter(|accessor| self.document.fits(accessor))?;
        if accessor.format.kind != Type::Vec2 || accessor.count != vertices {
            return None;
        }
        let part = |stored: f64| accessor.format.decode(stored) as f32;
        let values = self.document.elements(accessor)?;
        let uvs: Vec<[f32; 2]> = values.chunks_exact(2).map(|pair| [part(pair[0]), part(pair[1])]).collect();
        uvs.iter().flatten().all(|part| part.is_finite()).then_some(uvs)
    }

    fn corners(&self, place: usize, vertices: usize, pointer: &str) -> Result<Vec<u32>, ReadError> {
        let accessor = self.accessor(place, pointer)?;
        if !accessor.is_indices() {
            let message = format!("Invalid indices accessor format {:?}.", accessor.format);
            return Err(invalid("MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", pointer, message));
        }
        let values = self.document.elements(accessor).ok_or_else(|| unreadable(place))?;
        if let Some((index, value)) = values.iter().enumerate().find(|(_, value)| **value >= vertices as f64) {
            let message =
                format!("Indices accessor element at index {index} is {value}; there are {vertices} vertices.");
            return Err(invalid("ACCESSOR_INDEX_OOB", pointer, message));
        }
        Ok(values.into_iter().map(|value| value as u32).collect())
    }
}

pub(super) fn unreadable(accessor: usize) -> ReadError {
    let message = "The bytes of the accessor are missing or do not fit.";
    invalid("ACCESSOR_TOO_LONG", &format!("/accessors/{accessor}"), message.into())
}

/// Members of a mesh that `Mesh`'s fields cover; names of morph targets only where they are well-formed.
const MESH_MEMBERS: &[&[&str]] = &[&["name"], &["primitives"], &["weights"], &["extras", "targetNames"]];

/// Places of a primitive's accessors.
struct Accessors {
    positions: Option<usize>,
    normals: Option<usize>,
    uvs: Option<usize>,
    indices: Option<usize>,
}

/// Below the limit on vertices, which is far below 2³².
fn corner(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

fn triangle_count(mode: Mode, corners: u64) -> u64 {
    match mode {
        Mode::Triangles => corners / 3,
        Mode::TriangleStrip | Mode::TriangleFan => corners.saturating_sub(2),
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => 0,
    }
}

/// glTF 2.0 §3.7.2.1. Strips stitch their parts with triangles of no area; those are dropped.
fn assemble(mode: Mode, corners: &[u32]) -> Vec<[u32; 3]> {
    match mode {
        Mode::Triangles => corners.chunks_exact(3).map(|corner| [corner[0], corner[1], corner[2]]).collect(),
        Mode::TriangleStrip => {
            let triangles = corners.windows(3).enumerate().map(|(index, corner)| {
                if index.is_multiple_of(2) {
                    [corner[0], corner[1], corner[2]]
                } else {
                    [corner[0], corner[2], corner[1]]
                }
            });
            triangles.filter(|[a, b, c]| a != b && b != c && c != a).collect()
        }
        Mode::TriangleFan => match corners {
            [hub, rim @ ..] => rim.windows(2).map(|corner| [corner[0], corner[1], *hub]).collect(),
            [] => Vec::new(),
        },
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => Vec::new(),
    }
}
