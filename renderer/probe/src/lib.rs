//! Many small views of scenes at once, on a graphics card or on Mesa's lavapipe: ids, depth, normals, a little shade.
//!
//! A view is one pass into its own layer of a texture array, never a part of a larger picture: what it shows does not
//! depend on what else is drawn with it. Pixel (x, y) has its centre at (x + 0.5, y + 0.5); x grows to the right, y
//! downwards; planes are row-major from the top-left pixel. Both sides of every triangle are drawn.
//!
//! [`Lane`] is the thread on which pictures are drawn, with a queue in front, and [`Faults`] listens to a device; the
//! other renderer uses both too.

mod adapter;
mod error;
mod faults;
mod frame;
mod gpu;
mod lane;
mod layer_targets;
mod pipeline;
mod probe;
mod scene;
mod scene_buffers;
mod view_instance;

pub use adapter::{AdapterChoice, AdapterInfo, AdapterKind, Chosen, adapters, choose};
pub use error::RenderError;
pub use faults::Faults;
pub use frame::ProbeFrame;
pub use lane::{Lane, Reply};
pub use probe::{Probe, ProbeShot, lane};
pub use scene::ProbeScene;
