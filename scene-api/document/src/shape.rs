//! Parametric primitives, centred on the node's origin, metres.

use serde::Serialize;

/// Sizes are full extents in metres; the axis of round shapes is +Y.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Shape {
    /// Axis-aligned box.
    Box { size_m: [f64; 3] },
    /// One-sided rectangle in the XZ plane facing +Y.
    Plane { size_m: [f64; 2] },
    /// Longitude–latitude sphere: `segments` around (3..=256), `rings` from pole to pole (2..=128).
    UvSphere { radius_m: f64, segments: u32, rings: u32 },
    /// Capped cylinder.
    Cylinder { radius_m: f64, height_m: f64, segments: u32 },
    /// Capped cone, apex at +Y.
    Cone { radius_m: f64, height_m: f64, segments: u32 },
    /// Ring in the XZ plane: `segments` around the axis, `sides` around the tube.
    Torus { ring_radius_m: f64, tube_radius_m: f64, segments: u32, sides: u32 },
    /// Right-angled prism: full height at −Z falling to zero at +Z.
    Wedge { size_m: [f64; 3] },
    /// Cylinder with half-spheres for ends, `height_m` with them: more than 2 `radius_m`. `rings` in each half-sphere,
    /// 1..=64.
    Capsule { radius_m: f64, height_m: f64, segments: u32, rings: u32 },
    /// Cylinder with a round hole along the axis.
    Tube { outer_radius_m: f64, inner_radius_m: f64, height_m: f64, segments: u32 },
    /// Sphere of nearly equal triangles: an icosahedron, each face split in four `subdivisions` times (0..=5).
    IcoSphere { radius_m: f64, subdivisions: u32 },
}
