//! Whether a mesh is a clean surface: closed, manifold, without degenerate, duplicate or intersecting faces.

use nalgebra::Point3;

use crate::self_intersection::self_intersections;
use crate::topology::{Sets, Topology};
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

/// `share` is `count` over all edges, or over all triangles for faults of faces.
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

/// How often a fault occurs, and where first.
#[derive(Debug, Default)]
struct Tally {
    count: usize,
    first: Option<(usize, Point3<f64>)>,
}

impl Tally {
    fn note(&mut self, triangle: usize, position: Point3<f64>) {
        self.count += 1;
        self.first.get_or_insert((triangle, position));
    }

    fn share(&self, total: usize) -> f64 {
        if total == 0 { 0.0 } else { self.count as f64 / total as f64 }
    }

    fn fault(&self, kind: FaultKind, total: usize) -> Option<MeshFault> {
        let (triangle, position) = self.first?;
        Some(MeshFault { kind, count: self.count, triangle, position, share: self.share(total) })
    }
}

/// Measures `mesh`; `sheet_allowed` accepts open edges. A mesh without triangles has `nondegenerate` 0.
pub fn integrity(mesh: &Mesh, sheet_allowed: bool, t: &Tolerances) -> Integrity {
    let topology = Topology::new(mesh, t);
    let triangles = mesh.triangles.len();
    let edges = topology.edges().count();

    let (mut open, non_manifold) = odd_edges(&topology);
    if sheet_allowed {
        open = Tally::default();
    }
    let non_fan = non_fan_vertices(&topology);
    let flat: Vec<bool> = (0..topology.faces.len()).map(|face| is_degenerate(&topology, face, t)).collect();
    let degenerate = degenerate_faces(&topology, &flat);
    let duplicate = duplicate_faces(&topology);
    let found = self_intersections(&topology, &flat, t);
    let mut crossing = Tally::default();
    for &face in &found.faces {
        crossing.note(topology.faces[face].triangle, topology.centroid(face));
    }

    let nonself_loss = (t.self_intersection_gain * crossing.share(triangles)).min(1.0);
    let mut faults: Vec<(f64, MeshFault)> = [
        (open.share(edges), open.fault(FaultKind::OpenEdge, edges)),
        (non_manifold.share(edges), non_manifold.fault(FaultKind::NonManifoldEdge, edges)),
        (non_fan.share(edges), non_fan.fault(FaultKind::NonFanVertex, edges)),
        (degenerate.share(triangles), degenerate.fault(FaultKind::DegenerateFace, triangles)),
        (duplicate.share(triangles), duplicate.fault(FaultKind::DuplicateFace, triangles)),
        (nonself_loss, crossing.fault(FaultKind::SelfIntersection, triangles)),
    ]
    .into_iter()
    .filter_map(|(loss, fault)| fault.map(|fault| (loss, fault)))
    .collect();
    faults.sort_by(|a, b| b.0.total_cmp(&a.0));

    Integrity {
        closed: 1.0 - open.share(edges),
        manifold: (1.0 - non_manifold.share(edges) - non_fan.share(edges)).max(0.0),
        nondegenerate: if triangles == 0 { 0.0 } else { 1.0 - degenerate.share(triangles) },
        nonduplicate: 1.0 - duplicate.share(triangles),
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
        tally.note(topology.faces[uses[0].face].triangle, topology.midpoint(&uses[0]));
    }
    (open, non_manifold)
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
                tally.note(face.triangle, topology.point(vertex));
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
        tally.note(triangle, place.copied().unwrap_or_else(Point3::origin));
    }
    for (face, _) in flat.iter().enumerate().filter(|(_, flat)| **flat) {
        tally.note(topology.faces[face].triangle, topology.centroid(face));
    }
    tally
}

fn duplicate_faces(topology: &Topology) -> Tally {
    let mut keyed: Vec<([u32; 3], usize)> = topology
        .faces
        .iter()
        .enumerate()
        .map(|(index, face)| {
            let mut key = face.vertices;
            key.sort_unstable();
            (key, index)
        })
        .collect();
    keyed.sort_unstable();
    let mut repeated: Vec<usize> = keyed.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| w[1].1).collect();
    repeated.sort_unstable();
    let mut tally = Tally::default();
    for face in repeated {
        tally.note(topology.faces[face].triangle, topology.centroid(face));
    }
    tally
}
