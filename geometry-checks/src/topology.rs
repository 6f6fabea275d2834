//! Vertices welded by position, and the faces and edges that remain.

use nalgebra::Point3;
use parry3d_f64::bounding_volume::Aabb as LeafBox;
use parry3d_f64::math::Vector;

use crate::{Mesh, Tolerances};

/// A triangle of the mesh whose three corners lie at three different places.
/// `vertices` are indices into `mesh.positions`, each the lowest index of those welded together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Face {
    pub(crate) triangle: usize,
    pub(crate) vertices: [u32; 3],
}

impl Face {
    /// The same for all faces on the same three vertices.
    pub(crate) fn key(&self) -> [u32; 3] {
        let mut key = self.vertices;
        key.sort_unstable();
        key
    }
}

/// One face's use of an undirected edge; `forward` when the face runs from `low` to `high`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EdgeUse {
    pub(crate) low: u32,
    pub(crate) high: u32,
    pub(crate) face: usize,
    pub(crate) forward: bool,
}

#[derive(Debug)]
pub(crate) struct Topology<'a> {
    pub(crate) mesh: &'a Mesh,
    /// Of the vertices that triangles use; a stray vertex far away must not widen the weld.
    pub(crate) diagonal_m: f64,
    pub(crate) faces: Vec<Face>,
    /// Triangles that welding collapsed, or that name a missing or non-finite vertex.
    pub(crate) collapsed: Vec<usize>,
    uses: Vec<EdgeUse>,
}

impl<'a> Topology<'a> {
    pub(crate) fn new(mesh: &'a Mesh, tolerances: &Tolerances) -> Self {
        let readable =
            |index: u32| mesh.positions.get(index as usize).is_some_and(|p| p.coords.iter().all(|c| c.is_finite()));
        let mut used: Vec<u32> =
            mesh.triangles.iter().filter(|t| t.iter().all(|&i| readable(i))).flatten().copied().collect();
        used.sort_unstable();
        used.dedup();

        let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for &index in &used {
            for (axis, &c) in mesh.positions[index as usize].coords.iter().enumerate() {
                min[axis] = min[axis].min(c);
                max[axis] = max[axis].max(c);
            }
        }
        let diagonal_m = if used.is_empty() { 0.0 } else { (Point3::from(max) - Point3::from(min)).norm() };

        let mut welded = weld(&mesh.positions, &used, min, tolerances.weld_share * diagonal_m);
        let (mut faces, mut collapsed) = (Vec::with_capacity(mesh.triangles.len()), Vec::new());
        for (triangle, corners) in mesh.triangles.iter().enumerate() {
            if !corners.iter().all(|&i| readable(i)) {
                collapsed.push(triangle);
                continue;
            }
            let vertices = corners.map(|i| welded.find(i));
            let [a, b, c] = vertices;
            if a == b || b == c || c == a {
                collapsed.push(triangle);
            } else {
                faces.push(Face { triangle, vertices });
            }
        }

        let uses = edge_uses(&faces);
        Self { mesh, diagonal_m, faces, collapsed, uses }
    }

    /// Without the second and further faces on the same three vertices.
    pub(crate) fn distinct(mut self) -> Self {
        let mut keyed: Vec<([u32; 3], usize)> =
            self.faces.iter().enumerate().map(|(index, face)| (face.key(), index)).collect();
        keyed.sort_unstable();
        keyed.dedup_by_key(|(key, _)| *key);
        if keyed.len() < self.faces.len() {
            let mut kept: Vec<usize> = keyed.into_iter().map(|(_, face)| face).collect();
            kept.sort_unstable();
            self.faces = kept.into_iter().map(|face| self.faces[face]).collect();
            self.uses = edge_uses(&self.faces);
        }
        self
    }

    /// The uses of each undirected edge, in the order of its vertices.
    pub(crate) fn edges(&self) -> impl Iterator<Item = &[EdgeUse]> {
        self.uses.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high))
    }

    pub(crate) fn point(&self, vertex: u32) -> Point3<f64> {
        self.mesh.positions[vertex as usize]
    }

    pub(crate) fn corners(&self, face: usize) -> [Point3<f64>; 3] {
        self.faces[face].vertices.map(|v| self.point(v))
    }

    pub(crate) fn area_m2(&self, face: usize) -> f64 {
        let [a, b, c] = self.corners(face);
        (b - a).cross(&(c - a)).norm() / 2.0
    }

    pub(crate) fn centroid(&self, face: usize) -> Point3<f64> {
        let [a, b, c] = self.corners(face);
        Point3::from((a.coords + b.coords + c.coords) / 3.0)
    }

    pub(crate) fn length_m(&self, edge: &EdgeUse) -> f64 {
        (self.point(edge.high) - self.point(edge.low)).norm()
    }

    pub(crate) fn midpoint(&self, edge: &EdgeUse) -> Point3<f64> {
        nalgebra::center(&self.point(edge.low), &self.point(edge.high))
    }
}

fn edge_uses(faces: &[Face]) -> Vec<EdgeUse> {
    let mut uses = Vec::with_capacity(3 * faces.len());
    for (index, face) in faces.iter().enumerate() {
        let [a, b, c] = face.vertices;
        for (from, to) in [(a, b), (b, c), (c, a)] {
            uses.push(EdgeUse { low: from.min(to), high: from.max(to), face: index, forward: from < to });
        }
    }
    uses.sort_unstable_by_key(|u| (u.low, u.high, u.face));
    uses
}

/// The box of one triangle, as a leaf of a bounding volume hierarchy.
pub(crate) fn leaf_box([a, b, c]: [Point3<f64>; 3]) -> LeafBox {
    let (min, max) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
    LeafBox::new(Vector::new(min.x, min.y, min.z), Vector::new(max.x, max.y, max.z))
}

/// Disjoint sets of the numbers `0..n`; the lowest member stands for its set.
#[derive(Debug)]
pub(crate) struct Sets(Vec<u32>);

impl Sets {
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    pub(crate) fn find(&mut self, member: u32) -> u32 {
        let mut at = member as usize;
        while self.0[at] as usize != at {
            self.0[at] = self.0[self.0[at] as usize];
            at = self.0[at] as usize;
        }
        at as u32
    }

    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// Joins the `used` positions (sorted indices) that share a cell of side `eps_m`, and the first points of touching
/// cells no farther than `eps_m` apart. Linear after one sort however densely the points lie: cells are walked in
/// lexicographic order with one moving pointer for each row of neighbours.
fn weld(positions: &[Point3<f64>], used: &[u32], origin: [f64; 3], eps_m: f64) -> Sets {
    const NEIGHBOUR_ROWS: [(i64, i64); 5] = [(0, 0), (0, 1), (1, -1), (1, 0), (1, 1)];
    let mut sets = Sets::new(positions.len());
    let side_m = if eps_m > 0.0 { eps_m } else { 1.0 };
    let cell = |index: u32| {
        let p = positions[index as usize];
        [0, 1, 2].map(|axis: usize| ((p[axis] - origin[axis]) / side_m).floor() as i64)
    };
    let mut cells: Vec<([i64; 3], u32)> = used.iter().map(|&index| (cell(index), index)).collect();
    cells.sort_unstable();
    for pair in cells.windows(2) {
        if pair[0].0 == pair[1].0 {
            sets.join(pair[0].1, pair[1].1);
        }
    }
    cells.dedup_by_key(|c| c.0);
    for (dx, dy) in NEIGHBOUR_ROWS {
        let mut start = 0;
        for (at, &([x, y, z], index)) in cells.iter().enumerate() {
            let first = [x + dx, y + dy, z - 1];
            while start < cells.len() && cells[start].0 < first {
                start += 1;
            }
            let last = [x + dx, y + dy, z + 1];
            for (beside, &(_, other)) in cells.iter().enumerate().skip(start).take_while(|(_, (key, _))| *key <= last) {
                let distance_m = (positions[index as usize] - positions[other as usize]).norm();
                if beside != at && distance_m <= eps_m {
                    sets.join(index, other);
                }
            }
        }
    }
    sets
}
