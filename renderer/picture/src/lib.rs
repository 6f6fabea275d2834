//! What a renderer computes, one value per pixel, as colours for people; and colours as a PNG file. All renderers show
//! the same fact in the same colours.
//!
//! Planes are row-major from the top-left pixel; colours are 8-bit sRGB, and black is where nothing is.

mod colours;
mod file;

pub use colours::{albedo, depths, exact_ids, ids, light, normals};
pub use file::{PngError, grey_png, png};
