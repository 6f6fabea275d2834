//! The solid that a mesh stands for: welded, each face once, faces turned to agree with their neighbours, closed parts
//! turned outwards, and whatever lies inside another closed part left out.
//!
//! A flipped face or an inside-out shell is a finding about normals; it must not make a hole in the volume. Nor does a
//! sealed cavity: a body's inside is its own, or a shell of any thinness could share its place with others. (A solid
//! modeller such as manifold3d calls the cavity empty.)

use std::ops::Range;

use nalgebra::Point3;

use crate::broad_phase::all_apart;
use crate::components::{Components, NONE, components};
use crate::nesting::nesting_depths;
use crate::topology::Topology;
use crate::{Aabb, Mesh, Tolerances};

#[derive(Clone, Debug)]
pub(crate) struct Solid {
    pub(crate) points: Vec<Point3<f64>>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// The triangle across each side (corner i to corner i + 1), or `NONE`.
    pub(crate) across: Vec<[u32; 3]>,
    /// Each edge is run as often one way as the other, so that winding numbers are defined everywhere.
    pub(crate) closed: bool,
    pub(crate) parts: Vec<Part>,
}

/// What is connected through two-face edges; has points of its own, even where another part has one at the same place.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) points: Range<usize>,
    pub(crate) triangles: Range<usize>,
    pub(crate) aabb: Aabb,
    pub(crate) closed: bool,
    pub(crate) area_m2: f64,
    /// 0 unless the part is closed.
    pub(crate) volume_m3: f64,
}

impl Solid {
    pub(crate) fn new(mesh: &Mesh, tolerances: &Tolerances) -> Self {
        let topology = Topology::new(mesh, tolerances).distinct();
        let Components { components, part_of, turned, across } = components(&topology);
        let depths = nesting_depths(&topology, &components, &part_of, tolerances);
        let outermost = || components.iter().zip(&depths).filter(|(_, depth)| **depth == 0).map(|(part, _)| part);
        let is_reversed = |face: usize| {
            let part = &components[part_of[face]];
            turned[face] != (part.closed && part.signed_volume_m3 < 0.0)
        };
        let mut number = vec![NONE; topology.faces.len()];
        for (triangle, &face) in outermost().flat_map(|part| &part.faces).enumerate() {
            number[face] = triangle as u32;
        }

        let mut solid =
            Self { points: Vec::new(), triangles: Vec::new(), across: Vec::new(), closed: false, parts: Vec::new() };
        let mut compact = vec![NONE; topology.mesh.positions.len()];
        for part in outermost() {
            let (first_point, first_triangle) = (solid.points.len(), solid.triangles.len());
            for &face in &part.faces {
                let mut corners = topology.faces[face].vertices.map(|vertex| {
                    let index = &mut compact[vertex as usize];
                    if *index == NONE || (*index as usize) < first_point {
                        *index = solid.points.len() as u32;
                        solid.points.push(topology.point(vertex));
                    }
                    *index
                });
                let mut sides = across[face].map(|other| number.get(other as usize).copied().unwrap_or(NONE));
                if is_reversed(face) {
                    corners.swap(1, 2);
                    sides.swap(0, 2);
                }
                solid.triangles.push(corners);
                solid.across.push(sides);
            }
            let Some(aabb) = Aabb::around(solid.points[first_point..].iter().copied()) else { continue };
            solid.parts.push(Part {
                points: first_point..solid.points.len(),
                triangles: first_triangle..solid.triangles.len(),
                aabb,
                closed: part.closed,
                area_m2: part.area_m2,
                volume_m3: if part.closed { part.signed_volume_m3.abs() } else { 0.0 },
            });
        }
        solid.closed = !solid.triangles.is_empty()
            && topology.edges().all(|edge| {
                let uses = edge.iter().filter(|u| number[u.face] != NONE);
                uses.map(|u| if u.forward != is_reversed(u.face) { 1_i32 } else { -1 }).sum::<i32>() == 0
            });
        solid
    }

    /// Exact volume; `None` where it needs columns: an open surface, or parts that may share volume.
    pub(crate) fn volume_m3(&self) -> Option<f64> {
        let boxes: Vec<Aabb> = self.parts.iter().map(|part| part.aabb).collect();
        let exact = self.closed && self.parts.iter().all(|part| part.closed) && all_apart(&boxes);
        exact.then(|| self.parts.iter().map(|part| part.volume_m3).sum())
    }

    pub(crate) fn area_m2(&self) -> f64 {
        self.parts.iter().map(|part| part.area_m2).sum()
    }
}
