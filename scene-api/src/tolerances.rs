//! Every tolerance of the tools.

/// Geometric tolerances of tools and consequences, and how much one call may measure; those of the measures themselves
/// are `geometry_checks::Tolerances`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tolerances {
    /// Metres around a change within which objects may have lost their support (0.010).
    pub(crate) near_m: f64,
    /// Metres below which two points are the same, so that no direction leads from one to the other (1e-6).
    pub(crate) coincident_m: f64,
    /// |cos| of two axes below which they count as perpendicular (1e-9).
    pub(crate) perpendicular: f64,
    /// Sine of the angle to the up axis below which a view looks straight up or down (1e-6).
    pub(crate) vertical: f64,
    /// How much the cosine of the angle between two triangles may lack of the one asked for, because places are stored in
    /// single precision (1e-6).
    pub(crate) coplanar_cos: f64,
    /// Volume below this share of area × radius has no sign: the surface is flat (1e-9).
    pub(crate) flat_share: f64,
    /// Corners of a solid that is cut or joined are one where they are nearer than this share of its largest coordinate:
    /// some steps of single precision (1e-6).
    pub(crate) merge_share: f64,
    /// Parts of a normal below this share of its largest are rounding (1e-6).
    pub(crate) axis_share: f64,
    /// Points of a solid nearer to a cutting plane than this share of its largest coordinate are on it (1e-9).
    pub(crate) on_plane_share: f64,
    /// Pairs of near faces, edges and points of two solids of which one call says how they cross (1,000,000 of a kind).
    pub(crate) crossing_pairs: usize,
    /// Cuts that one bevel makes (4096).
    pub(crate) bevel_cuts: usize,
    /// Columns along each side of the last grid by which a call measures an overlap; the reward refines further (64).
    pub(crate) columns_last: u32,
    /// What the consequences of one call measure at most.
    pub(crate) consequences: Work,
    /// What one `query.overlaps` measures at most.
    pub(crate) query: Work,
    /// Pairs of triangles that one distance or one fall looks at (4,000,000).
    pub(crate) nearest_pairs: u64,
    /// How far a ray may pass a triangle, in shares of its sides, and still meet it (1e-9).
    pub(crate) ray_edge_slack: f64,
    /// Meshes that one `query.support` holds against each other (128), and their triangles (500,000).
    pub(crate) support_meshes: usize,
    pub(crate) support_mesh_triangles: usize,
    /// Triangles of all pairs of nearby meshes, a mesh counting once per pair, above which a call does not say what
    /// floats (4,000,000).
    pub(crate) support_triangles: u64,
    /// Boxes of triangles that may cover a lit picture, one behind another, before it is refused: 64 on 512 × 384 are
    /// some seconds on a processor.
    pub(crate) lit_layers: u64,
    /// The same of pictures that show a fact a pixel (512).
    pub(crate) unlit_layers: u64,
    /// Pixels that any picture may fill, however small (8 million): a small triangle, too, fills one.
    pub(crate) picture_fill_px: u64,
}

/// How much a call may measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Work {
    /// Pairs of meshes (256 after a change, 2,000 when asked).
    pub(crate) pairs: usize,
    /// Triangles of all these pairs, a mesh counting once per pair (1,000,000 after a change, 2,000,000 when asked).
    pub(crate) triangles: u64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self {
            near_m: 0.010,
            coincident_m: 1e-6,
            perpendicular: 1e-9,
            vertical: 1e-6,
            coplanar_cos: 1e-6,
            flat_share: 1e-9,
            merge_share: 1e-6,
            axis_share: 1e-6,
            on_plane_share: 1e-9,
            crossing_pairs: 1_000_000,
            bevel_cuts: 4096,
            columns_last: 64,
            consequences: Work { pairs: 256, triangles: 1_000_000 },
            query: Work { pairs: 2000, triangles: 2_000_000 },
            nearest_pairs: 4_000_000,
            ray_edge_slack: 1e-9,
            support_meshes: 128,
            support_mesh_triangles: 500_000,
            support_triangles: 4_000_000,
            lit_layers: 64,
            unlit_layers: 512,
            picture_fill_px: 8_000_000,
        }
    }
}

impl Tolerances {
    /// Of the measures that a call makes: coarser than the reward's.
    pub(crate) fn measures(&self) -> geometry_checks::Tolerances {
        geometry_checks::Tolerances { columns_last: self.columns_last, ..geometry_checks::Tolerances::default() }
    }
}
