//! Three facts about orientation: neighbours agree, surfaces face outwards, shading normals follow the faces.

use nalgebra::{Point3, Vector3};

use crate::components::{Components, components};
use crate::first_hits::first_hits;
use crate::nesting::nesting_depths;
use crate::topology::Topology;
use crate::{Mesh, Tolerances};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NormalFaultKind {
    /// An edge that its two faces traverse in the same direction; `value` is the share of such edges.
    Inconsistent,
    /// A closed component with faces that look inwards for its nesting depth; `value` is the share of its area that
    /// looks outwards.
    InsideOut,
    /// An open component seen from behind; `value` is the share of rays that met its front first.
    SeenFromBehind,
    /// A shading normal that is not of unit length; `value` is its length.
    NotUnit,
    /// A shading normal on the wrong side of its face; `value` is the cosine between them.
    Opposed,
    /// A shading normal more than 80° from its face's normal; `value` is the cosine between them.
    Grazing,
}

/// `count` edges, components or corners; triangle, position and value are those of the worst of them, of a closed
/// component its first face that is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct NormalFault {
    pub kind: NormalFaultKind,
    pub count: usize,
    pub triangle: usize,
    pub position: Point3<f64>,
    pub value: f64,
}

/// Three shares in [0, 1]; `faults` has one entry a kind, that which costs most first.
#[derive(Debug, Clone, PartialEq)]
pub struct Normals {
    pub consistent: f64,
    pub outward: f64,
    pub shading: f64,
    pub faults: Vec<NormalFault>,
}

impl Normals {
    pub fn value(&self) -> f64 {
        self.consistent.min(self.outward).min(self.shading)
    }
}

/// A fault and what it costs of its share.
type Loss = (f64, NormalFault);

/// Measures `mesh`; `sheet_allowed` takes open components as they are. `shading` is 1 without shading normals, and a
/// mesh without a usable triangle has `outward` 0.
pub fn normals(mesh: &Mesh, sheet_allowed: bool, t: &Tolerances) -> Normals {
    let topology = Topology::new(mesh, t);
    let mut losses = Vec::new();
    let consistent = consistency(&topology, &mut losses);
    let outward = outwardness(&topology, sheet_allowed, t, &mut losses);
    let shading = match &mesh.normals {
        Some(normals) => shading(&topology, normals, t, &mut losses),
        None => 1.0,
    };
    losses.sort_by(|a, b| b.0.total_cmp(&a.0));
    Normals { consistent, outward, shading, faults: losses.into_iter().map(|(_, fault)| fault).collect() }
}

/// Share of the edges with two faces that those traverse in opposite directions.
fn consistency(topology: &Topology, losses: &mut Vec<Loss>) -> f64 {
    let (mut pairs, mut wrong, mut first) = (0_usize, 0_usize, None);
    for uses in topology.edges() {
        let [one, other] = uses else { continue };
        pairs += 1;
        if one.forward == other.forward {
            wrong += 1;
            first.get_or_insert((topology.faces[one.face].triangle, topology.midpoint(one)));
        }
    }
    let Some((triangle, position)) = first else { return 1.0 };
    let share = wrong as f64 / pairs as f64;
    let kind = NormalFaultKind::Inconsistent;
    losses.push((share, NormalFault { kind, count: wrong, triangle, position, value: share }));
    1.0 - share
}

/// Share of the area that looks outwards: in a closed component the faces that agree with its outward orientation
/// (inward in a cavity), in an open one those that rays from outside meet from the front. Open components that no ray
/// meets first are hidden and weigh nothing.
fn outwardness(topology: &Topology, sheet_allowed: bool, t: &Tolerances, losses: &mut Vec<Loss>) -> f64 {
    if topology.faces.is_empty() {
        return 0.0;
    }
    let Components { components, part_of, turned, .. } = components(topology);
    let depths = nesting_depths(topology, &components, &part_of, t);
    let hits = if sheet_allowed || components.iter().all(|c| c.closed) {
        Vec::new()
    } else {
        first_hits(topology, &part_of, components.len(), t)
    };

    let mut area_m2 = 0.0;
    // Lost area, count, and the component that lost most: how much, a face of it, and its value.
    let mut inside_out: (f64, usize, Option<(f64, usize, f64)>) = (0.0, 0, None);
    let mut from_behind = inside_out;
    for (index, component) in components.iter().enumerate() {
        let first = component.faces[0];
        let (lost_m2, face, value, worst) = if component.closed {
            let flat_m3 = t.flat_volume_share * component.area_m2 * topology.diagonal_m;
            let sign = if depths[index].is_multiple_of(2) { 1.0 } else { -1.0 };
            let volume_m3 = sign * component.signed_volume_m3;
            let outward = volume_m3 > 0.0;
            let lost_m2 = match outward {
                _ if volume_m3.abs() <= flat_m3 => 0.0,
                true => component.turned_m2,
                false => component.area_m2 - component.turned_m2,
            };
            let face = component.faces.iter().copied().find(|&face| turned[face] == outward).unwrap_or(first);
            (lost_m2, face, 1.0 - lost_m2 / component.area_m2, &mut inside_out)
        } else {
            match hits.get(index) {
                None => (0.0, first, 1.0, &mut from_behind),
                Some(hit) if hit.all == 0 => continue,
                Some(hit) => {
                    let share = hit.front as f64 / hit.all as f64;
                    ((1.0 - share) * component.area_m2, first, share, &mut from_behind)
                }
            }
        };
        area_m2 += component.area_m2;
        if lost_m2 > 0.0 {
            worst.0 += lost_m2;
            worst.1 += 1;
            if worst.2.is_none_or(|(most_m2, _, _)| lost_m2 > most_m2) {
                worst.2 = Some((lost_m2, face, value));
            }
        }
    }
    if area_m2 <= 0.0 {
        return 1.0;
    }
    for (kind, (lost_m2, count, worst)) in
        [(NormalFaultKind::InsideOut, inside_out), (NormalFaultKind::SeenFromBehind, from_behind)]
    {
        if let Some((_, face, value)) = worst {
            let (triangle, position) = (topology.faces[face].triangle, topology.centroid(face));
            losses.push((lost_m2 / area_m2, NormalFault { kind, count, triangle, position, value }));
        }
    }
    1.0 - (inside_out.0 + from_behind.0) / area_m2
}

/// Corners with one fault, what each costs, their area, and the worst: badness, triangle, vertex, value.
#[derive(Debug)]
struct Corners {
    kind: NormalFaultKind,
    cost: f64,
    count: usize,
    area_m2: f64,
    worst: Option<(f64, usize, u32, f64)>,
}

/// Share of the area, a third of a face for each of its corners, whose shading normal has unit length and lies on the
/// face's side. Faces without a usable area have none.
fn shading(topology: &Topology, normals: &[Vector3<f64>], t: &Tolerances, losses: &mut Vec<Loss>) -> f64 {
    use NormalFaultKind::{Grazing, NotUnit, Opposed};
    let smallest_m2 = 2.0 * t.degenerate_area_share * topology.diagonal_m * topology.diagonal_m;
    let (mut all_m2, mut good_m2) = (0.0, 0.0);
    let mut tallies = [(NotUnit, 1.0), (Opposed, 1.0), (Grazing, 0.5)].map(|(kind, cost)| Corners {
        kind,
        cost,
        count: 0,
        area_m2: 0.0,
        worst: None,
    });
    for (index, face) in topology.faces.iter().enumerate() {
        let [a, b, c] = topology.corners(index);
        let across = (b - a).cross(&(c - a));
        let Some(face_normal) = across.try_normalize(smallest_m2) else { continue };
        let corner_m2 = across.norm() / 6.0;
        for (k, &vertex) in topology.mesh.triangles[face.triangle].iter().enumerate() {
            all_m2 += corner_m2;
            let normal = normals.get(vertex as usize).copied().unwrap_or_else(Vector3::zeros);
            let (length, cosine) = (normal.norm(), normal.dot(&face_normal));
            let off_unit = (length - 1.0).abs();
            let (tally, badness, value) = if !off_unit.is_finite() || off_unit > t.unit_normal {
                let given = if length.is_finite() { length } else { 0.0 };
                (&mut tallies[0], (given - 1.0).abs(), given)
            } else if cosine <= 0.0 {
                (&mut tallies[1], -cosine, cosine)
            } else if cosine < t.grazing_normal_cosine {
                (&mut tallies[2], -cosine, cosine)
            } else {
                good_m2 += corner_m2;
                continue;
            };
            good_m2 += corner_m2 * (1.0 - tally.cost);
            tally.count += 1;
            tally.area_m2 += corner_m2;
            if tally.worst.is_none_or(|(worst, ..)| badness > worst) {
                tally.worst = Some((badness, face.triangle, face.vertices[k], value));
            }
        }
    }
    if all_m2 <= 0.0 {
        return 1.0;
    }
    for Corners { kind, cost, count, area_m2, worst } in tallies {
        if let Some((_, triangle, vertex, value)) = worst {
            let loss = cost * area_m2 / all_m2;
            losses.push((loss, NormalFault { kind, count, triangle, position: topology.point(vertex), value }));
        }
    }
    good_m2 / all_m2
}
