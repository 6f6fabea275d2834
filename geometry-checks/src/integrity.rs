//! Whether a mesh is a clean surface: closed, manifold, without degenerate, duplicate or intersecting faces.

use nalgebra::{Point3, Vector3};

use crate::self_intersection::self_intersections;
use crate::topology::{EdgeUse, Sets, Topology};
use crate::{Mesh, Tolerances};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// An edge with one face.
    OpenEdge,
    /// An edge with three or more faces.
    NonManifoldEdge,
    /// A vertex whose faces are more than one fan.
    NonFanVertex,
    /// A triangle without usable area, or one that names a missing or non-finite vertex.
    DegenerateFace,
    /// A second triangle on the same three vertices.
    DuplicateFace,
    /// A face that passes through another one.
    SelfIntersection,
}

/// `share` is what the fault takes of all edges, or of all triangles for faults of faces: by count or by length (area),
/// whichever is more, so that cutting the good part finer hides nothing. For open edges also twice the area of the holes
/// over that of the faces.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshFault {
    pub kind: FaultKind,
    pub count: usize,
    /// The first triangle concerned, an index into `mesh.triangles`.
    pub triangle: usize,
    pub position: Point3<f64>,
    pub share: f64,
}

/// Five properties in [0, 1] after welding; `faults` has one entry a kind, that which costs most first.
#[derive(Debug, Clone, PartialEq)]
pub struct Integrity {
    pub closed: f64,
    pub manifold: f64,
    pub nondegenerate: f64,
    pub nonduplicate: f64,
    pub nonself: f64,
    /// The limit on tested pairs was reached, so `nonself` is an upper bound.
    pub truncated: bool,
    pub faults: Vec<MeshFault>,
}

impl Integrity {
    pub fn value(&self) -> f64 {
        [self.closed, self.manifold, self.nondegenerate, self.nonduplicate, self.nonself]
            .into_iter()
            .fold(1.0, f64::min)
    }
}

/// How often a fault occurs, how much of the surface it takes (length of edges in m, area of faces in m²), and where
/// it is first.
#[derive(Debug, Default)]
struct Tally {
    count: usize,
    size: f64,
    first: Option<(usize, Point3<f64>)>,
}

impl Tally {
    fn note(&mut self, triangle: usize, position: Point3<f64>, size: f64) {
        self.count += 1;
        self.size += size;
        self.first.get_or_insert((triangle, position));
    }

    fn share(&self, whole_count: usize, whole_size: f64) -> f64 {
        let by_count = if whole_count == 0 { 0.0 } else { self.count as f64 / whole_count as f64 };
        let by_size = if whole_size > 0.0 { self.size / whole_size } else { 0.0 };
        by_count.max(by_size).min(1.0)
    }

    fn fault(&self, kind: FaultKind, share: f64) -> Option<MeshFault> {
        let (triangle, position) = self.first?;
        Some(MeshFault { kind, count: self.count, triangle, position, share })
    }
}

/// Measures `mesh`; `sheet_allowed` accepts open edges. A mesh without triangles has `nondegenerate` 0.
pub fn integrity(mesh: &Mesh, sheet_allowed: bool, t: &Tolerances) -> Integrity {
    let topology = Topology::new(mesh, t);
    let area_m2: f64 = (0..topology.faces.len()).map(|face| topology.area_m2(face)).sum();
    let of_faces = |tally: &Tally| tally.share(mesh.triangles.len(), area_m2);
    let edges_m: f64 = topology.edges().map(|uses| topology.length_m(&uses[0])).sum();
    let edges = topology.edges().count();
    let of_edges = |tally: &Tally| tally.share(edges, edges_m);

    let (mut open, non_manifold) = odd_edges(&topology);
    if sheet_allowed {
        open = Tally::default();
    }
    let hole_share = if open.count > 0 && area_m2 > 0.0 { 2.0 * hole_area_m2(&topology) / area_m2 } else { 0.0 };
    let open_share = of_edges(&open).max(hole_share).min(1.0);
    let non_fan = non_fan_vertices(&topology);
    let flat: Vec<bool> = (0..topology.faces.len()).map(|face| is_degenerate(&topology, face, t)).collect();
    let degenerate = degenerate_faces(&topology, &flat);
    let duplicate = duplicate_faces(&topology);
    let found = self_intersections(&topology, &flat, t);
    let mut crossing = Tally::default();
    for &face in &found.faces {
        crossing.note(topology.faces[face].triangle, topology.centroid(face), topology.area_m2(face));
    }

    let nonself_loss = (t.self_intersection_gain * of_faces(&crossing)).min(1.0);
    let mut faults: Vec<(f64, MeshFault)> = [
        (open_share, open.fault(FaultKind::OpenEdge, open_share)),
        (of_edges(&non_manifold), non_manifold.fault(FaultKind::NonManifoldEdge, of_edges(&non_manifold))),
        (of_edges(&non_fan), non_fan.fault(FaultKind::NonFanVertex, of_edges(&non_fan))),
        (of_faces(&degenerate), degenerate.fault(FaultKind::DegenerateFace, of_faces(&degenerate))),
        (of_faces(&duplicate), duplicate.fault(FaultKind::DuplicateFace, of_faces(&duplicate))),
        (nonself_loss, crossing.fault(FaultKind::SelfIntersection, of_faces(&crossing))),
    ]
    .into_iter()
    .filter_map(|(loss, fault)| fault.map(|fault| (loss, fault)))
    .collect();
    faults.sort_by(|a, b| b.0.total_cmp(&a.0));

    Integrity {
        closed: 1.0 - open_share,
        manifold: (1.0 - of_edges(&non_manifold) - of_edges(&non_fan)).max(0.0),
        nondegenerate: if mesh.triangles.is_empty() { 0.0 } else { 1.0 - of_faces(&degenerate) },
        nonduplicate: 1.0 - of_faces(&duplicate),
        nonself: 1.0 - nonself_loss,
        truncated: found.truncated,
        faults: faults.into_iter().map(|(_, fault)| fault).collect(),
    }
}

/// Edges with one face, and those with three or more.
fn odd_edges(topology: &Topology) -> (Tally, Tally) {
    let (mut open, mut non_manifold) = (Tally::default(), Tally::default());
    for uses in topology.edges() {
        let tally = match uses.len() {
            1 => &mut open,
            2 => continue,
            _ => &mut non_manifold,
        };
        let edge = &uses[0];
        tally.note(topology.faces[edge.face].triangle, topology.midpoint(edge), topology.length_m(edge));
    }
    (open, non_manifold)
}

/// Area of the cones from the middle of each ring of open edges to its edges: that of the hole where the ring is flat,
/// more where it is not. Unlike the sum of the faces' area vectors it does not cancel between holes that face each
/// other, and it asks for no orientation.
fn hole_area_m2(topology: &Topology) -> f64 {
    let open = || topology.edges().filter(|uses| uses.len() == 1).map(|uses| &uses[0]);
    let vertices = topology.mesh.positions.len();
    let (mut rings, mut sums) = (Sets::new(vertices), vec![(0.0, Vector3::<f64>::zeros()); vertices]);
    for edge in open() {
        rings.join(edge.low, edge.high);
    }
    for edge in open() {
        let (length_m, moment) = &mut sums[rings.find(edge.low) as usize];
        *length_m += topology.length_m(edge);
        *moment += topology.midpoint(edge).coords * topology.length_m(edge);
    }
    let cone_m2 = |edge: &EdgeUse| {
        let (length_m, moment) = sums[rings.find(edge.low) as usize];
        let middle = Point3::from(moment / length_m);
        (topology.point(edge.low) - middle).cross(&(topology.point(edge.high) - middle)).norm() / 2.0
    };
    open().map(cone_m2).sum()
}

/// A vertex is a fan when its faces hang together through edges that end in it.
fn non_fan_vertices(topology: &Topology) -> Tally {
    let faces = &topology.faces;
    // Corner k of face f is number 3f + k.
    let corner = |face: usize, vertex: u32| {
        let k = faces[face].vertices.iter().position(|v| *v == vertex).unwrap_or(0);
        (3 * face + k) as u32
    };
    let mut fans = Sets::new(3 * faces.len());
    for uses in topology.edges() {
        for vertex in [uses[0].low, uses[0].high] {
            for other in &uses[1..] {
                fans.join(corner(uses[0].face, vertex), corner(other.face, vertex));
            }
        }
    }
    let mut fans_at = vec![0_u32; topology.mesh.positions.len()];
    let mut tally = Tally::default();
    for (index, face) in faces.iter().enumerate() {
        for (k, &vertex) in face.vertices.iter().enumerate() {
            let number = (3 * index + k) as u32;
            if fans.find(number) != number {
                continue;
            }
            let fans_here = &mut fans_at[vertex as usize];
            *fans_here += 1;
            if *fans_here == 2 {
                tally.note(face.triangle, topology.point(vertex), 0.0);
            }
        }
    }
    tally
}

/// Needles, caps and specks: too low over the longest side, or too small, for the size of the mesh.
fn is_degenerate(topology: &Topology, face: usize, t: &Tolerances) -> bool {
    let [a, b, c] = topology.corners(face);
    let doubled_area_m2 = (b - a).cross(&(c - a)).norm();
    let longest_m = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    let diagonal_m = topology.diagonal_m;
    doubled_area_m2 < t.degenerate_height_share * diagonal_m * longest_m
        || doubled_area_m2 < 2.0 * t.degenerate_area_share * diagonal_m * diagonal_m
}

fn degenerate_faces(topology: &Topology, flat: &[bool]) -> Tally {
    let mut tally = Tally::default();
    for &triangle in &topology.collapsed {
        let place = topology.mesh.triangles[triangle]
            .iter()
            .filter_map(|&i| topology.mesh.positions.get(i as usize))
            .find(|p| p.coords.iter().all(|c| c.is_finite()));
        tally.note(triangle, place.copied().unwrap_or_else(Point3::origin), 0.0);
    }
    for (face, _) in flat.iter().enumerate().filter(|(_, flat)| **flat) {
        tally.note(topology.faces[face].triangle, topology.centroid(face), topology.area_m2(face));
    }
    tally
}

fn duplicate_faces(topology: &Topology) -> Tally {
    let mut keyed: Vec<([u32; 3], usize)> =
        topology.faces.iter().enumerate().map(|(index, face)| (face.key(), index)).collect();
    keyed.sort_unstable();
    let mut repeated: Vec<usize> = keyed.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| w[1].1).collect();
    repeated.sort_unstable();
    let mut tally = Tally::default();
    for face in repeated {
        tally.note(topology.faces[face].triangle, topology.centroid(face), topology.area_m2(face));
    }
    tally
}
