//! Golden renders: regression tests of pictures. A golden is a scene file (`NAME.glb` or `NAME.gltf`) with three
//! blessed pictures beside it, `NAME.png` (beauty), `NAME.ids.png` and `NAME.depth.png`, and a sidecar `NAME.json` that
//! says how they were drawn and why they look as they do. Any of these files but `NAME.png` makes NAME a golden, which
//! fails while the others are missing: a scene alone was never blessed. A lone `NAME.png` does not: the buffers and
//! textures that a `.gltf` names are in the same folder.
//!
//! `check` draws the scene again, twice, and compares: every bit where software drew both, FLIP and shares of pixels
//! within a tolerance where a graphics card drew either. A scene file that changed is drawn too, so that its picture can
//! be judged, and never passes. Whatever is missing, undecodable or of another size, and a picture that is not the
//! blessed one, is an error; nothing is ever written but by `bless`, and never without a reason and a change.

mod bless;
mod check;
mod command;
mod compare;
mod draw;
mod error;
mod files;
mod moved;
mod planes;
mod scene;
mod sidecar;

pub use bless::{Blessed, bless};
pub use check::{Checked, check};
pub use command::bless_command;
pub use compare::Compared;
pub use error::GoldenError;
pub use files::{Piece, names};
pub use moved::Moved;
pub use sidecar::{Images, Sidecar, Tolerance, Versions};

/// The most bytes that one blessed picture may have: goldens are kept with the source.
const PICTURE_BYTES_MAX: u64 = 64 << 10;
