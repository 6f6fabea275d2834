//! The solid that a mesh stands for: welded, each face once, faces turned to agree with their neighbours.
//!
//! A flipped face or an inside-out shell is a finding about normals; it must not make a hole in the volume.

use nalgebra::Point3;

use crate::{Mesh, Tolerances, topology::Topology};

/// Marks a side that does not join exactly two triangles.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(crate) struct Solid {
    pub(crate) points: Vec<Point3<f64>>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// The triangle across each side (corner i to corner i + 1), or `NONE`.
    pub(crate) across: Vec<[u32; 3]>,
    /// Each edge is run as often one way as the other, so that winding numbers are defined everywhere.
    pub(crate) closed: bool,
    /// Signed volumes in m³ of the parts connected through two-face edges; without meaning unless `closed`.
    pub(crate) parts_m3: Vec<f64>,
}

impl Solid {
    pub(crate) fn new(mesh: &Mesh, tolerances: &Tolerances) -> Self {
        let topology = Topology::new(mesh, tolerances);
        let (points, triangles, kept) = distinct_triangles(&topology);
        let mut across = vec![[NONE; 3]; triangles.len()];
        let mut agrees = vec![[true; 3]; triangles.len()];
        for edge in topology.edges() {
            let mut uses = edge.iter().filter(|u| kept[u.face] != NONE);
            let (Some(a), Some(b), None) = (uses.next(), uses.next(), uses.next()) else { continue };
            for (own, other) in [(a, b), (b, a)] {
                let start = if own.forward { own.low } else { own.high };
                let corners = topology.faces[own.face].vertices;
                let side = corners.iter().position(|&v| v == start).unwrap_or(0);
                across[kept[own.face] as usize][side] = kept[other.face];
                agrees[kept[own.face] as usize][side] = own.forward != other.forward;
            }
        }

        let mut solid = Self { points, triangles, across, closed: true, parts_m3: Vec::new() };
        let (turned, parts) = solid.agreement(&agrees);
        for (triangle, _) in turned.iter().enumerate().filter(|(_, turned)| **turned) {
            solid.reverse(triangle);
        }
        solid.closed = !solid.triangles.is_empty()
            && topology.edges().all(|edge| {
                let uses = edge.iter().filter(|u| kept[u.face] != NONE);
                uses.map(|u| if u.forward != turned[kept[u.face] as usize] { 1_i32 } else { -1 }).sum::<i32>() == 0
            });
        solid.parts_m3 = parts.iter().map(|part| solid.signed_volume_m3(part)).collect();
        if solid.closed
            && let [volume_m3] = solid.parts_m3[..]
            && volume_m3 < 0.0
        {
            (0..solid.triangles.len()).for_each(|triangle| solid.reverse(triangle));
            solid.parts_m3 = vec![-volume_m3];
        }
        solid
    }

    /// Exact volume; `None` where it needs columns: an open surface, or parts of both signs (cavities, or siblings of
    /// which one is inside out).
    pub(crate) fn volume_m3(&self) -> Option<f64> {
        let one_sign = self.parts_m3.iter().all(|v| *v >= 0.0) || self.parts_m3.iter().all(|v| *v <= 0.0);
        (self.closed && one_sign).then(|| self.parts_m3.iter().sum::<f64>().abs())
    }

    /// Which triangles to turn so that each connected part agrees with the greater part of its own area, and the
    /// triangles of each part.
    fn agreement(&self, agrees: &[[bool; 3]]) -> (Vec<bool>, Vec<Vec<usize>>) {
        let count = self.triangles.len();
        let (mut seen, mut turned, mut parts) = (vec![false; count], vec![false; count], Vec::new());
        for seed in 0..count {
            if seen[seed] {
                continue;
            }
            seen[seed] = true;
            let mut part = vec![seed];
            let mut at = 0;
            while let Some(&triangle) = part.get(at) {
                at += 1;
                for (&other, &agrees) in self.across[triangle].iter().zip(&agrees[triangle]) {
                    if other != NONE && !seen[other as usize] {
                        seen[other as usize] = true;
                        turned[other as usize] = turned[triangle] == agrees;
                        part.push(other as usize);
                    }
                }
            }
            let area = |want: bool| part.iter().filter(|&&i| turned[i] == want).map(|&i| self.area_m2(i)).sum::<f64>();
            if area(true) > area(false) {
                part.iter().for_each(|&i| turned[i] = !turned[i]);
            }
            parts.push(part);
        }
        (turned, parts)
    }

    fn reverse(&mut self, triangle: usize) {
        self.triangles[triangle].swap(1, 2);
        self.across[triangle].swap(0, 2);
    }

    fn corners(&self, triangle: usize) -> [Point3<f64>; 3] {
        self.triangles[triangle].map(|v| self.points[v as usize])
    }

    fn area_m2(&self, triangle: usize) -> f64 {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(&(c - a)).norm() / 2.0
    }

    /// Sum of tetrahedra from one of the part's own corners, so that a place far from the origin costs no digits.
    fn signed_volume_m3(&self, part: &[usize]) -> f64 {
        let Some(&first) = part.first() else { return 0.0 };
        let [apex, ..] = self.corners(first);
        let sixfold: f64 = part
            .iter()
            .map(|&triangle| {
                let [a, b, c] = self.corners(triangle).map(|p| p - apex);
                a.dot(&b.cross(&c))
            })
            .sum();
        sixfold / 6.0
    }
}

/// Points in order of use, triangles over them without repetitions of the same three vertices, and for each face of
/// the topology its triangle or `NONE`.
fn distinct_triangles(topology: &Topology) -> (Vec<Point3<f64>>, Vec<[u32; 3]>, Vec<u32>) {
    let mut order: Vec<([u32; 3], usize)> = topology
        .faces
        .iter()
        .enumerate()
        .map(|(face, f)| {
            let mut key = f.vertices;
            key.sort_unstable();
            (key, face)
        })
        .collect();
    order.sort_unstable();
    order.dedup_by_key(|(key, _)| *key);
    order.sort_unstable_by_key(|(_, face)| *face);

    let mut compact = vec![NONE; topology.mesh.positions.len()];
    let mut kept = vec![NONE; topology.faces.len()];
    let (mut points, mut triangles) = (Vec::new(), Vec::with_capacity(order.len()));
    for (_, face) in order {
        kept[face] = triangles.len() as u32;
        triangles.push(topology.faces[face].vertices.map(|vertex| {
            let index = &mut compact[vertex as usize];
            if *index == NONE {
                *index = points.len() as u32;
                points.push(topology.point(vertex));
            }
            *index
        }));
    }
    (points, triangles, kept)
}
