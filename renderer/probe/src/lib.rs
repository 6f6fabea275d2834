//! Many small views of scenes at once, on a graphics card or on Mesa's lavapipe: ids, depth, normals, a little shade.
//!
//! A view is one pass into its own layer of a texture array, never a part of a larger picture: what it shows does not
//! depend on what else is drawn with it. Pixel (x, y) has its centre at (x + 0.5, y + 0.5); x grows to the right, y
//! downwards; planes are row-major from the top-left pixel. Both sides of every triangle are drawn.
//!
//! [`Lane`] is the thread on which pictures are drawn, with a queue in front; the other renderers use it too.

mod adapter;
mod canvas;
mod error;
mod frame;
mod gpu;
mod lane;
mod pipeline;
mod probe;
mod scene;
mod sight;
mod stock;
mod tolerances;

pub use adapter::{AdapterChoice, AdapterInfo, AdapterKind, Chosen, adapters, choose};
pub use error::RenderError;
pub use frame::ProbeFrame;
pub use lane::Lane;
pub use probe::{Probe, ProbeShot, lane};
pub use scene::ProbeScene;
