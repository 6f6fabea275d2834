//! The reference rasteriser: ids, depth, normals, albedo and lit luminance of a baked scene on the processor, in f64
//! and a fixed order, so that a number measured from a picture does not depend on the graphics card at hand.
//!
//! Pixel (x, y) has its centre at (x + 0.5, y + 0.5); x grows to the right, y downwards; planes are row-major from the
//! top-left pixel. Cull mode is ignored: both sides of every triangle are drawn.

mod bvh;
mod coverage;
mod fill;
mod frame;
mod lens;
mod light;
mod raster;
mod scene;
mod shade;
mod tolerances;
mod window;

pub use coverage::Coverage;
pub use fill::fill_px;
pub use frame::Frame;
pub use light::Lit;
pub use scene::RasterScene;
pub use shade::Shade;
