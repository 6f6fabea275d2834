//! Every tolerance of the crate in one value.

/// Shares are of the diagonal of the mesh's box unless they say otherwise. `Default` gives the typical values below,
/// which are those of the reward's definitions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// Vertices this near to each other are one vertex. 1e-6.
    pub weld_share: f64,
    /// Triangles whose vertices lie this near to a neighbour's plane belong to one facet. 1e-7.
    pub facet_share: f64,
    /// A convex solid's vertices may lie this far outside a facet's plane (coordinates stored as f32). 1e-6.
    pub convex_share: f64,
    /// Facets × vertices above which a solid is measured by columns even if it is convex, since clipping would cost
    /// more than the columns. 400,000: a sphere of 600 facets.
    pub convex_work: usize,
    /// Convex solids no deeper in each other than this share of the smaller diagonal are touching. 1e-9.
    pub contact_share: f64,
    /// Common volume below this share of the smaller solid is rounding, not overlap; also the relative error bound of
    /// exact clipping. 1e-9.
    pub noise_share: f64,
    /// Relative slack of the linear programs that give exact chords: above f64 rounding. 1e-12.
    pub pivot_share: f64,
    /// Where the line that such a program searches lies off its axis, as shares of the set's reach: generic, so that no
    /// pivot is degenerate, and so small that the facet found there is one at the axis. 0.7548e-9, 0.5698e-9.
    pub chord_off_axis: [f64; 2],
    /// How far out a program starts, in reaches of the set: outside its shadow. 4.
    pub chord_start_far: f64,
    /// How far down it starts, in reaches of the set: so low that no facet of the set needs that corner. 1e6.
    pub chord_start_low: f64,
    /// Pivots at most; about as many are needed as facets are passed on the way, a dozen. 256.
    pub chord_pivots: usize,
    /// Crossings along one axis of one pair; beyond it the grid is coarser, columns. Typical 1e6.
    pub columns_work: f64,
    /// A grid coarser than this, columns a side, says nothing.
    pub columns_least: u32,
    /// Columns along each side of the first grid. 32.
    pub columns_first: u32,
    /// Columns along each side of the last grid, after doubling. 256.
    pub columns_last: u32,
    /// The same where a mesh is not closed: its axes need not agree at any resolution. 64.
    pub columns_last_open: u32,
    /// Columns along each side for the volume of one body. 64.
    pub columns_own: u32,
    /// Refinement ends when the spread of the three axes and the sampling error are both within this share of the
    /// common volume. 0.005.
    pub columns_agree: f64,
    /// Common volumes below this share of the smaller body are not refined: a tenth of what could count. 1e-5.
    pub negligible_share: f64,
    /// Refinement also ends when the common volume, less its error bound, is certain to exceed this share of the smaller
    /// body: for a caller to whom all above it is one. Infinite: never.
    pub decided_share: f64,
    /// Axes whose columns see less than this share of the volume found look through a hole of an open mesh; what they
    /// miss is not thinness. 0.1.
    pub axis_seen_share: f64,
    /// Common thickness up to this share of the thinner body's extent (`Body::thin_extent_m`) is touching. 0.002.
    pub touch_share: f64,
    /// Least thickness that can count as overlap, metres. 1e-4.
    pub touch_min_m: f64,
    /// Greatest thickness that is still touching, metres. 2e-3.
    pub touch_max_m: f64,
    /// Share of the smaller body's volume that the common volume must exceed to count. 1e-4.
    pub counted_share: f64,
    /// A face lower than this over its longest side is degenerate. 1e-5.
    pub degenerate_height_share: f64,
    /// A face smaller than this share of the squared diagonal is degenerate. 1e-10.
    pub degenerate_area_share: f64,
    /// Faces that pass each other by no more than this touch. 1e-6, as for welding.
    pub self_intersection_depth_share: f64,
    /// What one share of intersecting faces costs of `nonself`. 20: a mesh with 5 % of them has 0.
    pub self_intersection_gain: f64,
    /// Pairs of faces with touching boxes that are tested at most; clean meshes have about 7 for each face. 20,000,000.
    pub self_intersection_pairs: u64,
    /// Sine of the angle between two faces below which they are compared as if in one plane too. 0.1.
    pub near_coplanar_sine: f64,
    /// Deviation of a shading normal's length from 1, glTF validator's. 0.00674.
    pub unit_normal: f64,
    /// Cosine between shading and face normal below which a corner counts half. cos 80°.
    pub grazing_normal_cosine: f64,
    /// A closed surface whose volume is below this share of area × diagonal has no inside. 1e-9.
    pub flat_volume_share: f64,
    /// Closed components of one mesh, largest first, that are placed inside each other. 1024.
    pub nested_components: usize,
    /// Faces of a component whose places say whether it lies inside another one, at most. 64.
    pub nested_samples: usize,
    /// Rays along each side of one of the 26 views of an open mesh. 32.
    pub first_hit_resolution: usize,
    /// Cells that the triangles may touch, a direction, before the rays are fewer. Typical 1,000,000.
    pub first_hit_work: usize,
    /// Gap in metres up to which one thing rests on another, or hangs on another part of its group. 0.005.
    pub support_gap_m: f64,
    /// Gap in metres from which it does not at all. 0.020.
    pub support_gap_none_m: f64,
    /// Depth in metres to which a thing may stand in the ground. 0.010.
    pub ground_sink_m: f64,
    /// Depth in metres from which the ground does not carry it at all. 0.030.
    pub ground_sink_none_m: f64,
    /// Share of the thinner body's extent (`Body::thin_extent_m`) by which joined bodies may be sunk into each other. 0.1.
    pub joint_share: f64,
    /// Depth from which a joint does not carry at all, as a multiple of that which is allowed. 2.
    pub joint_none: f64,
    /// Least width in metres of the common footprint of two bodies that can rest on each other. 1e-4.
    pub support_patch_m: f64,
    /// Vertical lines along each side of a common footprint. 32.
    pub support_columns: usize,
    /// Cells that the triangles of two bodies may touch before the grid of their contact is coarser. Typical 500,000.
    pub support_work: usize,
    /// Distance in metres to which a centre of volume may lie outside its support. 0.001.
    pub balance_m: f64,
    /// Share of the smaller side of its footprint over which, beyond that, a thing goes from balanced to tipping. 0.1.
    pub balance_share: f64,
    /// Connected parts of a group that are told apart; where there are more, each body is one part. 256.
    pub pieces_per_group: usize,
    /// Triangles of one group that are held against other parts, at most; then boxes stand for parts. 4,000,000.
    pub link_triangles: usize,
}

impl Tolerances {
    /// Thickness in metres up to which two bodies only touch, the thinner of which has this extent.
    pub fn touch_m(&self, extent_m: f64) -> f64 {
        (self.touch_share * extent_m).max(self.touch_min_m).min(self.touch_max_m)
    }
}

impl Default for Tolerances {
    fn default() -> Self {
        Self {
            weld_share: 1e-6,
            facet_share: 1e-7,
            convex_share: 1e-6,
            convex_work: 400_000,
            contact_share: 1e-9,
            noise_share: 1e-9,
            pivot_share: 1e-12,
            chord_off_axis: [0.7548e-9, 0.5698e-9],
            chord_start_far: 4.0,
            chord_start_low: 1e6,
            chord_pivots: 256,
            columns_work: 1e6,
            columns_least: 8,
            columns_first: 32,
            columns_last: 256,
            columns_last_open: 64,
            columns_own: 64,
            columns_agree: 0.005,
            negligible_share: 1e-5,
            decided_share: f64::INFINITY,
            axis_seen_share: 0.1,
            touch_share: 0.002,
            touch_min_m: 1e-4,
            touch_max_m: 2e-3,
            counted_share: 1e-4,
            degenerate_height_share: 1e-5,
            degenerate_area_share: 1e-10,
            self_intersection_depth_share: 1e-6,
            self_intersection_gain: 20.0,
            self_intersection_pairs: 20_000_000,
            near_coplanar_sine: 0.1,
            unit_normal: 0.00674,
            grazing_normal_cosine: 0.173_648_177_666_930_33,
            flat_volume_share: 1e-9,
            nested_components: 1024,
            nested_samples: 64,
            first_hit_work: 1_000_000,
            first_hit_resolution: 32,
            support_gap_m: 0.005,
            support_gap_none_m: 0.020,
            ground_sink_m: 0.010,
            ground_sink_none_m: 0.030,
            joint_share: 0.1,
            joint_none: 2.0,
            support_patch_m: 1e-4,
            support_work: 500_000,
            support_columns: 32,
            balance_m: 0.001,
            balance_share: 0.1,
            pieces_per_group: 256,
            link_triangles: 4_000_000,
        }
    }
}
