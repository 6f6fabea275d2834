//! Measures and findings on placed triangle meshes, in f64 and in a fixed order: equal input gives equal bytes.
//!
//! | check | question | cost | limits |
//! |---|---|---|---|
//! | [`candidate_pairs()`] | whose boxes share volume? | n log n | touching boxes are not candidates |
//! | [`touching_pairs()`] | which boxes of two lists have a point in common? | n log n, bounded | |
//! | [`overlap()`], convex pair | how much volume is common, how thick, what clears it? | planes × vertices | exact to rounding |
//! | [`overlap()`], other pairs | the same, by columns along three axes | triangles + crossings | carries `volume_error_m3`; common parts thinner than 1/64 of the common box in two axes can be missed; a sealed cavity counts as filled; of an open mesh the axis that sees most is believed |
//! | [`integrity()`] | is the surface closed, manifold, free of degenerate, duplicate and crossing faces? | n log n | see the module |
//! | [`normals()`] | do faces agree, look outward, and match the shading normals? | n log n plus rays | see the module |
//! | [`support()`] | does each group of bodies stand on something, and hang together? | pairs in contact, and of parts in a group | see the module |
//! | [`distance()`] | how near do two groups come, and where? | n log n, bounded | 0 where they cross or one is inside |
//! | [`fall()`] | how far can a group fall? | n log n, bounded | exact to rounding; see the module |
//! | [`first_hit()`] | what does a ray meet? | triangles | both sides count |
//! | [`outside_share()`] | how much of a footprint leaves a rectangle? | n log n | the convex hull is judged |
//!
//! Meshes are in world space: metres, +Y up, counter-clockwise faces. Input with indices out of range or coordinates
//! that are not finite never panics: such triangles are left out of the solid and are a finding of [`integrity()`].

mod aabb;
mod body;
mod broad_phase;
mod components;
mod contact;
mod distance;
mod fall;
mod first_hits;
mod footprint;
mod integrity;
mod linked;
mod mesh;
mod nesting;
mod normals;
mod overlap;
mod piece;
mod plumb;
mod ramp;
mod ray;
mod self_intersection;
mod solid;
mod support;
mod surface;
mod tolerances;
mod topology;

pub use aabb::Aabb;
pub use body::Body;
pub use broad_phase::{candidate_pairs, touching_pairs};
pub use distance::{Distance, distance};
pub use fall::{Fall, Landing, fall};
pub use footprint::outside_share;
pub use integrity::{FaultKind, Integrity, MeshFault, integrity};
pub use mesh::Mesh;
pub use normals::{NormalFault, NormalFaultKind, Normals, normals};
pub use overlap::{Method, Overlap, column_overlap, convex_overlap, overlap, overlaps};
pub use ray::{RayHit, first_hit};
pub use support::{Support, Supporter, support};
pub use tolerances::Tolerances;
