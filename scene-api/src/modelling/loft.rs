//! Solids between sections of one outline.

use super::outline::Outline;
use super::surface::{Face, Surface};
use nalgebra::Point3;

/// A closed solid. Each section has a place for each point of the outline; seen from the section after it, the outline
/// runs counter-clockwise. Where the path is `closed` the last section is followed by the first, else both ends are
/// closed by the outline's triangles. Places that coincide become one, so a section may shrink to a point or a line.
pub(crate) fn loft(outline: &Outline, sections: &[Vec<Point3<f64>>], closed: bool) -> Surface {
    let count = outline.points.len();
    let mut triangles: Vec<[usize; 3]> = Vec::new();
    let steps = if closed { sections.len() } else { sections.len().saturating_sub(1) };
    for step in 0..steps {
        let (low, high) = (step * count, (step + 1) % sections.len() * count);
        for [from, to] in outline.edges.iter().copied() {
            triangles.push([low + from, low + to, high + to]);
            triangles.push([low + from, high + to, high + from]);
        }
    }
    if !closed {
        let last = sections.len().saturating_sub(1) * count;
        triangles.extend(outline.triangles.iter().map(|[a, b, c]| [*a, *c, *b]));
        triangles.extend(outline.triangles.iter().map(|corners| corners.map(|corner| last + corner)));
    }
    let points = sections.iter().flatten().copied().collect();
    let faces = triangles.into_iter().map(|corners| Face { corners, part: 0 }).collect();
    Surface { points, faces }.welded()
}

/// What `loft` makes at most.
pub(crate) fn loft_triangles(outline_points: usize, holes: usize, sections: usize) -> u64 {
    let caps = 2 * (outline_points + 2 * holes);
    (2 * outline_points * sections + caps) as u64
}
