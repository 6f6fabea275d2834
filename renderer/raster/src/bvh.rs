//! A tree of boxes over triangles that answers one question: is anything in the way?

use nalgebra::Vector3;

/// Split at the median of the longest side of the centres; the left child follows its parent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    blockers: Vec<Blocker>,
}

const LEAF: usize = 4;
/// Median splits halve the count, so u32 triangles never get this deep.
const DEPTH: usize = 64;

#[derive(Debug, Clone)]
struct Node {
    least: Vector3<f64>,
    most: Vector3<f64>,
    /// Leaf: its first blocker. Else: its right child.
    first: u32,
    /// Blockers of a leaf, 0 for others.
    count: u32,
}

#[derive(Debug, Clone)]
struct Blocker {
    corner: Vector3<f64>,
    to_b: Vector3<f64>,
    to_c: Vector3<f64>,
}

struct Item {
    index: usize,
    centre: Vector3<f64>,
    least: Vector3<f64>,
    most: Vector3<f64>,
}

impl Bvh {
    /// Boxes are `pad_m` larger than their triangles on every side. All positions are finite.
    pub(crate) fn new(triangles: &[[Vector3<f64>; 3]], pad_m: f64) -> Self {
        let pad = Vector3::repeat(pad_m);
        let mut items: Vec<Item> = triangles
            .iter()
            .enumerate()
            .map(|(index, [a, b, c])| {
                let (least, most) = (a.inf(b).inf(c) - pad, a.sup(b).sup(c) + pad);
                Item { index, centre: (least + most) / 2.0, least, most }
            })
            .collect();
        let mut nodes = Vec::new();
        split(&mut items, 0, &mut nodes);
        let blockers = items
            .iter()
            .map(|item| {
                let [a, b, c] = triangles[item.index];
                Blocker { corner: a, to_b: b - a, to_c: c - a }
            })
            .collect();
        Self { nodes, blockers }
    }

    /// Whether a triangle meets `origin + t * direction` for a t in (0, `t_max`), and how many nodes were visited to
    /// know; both sides of a triangle count.
    pub(crate) fn occluded(
        &self,
        origin: &Vector3<f64>,
        direction: &Vector3<f64>,
        t_max: f64,
        edge_slack: f64,
    ) -> (bool, usize) {
        // The greatest number in place of 1/0 keeps 0 · ∞ out of the slab test.
        let inverse = direction.map(|d| (1.0 / d).clamp(-f64::MAX, f64::MAX));
        let mut visited = 0;
        let mut waiting = [0_u32; DEPTH];
        let mut depth = usize::from(!self.nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            visited += 1;
            let index = waiting[depth];
            let node = &self.nodes[index as usize];
            if !node.meets(origin, &inverse, t_max) {
                continue;
            }
            if node.count == 0 {
                waiting[depth] = node.first;
                waiting[depth + 1] = index + 1;
                depth += 2;
                continue;
            }
            let first = node.first as usize;
            let leaf = &self.blockers[first..first + node.count as usize];
            if leaf.iter().any(|blocker| blocker.meets(origin, direction, t_max, edge_slack)) {
                return (true, visited);
            }
        }
        (false, visited)
    }
}

/// Appends the tree over `items`, which it puts in the tree's order; `first` is the place of the first of them.
fn split(items: &mut [Item], first: usize, nodes: &mut Vec<Node>) {
    let Some(item) = items.first() else { return };
    let (mut least, mut most) = (item.least, item.most);
    let (mut least_centre, mut most_centre) = (item.centre, item.centre);
    for item in items.iter() {
        (least, most) = (least.inf(&item.least), most.sup(&item.most));
        (least_centre, most_centre) = (least_centre.inf(&item.centre), most_centre.sup(&item.centre));
    }
    let place = nodes.len();
    nodes.push(Node { least, most, first: first as u32, count: items.len() as u32 });
    if items.len() <= LEAF {
        return;
    }
    let axis = (most_centre - least_centre).imax();
    let half = items.len() / 2;
    items.select_nth_unstable_by(half, |a, b| a.centre[axis].total_cmp(&b.centre[axis]).then(a.index.cmp(&b.index)));
    let (left, right) = items.split_at_mut(half);
    split(left, first, nodes);
    let right_child = nodes.len() as u32;
    split(right, first + half, nodes);
    nodes[place].first = right_child;
    nodes[place].count = 0;
}

impl Node {
    fn meets(&self, origin: &Vector3<f64>, inverse: &Vector3<f64>, t_max: f64) -> bool {
        let low = (self.least - origin).component_mul(inverse);
        let high = (self.most - origin).component_mul(inverse);
        let (enter, leave) = (low.inf(&high), low.sup(&high));
        let enter = enter.x.max(enter.y).max(enter.z).max(0.0);
        let leave = leave.x.min(leave.y).min(leave.z).min(t_max);
        enter <= leave
    }
}

impl Blocker {
    /// Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997), two-sided.
    fn meets(&self, origin: &Vector3<f64>, direction: &Vector3<f64>, t_max: f64, edge_slack: f64) -> bool {
        let across = direction.cross(&self.to_c);
        let determinant = self.to_b.dot(&across);
        if determinant == 0.0 {
            return false;
        }
        let offset = origin - self.corner;
        let weight_b = offset.dot(&across) / determinant;
        if !(-edge_slack..=1.0 + edge_slack).contains(&weight_b) {
            return false;
        }
        let along = offset.cross(&self.to_b);
        let weight_c = direction.dot(&along) / determinant;
        let t = self.to_c.dot(&along) / determinant;
        weight_c >= -edge_slack && weight_b + weight_c <= 1.0 + edge_slack && t > 0.0 && t < t_max
    }
}
