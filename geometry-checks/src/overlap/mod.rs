//! The common volume of two solids, and what would clear it.

mod chord;
pub(crate) mod columns;
pub(crate) mod convex;

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use crate::{Body, Tolerances, candidate_pairs};

/// How an overlap was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Exact clipping of two convex solids.
    Convex,
    /// Column integration, with this many columns along each side of the last grid.
    Columns { resolution: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    pub volume_m3: f64,
    /// Bound of the volume's error: rounding for convex pairs; half the spread of the three axes plus the sampling
    /// error for columns, more where `Tolerances::decided_share` ended refinement; all of it where a mesh is open.
    pub volume_error_m3: f64,
    /// Longest common chord along `thickness_axis`, the axis (0, 1, 2 for x, y, z) where that is least.
    pub thickness_m: f64,
    pub thickness_axis: usize,
    /// Common volume over the volume of the smaller body, in [0, 1]. Sealed cavities count as filled in both.
    pub share: f64,
    /// Centroid of the common volume.
    pub centre: Point3<f64>,
    /// The shorter move of `a` along `thickness_axis` that clears the common volume. It clears all of `b` when both
    /// are convex; else a part of `b` further along may be in the way.
    pub separate_a_m: Vector3<f64>,
    pub method: Method,
    /// One of the meshes is not closed, so that its inside is partly a guess.
    pub volume_uncertain: bool,
    /// Thicker than `tau_m`, and more than `Tolerances::counted_share` of the smaller body.
    pub counts: bool,
    /// Thickness in metres up to which this pair is only touching.
    pub tau_m: f64,
}

/// What the two methods find; arrays go by axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) volume_m3: f64,
    pub(crate) volume_error_m3: f64,
    pub(crate) centre: Point3<f64>,
    /// Longest common chord; infinite where an open mesh hides it.
    pub(crate) thickness_m: [f64; 3],
    /// How far `a` must move towards + to clear `b`.
    pub(crate) forward_m: [f64; 3],
    /// The same towards −.
    pub(crate) backward_m: [f64; 3],
    pub(crate) method: Method,
}

/// All pairs of bodies with common volume, in ascending order of (i, j), i < j.
pub fn overlaps(bodies: &[Body], tolerances: &Tolerances) -> Vec<(usize, usize, Overlap)> {
    let aabbs: Vec<_> = bodies.iter().map(|body| *body.aabb()).collect();
    candidate_pairs(&aabbs)
        .into_par_iter()
        .filter_map(|(i, j)| Some((i, j, overlap(&bodies[i], &bodies[j], tolerances)?)))
        .collect()
}

/// Common volume of two bodies, exact where both are convex; `None` where they share none beyond rounding.
pub fn overlap(a: &Body, b: &Body, tolerances: &Tolerances) -> Option<Overlap> {
    if a.is_convex() && b.is_convex() { convex_overlap(a, b, tolerances) } else { column_overlap(a, b, tolerances) }
}

/// `overlap` by exact clipping; `None` also where a body is not convex.
pub fn convex_overlap(a: &Body, b: &Body, tolerances: &Tolerances) -> Option<Overlap> {
    in_order(a, b, |a, b| {
        let region = a.aabb().intersection(b.aabb())?;
        let measured = convex::common(a.convex()?, b.convex()?, region.centre(), tolerances)?;
        judged(a, b, &measured, tolerances)
    })
}

/// `overlap` by columns, whatever the bodies are.
pub fn column_overlap(a: &Body, b: &Body, tolerances: &Tolerances) -> Option<Overlap> {
    in_order(a, b, |a, b| {
        let region = a.aabb().intersection(b.aabb())?;
        let smaller_m3 = a.volume_m3().min(b.volume_m3());
        let measured = columns::common(a.solid(), b.solid(), &region, smaller_m3, tolerances)?;
        judged(a, b, &measured, tolerances)
    })
}

/// Measures a pair in the order of its content, so that the order in which it is named changes no bit.
fn in_order(a: &Body, b: &Body, measure: impl Fn(&Body, &Body) -> Option<Overlap>) -> Option<Overlap> {
    if a.content_order(b).is_le() {
        return measure(a, b);
    }
    measure(b, a).map(|found| Overlap { separate_a_m: -found.separate_a_m, ..found })
}

fn judged(a: &Body, b: &Body, measured: &Measured, tolerances: &Tolerances) -> Option<Overlap> {
    let smaller_m3 = a.volume_m3().min(b.volume_m3());
    if measured.volume_m3 <= tolerances.noise_share * smaller_m3 {
        return None;
    }
    let share = if smaller_m3 > 0.0 { (measured.volume_m3 / smaller_m3).min(1.0) } else { 1.0 };
    let by_thickness = |i: &usize, j: &usize| measured.thickness_m[*i].total_cmp(&measured.thickness_m[*j]);
    let axis = (0..3).min_by(by_thickness).unwrap_or(0);
    let thickness_m = measured.thickness_m[axis];
    let (forward_m, backward_m) = (measured.forward_m[axis], measured.backward_m[axis]);
    let mut separate_a_m = Vector3::zeros();
    separate_a_m[axis] = if forward_m <= backward_m { forward_m } else { -backward_m };
    let tau_m = tolerances.touch_m(a.thin_extent_m().min(b.thin_extent_m()));
    Some(Overlap {
        volume_m3: measured.volume_m3,
        volume_error_m3: measured.volume_error_m3,
        thickness_m,
        thickness_axis: axis,
        share,
        centre: measured.centre,
        separate_a_m,
        method: measured.method,
        volume_uncertain: !(a.closed() && b.closed()),
        counts: thickness_m > tau_m && share > tolerances.counted_share,
        tau_m,
    })
}
