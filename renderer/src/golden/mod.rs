//! Golden renders: regression tests of pictures. A golden is a scene file (`NAME.glb` or `NAME.gltf`) with three
//! blessed pictures beside it, `NAME.png` (beauty), `NAME.ids.png` and `NAME.depth.png`, and a sidecar `NAME.json` that
//! says how they were drawn and why they look as they do.
//!
//! `check` draws the scene again, twice, and compares: every bit where software drew both, FLIP and shares of pixels
//! within a tolerance where a graphics card drew either. Whatever is missing, undecodable, of another size or not what
//! was blessed is an error; nothing is ever written but by `bless`, and never without a reason.

mod bless;
mod check;
mod compare;
mod draw;
mod error;
mod files;
mod moved;
mod planes;
mod scene;
mod sidecar;

pub use bless::bless;
pub use check::{Checked, check, check_all};
pub use compare::Compared;
pub use error::GoldenError;
pub use files::{Piece, names};
pub use moved::Moved;
pub use sidecar::{Images, Sidecar, Tolerance, Versions};

/// The most bytes that one blessed picture may have: goldens are kept with the source.
pub const PICTURE_BYTES_MAX: u64 = 64 << 10;
