//! The connected parts of a surface, their areas and signed volumes.

use crate::topology::{Sets, Topology};

/// A part of the surface that hangs together through edges with two faces.
#[derive(Debug)]
pub(crate) struct Component {
    pub(crate) faces: Vec<usize>,
    /// No edge has an odd number of the component's faces.
    pub(crate) closed: bool,
    pub(crate) area_m2: f64,
    /// Positive when the faces of a closed component look outwards.
    pub(crate) signed_volume_m3: f64,
}

/// Components in the order of their first face, and the component of each face.
pub(crate) fn components(topology: &Topology) -> (Vec<Component>, Vec<usize>) {
    let mut sets = Sets::new(topology.faces.len());
    for uses in topology.edges() {
        if let [one, other] = uses {
            sets.join(one.face as u32, other.face as u32);
        }
    }
    let mut components: Vec<Component> = Vec::new();
    let mut part_of: Vec<usize> = Vec::with_capacity(topology.faces.len());
    for face in 0..topology.faces.len() {
        let root = sets.find(face as u32) as usize;
        // The root is the lowest face of its set, so its own component exists already.
        let part = if root == face { components.len() } else { part_of[root] };
        if root == face {
            components.push(Component { faces: Vec::new(), closed: true, area_m2: 0.0, signed_volume_m3: 0.0 });
        }
        components[part].faces.push(face);
        part_of.push(part);
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
    for component in &mut components {
        // From a point of the component itself, so that distance from the origin costs no digits.
        let origin = topology.centroid(component.faces[0]);
        for &face in &component.faces {
            let [a, b, c] = topology.corners(face).map(|corner| corner - origin);
            component.area_m2 += (b - a).cross(&(c - a)).norm() / 2.0;
            component.signed_volume_m3 += a.dot(&b.cross(&c)) / 6.0;
        }
    }
    (components, part_of)
}
