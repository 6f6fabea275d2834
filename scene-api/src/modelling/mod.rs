//! Surfaces as they are made and changed: outlines, letters, solids between sections, sweeps, shells, booleans, bevels,
//! shading. Node space, metres; nothing here knows a scene's nodes.

mod bevel;
mod boolean;
mod closed;
mod crossing;
mod curve;
mod fused;
mod letters;
mod loft;
mod outline;
mod patchwork;
mod shading;
mod shells;
mod subdivided;
mod surface;
mod sweep;
mod unwrap;

pub(crate) use bevel::{NoBevel, beveled};
pub(crate) use boolean::{Operation, boolean};
pub(crate) use closed::Closed;
pub(crate) use curve::catmull_rom;
pub(crate) use fused::fused;
pub(crate) use letters::{Letter, lettered};
pub(crate) use loft::{loft, loft_triangles};
pub(crate) use outline::{Contour, Outline};
pub(crate) use patchwork::NoSolid;
pub(crate) use shading::shaded;
pub(crate) use shells::outward;
pub(crate) use subdivided::{Rule, subdivided};
pub(crate) use surface::{Surface, single_precision};
pub(crate) use sweep::{Fault, sections};
pub(crate) use unwrap::{Projection, unwrapped};
