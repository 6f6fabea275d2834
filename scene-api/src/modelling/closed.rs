//! Closed surfaces, by their edges.

use super::surface::Surface;
use crate::tolerances::Tolerances;
use nalgebra::{Point3, Vector3};
use std::collections::BTreeMap;

/// From the lower point to the higher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) ends: [usize; 2],
    /// The face that runs along it, and the one that runs against it.
    pub(crate) faces: [usize; 2],
}

impl Edge {
    /// The other of its two faces.
    pub(crate) fn beyond(&self, face: usize) -> usize {
        let [along, against] = self.faces;
        if along == face { against } else { along }
    }
}

/// A surface each edge of which has two faces, that run along it in opposite directions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Closed {
    pub(crate) surface: Surface,
    pub(crate) edges: Vec<Edge>,
    /// Of each face, from each of its corners to the next; indices into `edges`.
    pub(crate) sides: Vec<[usize; 3]>,
}

impl Closed {
    /// `None` where an edge has not just two faces, or has two that disagree; also without any face.
    pub(crate) fn of(surface: &Surface) -> Option<Self> {
        let mut found: BTreeMap<[usize; 2], [Option<usize>; 2]> = BTreeMap::new();
        for (index, face) in surface.faces.iter().enumerate() {
            for [from, to] in around(face.corners) {
                let uses = found.entry(sorted(from, to)).or_default();
                if uses[usize::from(from > to)].replace(index).is_some() {
                    return None;
                }
            }
        }
        let number: BTreeMap<[usize; 2], usize> = found.keys().copied().zip(0..).collect();
        let edges: Option<Vec<Edge>> =
            found.into_iter().map(|(ends, [along, against])| Some(Edge { ends, faces: [along?, against?] })).collect();
        let side = |[from, to]: [usize; 2]| number[&sorted(from, to)];
        let sides = surface.faces.iter().map(|face| around(face.corners).map(side)).collect();
        let edges = edges.filter(|edges| !edges.is_empty())?;
        Some(Self { surface: surface.clone(), edges, sides })
    }

    /// Negative where the faces look inward.
    pub(crate) fn volume_m3(&self) -> f64 {
        let origin = self.surface.points.first().copied().unwrap_or_else(Point3::origin);
        let cones = self.surface.faces.iter().map(|face| {
            let [a, b, c] = self.surface.corners(face).map(|corner| corner - origin);
            a.dot(&b.cross(&c)) / 6.0
        });
        cones.sum()
    }

    pub(crate) fn area_m2(&self) -> f64 {
        self.surface.faces.iter().map(|face| self.surface.doubled_area(face).norm() / 2.0).sum()
    }

    /// Zero for a face without area.
    pub(crate) fn normal(&self, face: usize) -> Vector3<f64> {
        let doubled = self.surface.doubled_area(&self.surface.faces[face]);
        doubled.try_normalize(0.0).unwrap_or_else(Vector3::zeros)
    }

    /// At each point the normals of its faces, weighted by the angles that they take there. Parts that are only rounding
    /// are 0.
    pub(crate) fn point_normals(&self) -> Vec<Vector3<f64>> {
        let mut sums = vec![Vector3::<f64>::zeros(); self.surface.points.len()];
        for (index, face) in self.surface.faces.iter().enumerate() {
            let normal = self.normal(index);
            for (point, angle_rad) in face.corners.into_iter().zip(self.surface.angles_rad(face)) {
                sums[point] += normal * angle_rad;
            }
        }
        let axis_share = Tolerances::default().axis_share;
        let rounded = sums.into_iter().map(|sum| {
            let least = axis_share * sum.amax();
            sum.map(|part| if part.abs() < least { 0.0 } else { part })
        });
        rounded.collect()
    }

    /// For each face the first one of its facet: of what hangs together in one plane, to within `distance_m`, and in one
    /// part.
    pub(crate) fn facets(&self, distance_m: f64) -> Vec<usize> {
        let faces = &self.surface.faces;
        let mut facet_of: Vec<Option<usize>> = vec![None; faces.len()];
        for (seed, first) in faces.iter().enumerate() {
            if facet_of[seed].is_some() {
                continue;
            }
            let normal = self.normal(seed);
            let [origin, ..] = self.surface.corners(first);
            let belongs = |face: usize| {
                let other = &faces[face];
                let mut corners = self.surface.corners(other).into_iter();
                other.part == first.part
                    && self.normal(face).dot(&normal) > 0.0
                    && corners.all(|corner| normal.dot(&(corner - origin)).abs() <= distance_m)
            };
            facet_of[seed] = Some(seed);
            let mut open = vec![seed];
            while let Some(face) = open.pop() {
                for side in self.sides[face] {
                    let beyond = self.edges[side].beyond(face);
                    if facet_of[beyond].is_none() && belongs(beyond) {
                        facet_of[beyond] = Some(seed);
                        open.push(beyond);
                    }
                }
            }
        }
        facet_of.into_iter().enumerate().map(|(face, facet)| facet.unwrap_or(face)).collect()
    }
}

fn around([a, b, c]: [usize; 3]) -> [[usize; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

fn sorted(from: usize, to: usize) -> [usize; 2] {
    [from.min(to), from.max(to)]
}
