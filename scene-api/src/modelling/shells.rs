//! Connected parts of a surface, turned so that their outside is outside.

use super::surface::{Face, Surface};
use crate::tolerances::Tolerances;
use nalgebra::{Point3, Vector3};
use std::collections::BTreeMap;

/// What `outward` did.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outward {
    pub(crate) surface: Surface,
    pub(crate) shells: usize,
    pub(crate) turned: usize,
}

/// Makes neighbours agree and each shell's signed volume positive, about its own middle; a shell that is flat keeps
/// the side of its first triangle. Triangles are neighbours across an edge of just two. A cavity is a shell of its
/// own, and is turned outward too.
pub(crate) fn outward(surface: &Surface) -> Outward {
    let neighbours = neighbours(surface);
    let mut turned: Vec<Option<bool>> = vec![None; surface.faces.len()];
    let mut shells = 0;
    for seed in 0..surface.faces.len() {
        if turned[seed].is_some() {
            continue;
        }
        shells += 1;
        let shell = walked(seed, &neighbours, &mut turned);
        if is_inside_out(surface, &shell, &turned) {
            for face in shell {
                turned[face] = turned[face].map(|is_turned| !is_turned);
            }
        }
    }
    let faces = surface.faces.iter().zip(&turned).map(|(face, turned)| match (turned, face.corners) {
        (Some(true), [a, b, c]) => Face { corners: [a, c, b], ..*face },
        _ => *face,
    });
    let turned = turned.iter().filter(|turned| **turned == Some(true)).count();
    Outward { surface: Surface { points: surface.points.clone(), faces: faces.collect() }, shells, turned }
}

/// The faces that hang together with `seed`; marks each with whether it differs from `seed`.
fn walked(seed: usize, neighbours: &[Vec<(usize, bool)>], turned: &mut [Option<bool>]) -> Vec<usize> {
    turned[seed] = Some(false);
    let mut shell = vec![seed];
    let mut at = 0;
    while let Some(face) = shell.get(at).copied() {
        at += 1;
        let own = turned[face] == Some(true);
        for (other, agrees) in neighbours[face].iter().copied() {
            if turned[other].is_none() {
                turned[other] = Some(own == agrees);
                shell.push(other);
            }
        }
    }
    shell
}

fn is_inside_out(surface: &Surface, shell: &[usize], turned: &[Option<bool>]) -> bool {
    let faces = || shell.iter().map(|index| (&surface.faces[*index], turned[*index] == Some(true)));
    let (area, moment) = faces().fold((0.0, Vector3::zeros()), |(area, moment): (f64, Vector3<f64>), (face, _)| {
        let [a, b, c] = surface.corners(face);
        let size = surface.doubled_area(face).norm();
        (area + size, moment + (a.coords + b.coords + c.coords) * (size / 3.0))
    });
    if area == 0.0 {
        return false;
    }
    let middle = Point3::from(moment / area);
    let (mut volume, mut reach) = (0.0, 0.0_f64);
    for (face, is_turned) in faces() {
        let [a, b, c] = surface.corners(face).map(|corner| corner - middle);
        let cone = a.dot(&b.cross(&c)) / 6.0;
        volume += if is_turned { -cone } else { cone };
        reach = reach.max(a.norm()).max(b.norm()).max(c.norm());
    }
    volume < -Tolerances::default().flat_share * area * reach
}

/// For each face those across its edges, and whether the two run along the edge in opposite directions.
fn neighbours(surface: &Surface) -> Vec<Vec<(usize, bool)>> {
    let mut uses: BTreeMap<(usize, usize), Vec<(usize, bool)>> = BTreeMap::new();
    for (index, face) in surface.faces.iter().enumerate() {
        let [a, b, c] = face.corners;
        for (from, to) in [(a, b), (b, c), (c, a)] {
            uses.entry((from.min(to), from.max(to))).or_default().push((index, from < to));
        }
    }
    let mut neighbours = vec![Vec::new(); surface.faces.len()];
    for pair in uses.values() {
        if let [(one, one_forward), (other, other_forward)] = pair.as_slice() {
            let agrees = one_forward != other_forward;
            neighbours[*one].push((*other, agrees));
            neighbours[*other].push((*one, agrees));
        }
    }
    neighbours
}
