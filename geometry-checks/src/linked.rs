//! How much of a group hangs on the pieces of it that stand.

use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::partitioning::BvhNode;
use parry3d_f64::query::details::distance_support_map_support_map;

use crate::Tolerances;
use crate::piece::Piece;
use crate::ramp::ramp;
use crate::surface::Surface;

/// Share in [0, 1] of the pieces' volume (of their area where one of them encloses none) that hangs together with what
/// stands. `standing` says how well each piece stands by itself; a piece hangs as well as the best chain of pieces
/// from there to it, links of which lose what `ramp` takes for a gap of `t.support_gap_m` to `t.support_gap_none_m`.
pub(crate) fn linked_share(pieces: &[Piece], standing: &[f64], t: &Tolerances) -> f64 {
    let links = links(pieces, standing, t);
    let by_volume = pieces.iter().all(|piece| piece.volume_m3 > 0.0);
    let size = |piece: &Piece| if by_volume { piece.volume_m3 } else { piece.area_m2 };
    let whole: f64 = pieces.iter().map(size).sum();
    let linked: f64 = pieces.iter().zip(&links).map(|(piece, link)| size(piece) * link).sum();
    if whole > 0.0 { linked / whole } else { 1.0 }
}

/// The best chains, found from the strongest piece on (Dijkstra's algorithm with products for sums).
fn links(pieces: &[Piece], standing: &[f64], t: &Tolerances) -> Vec<f64> {
    let mut links = standing.to_vec();
    if links.iter().all(|link| *link >= 1.0) {
        return links;
    }
    let surfaces: Vec<Surface> = pieces.iter().map(|piece| Surface::of(piece.triangles())).collect();
    let mut left = t.link_triangles;
    let mut open: Vec<usize> = (0..pieces.len()).collect();
    while let Some(strongest) = (0..open.len()).max_by(|&i, &j| links[open[i]].total_cmp(&links[open[j]])) {
        let from = open.remove(strongest);
        if links[from] <= 0.0 {
            break;
        }
        for &to in &open {
            if links[to] < links[from] {
                let gap_m = gap_m((&pieces[from], &surfaces[from]), (&pieces[to], &surfaces[to]), &mut left, t);
                links[to] = links[to].max(links[from] * ramp(gap_m, t.support_gap_m, t.support_gap_none_m));
            }
        }
    }
    links
}

/// Distance in metres between two pieces, 0 where one is inside the other; exact between `t.support_gap_m` and
/// `t.support_gap_none_m`, else some distance on the same side of both. That of the boxes once `left` triangles are
/// used up.
fn gap_m(a: (&Piece, &Surface), b: (&Piece, &Surface), left: &mut usize, t: &Tolerances) -> f64 {
    let boxes_m = a.0.aabb.gap_m(&b.0.aabb);
    let ((piece, surface), (other, beyond)) = if a.1.triangles.len() <= b.1.triangles.len() { (a, b) } else { (b, a) };
    if boxes_m >= t.support_gap_none_m || surface.triangles.len() > *left {
        return boxes_m;
    }
    *left -= surface.triangles.len();
    let mut gap_m = t.support_gap_none_m;
    for (triangle, own) in surface.triangles.iter().zip(&surface.boxes) {
        if gap_m <= t.support_gap_m {
            return gap_m;
        }
        let nearest = beyond.bvh.find_best(
            gap_m,
            |node: &BvhNode, _| (node.mins() - own.maxs).max(own.mins - node.maxs()).max(Vector::ZERO).length(),
            |leaf, _| {
                let other = &beyond.triangles[leaf as usize];
                Some(distance_support_map_support_map(&Pose::IDENTITY, triangle, other))
            },
        );
        gap_m = nearest.map_or(gap_m, |(_, nearer_m)| nearer_m);
    }
    let inside = |inner: &Piece, outer: &Piece| inner.points.first().is_some_and(|point| outer.encloses(*point));
    if inside(piece, other) || inside(other, piece) { 0.0 } else { gap_m }
}
