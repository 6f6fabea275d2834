//! A baked mesh as graphics cards take it: single precision, unit normals, one list of triangles per surface.

use crate::{BakedMesh, Surface};
use nalgebra::Vector3;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct DrawnMesh {
    /// World space, metres; finite.
    pub positions_m: Vec<[f32; 3]>,
    /// World space, unit, one per position: the mesh's own, or the faces' where it has none that can be used.
    pub normals: Vec<[f32; 3]>,
    /// TEXCOORD_0: one per position, or none.
    pub uvs: Vec<[f32; 2]>,
    pub parts: Vec<DrawnPart>,
}

/// The triangles of one surface that can be seen.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnPart {
    pub surface: Surface,
    /// Three per triangle, counter-clockwise seen from outside, each < `positions_m.len()`.
    pub indices: Vec<u32>,
}

impl BakedMesh {
    /// Left out are invisible surfaces (see [`Surface::is_visible`]), indices out of range, positions that are not
    /// finite and faces without area. A mesh with a normal that is missing, zero or not finite is drawn with flat
    /// faces.
    #[must_use]
    pub fn drawn(&self, least_alpha: f64) -> DrawnMesh {
        let mut parts: Vec<DrawnPart> =
            self.surfaces.iter().map(|surface| DrawnPart { surface: *surface, indices: Vec::new() }).collect();
        if parts.is_empty() {
            parts.push(DrawnPart { surface: Surface::WITHOUT_MATERIAL, indices: Vec::new() });
        }
        let uvs = self.uvs.as_deref().filter(|uvs| uvs.len() == self.positions.len()).unwrap_or_default();
        let mut drawn = match self.unit_normals() {
            Some(normals) => {
                let positions_m = self.positions.iter().map(|position| single(&position.coords)).collect();
                DrawnMesh { positions_m, normals, uvs: uvs.to_vec(), parts }
            }
            None => DrawnMesh { parts, ..DrawnMesh::default() },
        };
        let smooth = !drawn.normals.is_empty();
        // Per corner of a flat mesh the drawn corner that was made of it last: faces of one plane share it.
        let mut last = vec![None; if smooth { 0 } else { self.positions.len() }];
        for (index, corners) in self.triangles.iter().enumerate() {
            let surface = self.triangle_surface.get(index).map_or(0, |surface| *surface as usize);
            let Some(face) = self.face_normal(corners) else { continue };
            let Some(part) = drawn.parts.get_mut(surface).filter(|part| part.surface.is_visible(least_alpha)) else {
                continue;
            };
            if smooth {
                part.indices.extend(corners);
                continue;
            }
            let normal = single(&face);
            for corner in corners.map(|corner| corner as usize) {
                let shared = last[corner].filter(|vertex: &u32| drawn.normals[*vertex as usize] == normal);
                part.indices.push(shared.unwrap_or_else(|| {
                    drawn.positions_m.push(single(&self.positions[corner].coords));
                    drawn.normals.push(normal);
                    drawn.uvs.extend(uvs.get(corner));
                    (drawn.normals.len() - 1) as u32
                }));
                last[corner] = part.indices.last().copied();
            }
        }
        for position in drawn.positions_m.iter_mut().filter(|position| !position.iter().all(|m| m.is_finite())) {
            *position = [0.0; 3];
        }
        drawn.parts.retain(|part| !part.indices.is_empty());
        drawn
    }

    fn unit_normals(&self) -> Option<Vec<[f32; 3]>> {
        let normals = self.normals.as_ref().filter(|normals| normals.len() == self.positions.len())?;
        let unit = |normal: &Vector3<f64>| Some(single(&normal.try_normalize(0.0)?)).filter(finite);
        normals.iter().map(unit).collect()
    }

    /// `None` where a corner is missing or not finite in single precision, and where the face has no area.
    fn face_normal(&self, corners: &[u32; 3]) -> Option<Vector3<f64>> {
        let at = |corner: u32| self.positions.get(corner as usize).map(|position| position.coords);
        let [first, second, third] = *corners;
        let (a, b, c) = (at(first)?, at(second)?, at(third)?);
        let corners_are_finite = [a, b, c].iter().all(|corner| finite(&single(corner)));
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0)?;
        (corners_are_finite && finite(&single(&normal))).then_some(normal)
    }
}

fn single(vector: &Vector3<f64>) -> [f32; 3] {
    [vector.x as f32, vector.y as f32, vector.z as f32]
}

fn finite(vector: &[f32; 3]) -> bool {
    vector.iter().all(|value| value.is_finite())
}
