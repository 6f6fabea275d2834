//! Pictures of a scene by Bevy, without a window: lit for people, or one fact per pixel for those who
//! compute. One update of one Bevy app is one picture, and the same shot is the same bytes whatever was drawn before.
//!
//! Pixel (x, y) has its centre at (x + 0.5, y + 0.5); x grows to the right, y downwards; planes are row-major from the
//! top-left pixel. One-sided surfaces are culled; blended ones with alpha below 0.05 are not there.
//!
//! Of materials are shown factors, textures by TEXCOORD_0, and clearcoat, ior, specular and unlit; what is unlit shines
//! as the white of the picture times its base colour. Not shown: vertex colours, anisotropy, dispersion, iridescence,
//! sheen, transmission, volume, and the textures of extensions.

mod app;
mod camera;
mod decode;
mod device;
mod extent;
mod finish;
pub mod golden;
mod lights;
mod material;
mod mips;
mod picture;
mod readback;
mod renderer;
mod shot;
mod stage;
mod texels;
mod world;

pub use picture::{Picture, Pixels};
pub use renderer::Renderer;
pub use scene_probe::{AdapterChoice, AdapterInfo, AdapterKind, RenderError, Reply};
#[doc(hidden)]
pub use shot::Fault;
pub use shot::{LitBy, Pass, Shot, UnknownPass};

/// Of the engine that draws; a test compares it with Cargo.lock.
pub const BEVY_VERSION: &str = "0.19.1";
/// The luminance that is white in a picture. The exposure is fixed: the lighting measure has the same.
pub const WHITE_CD_M2: f64 = 100.0;
/// The curve from linear light to what a beauty picture shows.
const TONEMAPPING: &str = "none: linear to white, clipped there";

/// The exposure value at which `WHITE_CD_M2` is 1.0: L = 78 / (100 · 0.65) · 2^EV100 (ISO 12232, saturation, lens
/// transmission 0.65).
#[must_use]
pub fn ev100() -> f64 {
    libm::log2(WHITE_CD_M2 / 1.2)
}
