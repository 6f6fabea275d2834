//! The connected parts of a surface, with their faces turned so that neighbours agree.

use crate::topology::Topology;

/// Marks a side that does not join exactly two faces.
pub(crate) const NONE: u32 = u32::MAX;

/// A part of the surface that hangs together through edges with two faces.
#[derive(Debug)]
pub(crate) struct Component {
    /// Ascending.
    pub(crate) faces: Vec<usize>,
    /// No edge has an odd number of the component's faces.
    pub(crate) closed: bool,
    pub(crate) area_m2: f64,
    /// Area of the faces that look the other way than the greater part of the component.
    pub(crate) turned_m2: f64,
    /// Of the faces as that greater part looks; positive when it looks outwards.
    pub(crate) signed_volume_m3: f64,
}

/// A surface in parts, in the order of their first faces.
#[derive(Debug)]
pub(crate) struct Components {
    pub(crate) components: Vec<Component>,
    /// The component of each face.
    pub(crate) part_of: Vec<usize>,
    /// The faces that look the other way than the greater part of their component's area.
    pub(crate) turned: Vec<bool>,
    /// The face across each side (corner i to corner i + 1), or `NONE`.
    pub(crate) across: Vec<[u32; 3]>,
}

/// Walks each part from face to face, so that what is turned depends on no order. (A part with one side only, such as
/// a Möbius strip, cannot be made to agree and is turned as the walk goes.)
pub(crate) fn components(topology: &Topology) -> Components {
    let count = topology.faces.len();
    let (across, agrees) = neighbours(topology);
    let (mut part_of, mut turned, mut components) = (vec![usize::MAX; count], vec![false; count], Vec::new());
    for seed in 0..count {
        if part_of[seed] != usize::MAX {
            continue;
        }
        part_of[seed] = components.len();
        let mut faces = vec![seed];
        let mut at = 0;
        while let Some(&face) = faces.get(at) {
            at += 1;
            for (&other, &agrees) in across[face].iter().zip(&agrees[face]) {
                if other != NONE && part_of[other as usize] == usize::MAX {
                    part_of[other as usize] = components.len();
                    turned[other as usize] = turned[face] == agrees;
                    faces.push(other as usize);
                }
            }
        }
        faces.sort_unstable();
        components.push(measured(topology, faces, &mut turned));
    }
    for uses in topology.edges() {
        let mut parts: Vec<usize> = uses.iter().map(|edge| part_of[edge.face]).collect();
        parts.sort_unstable();
        for of_part in parts.chunk_by(|a, b| a == b) {
            if of_part.len() % 2 == 1 {
                components[of_part[0]].closed = false;
            }
        }
    }
    Components { components, part_of, turned, across }
}

/// The face across each side, and whether the two run along it in opposite directions.
fn neighbours(topology: &Topology) -> (Vec<[u32; 3]>, Vec<[bool; 3]>) {
    let count = topology.faces.len();
    let (mut across, mut agrees) = (vec![[NONE; 3]; count], vec![[true; 3]; count]);
    for uses in topology.edges() {
        let [one, other] = uses else { continue };
        for (own, beyond) in [(one, other), (other, one)] {
            let start = if own.forward { own.low } else { own.high };
            let side = topology.faces[own.face].vertices.iter().position(|v| *v == start).unwrap_or(0);
            across[own.face][side] = beyond.face as u32;
            agrees[own.face][side] = own.forward != beyond.forward;
        }
    }
    (across, agrees)
}

/// `turned` holds which faces differ from the first one, and then which differ from the greater part.
fn measured(topology: &Topology, faces: Vec<usize>, turned: &mut [bool]) -> Component {
    // From a point of the component itself, so that distance from the origin costs no digits.
    let origin = topology.centroid(faces[0]);
    let (mut area_m2, mut turned_m2, mut signed_volume_m3) = (0.0, 0.0, 0.0);
    for &face in &faces {
        let [a, b, c] = topology.corners(face).map(|corner| corner - origin);
        let (face_m2, cone_m3) = (topology.area_m2(face), a.dot(&b.cross(&c)) / 6.0);
        area_m2 += face_m2;
        turned_m2 += if turned[face] { face_m2 } else { 0.0 };
        signed_volume_m3 += if turned[face] { -cone_m3 } else { cone_m3 };
    }
    if turned_m2 > area_m2 - turned_m2 {
        faces.iter().for_each(|&face| turned[face] = !turned[face]);
        turned_m2 = area_m2 - turned_m2;
        signed_volume_m3 = -signed_volume_m3;
    }
    Component { faces, closed: true, area_m2, turned_m2, signed_volume_m3 }
}
