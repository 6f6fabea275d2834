//! Pictures of a scene by Bevy, without a window: lit and tonemapped for people, or one fact per pixel for those who
//! compute. One update of one Bevy app is one picture, and the same shot is the same bytes whatever was drawn before.
//!
//! Pixel (x, y) has its centre at (x + 0.5, y + 0.5); x grows to the right, y downwards; planes are row-major from the
//! top-left pixel. One-sided surfaces are culled; blended ones with alpha below 0.05 are not there.

mod app;
mod camera;
mod device;
mod drawn;
mod extent;
pub mod golden;
mod lights;
mod picture;
mod readback;
mod renderability;
mod renderer;
mod shot;
mod stage;
mod world;

pub use picture::{LitBy, Picture, Pixels, png_rgb};
pub use renderability::Renderability;
pub use renderer::Renderer;
pub use scene_probe::{AdapterChoice, AdapterInfo, AdapterKind, RenderError};
#[doc(hidden)]
pub use shot::Fault;
pub use shot::{Pass, Shot, UnknownPass};

/// The luminance that is 1.0 before tone mapping. The exposure is fixed: the lighting measure has the same.
pub const WHITE_CD_M2: f64 = 100.0;
/// The curve from linear light to what a beauty picture shows.
pub const TONEMAPPING: &str = "AgX";
