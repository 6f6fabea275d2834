//! The scenes of the golden renders in assets/goldens, built by edits. The example `golden_scenes` writes them; the
//! tests compare what it wrote and change one thing at a time.

mod lights;
mod places;
mod solids;
pub(crate) mod stage;
mod surfaces;

use scene_document::Scene;

pub(crate) struct GoldenScene {
    /// Of its files.
    pub(crate) name: &'static str,
    pub(crate) scene: Scene,
    /// The name of a node whose mesh is opaque, in full view, lit, and not all of the picture.
    pub(crate) subject: &'static str,
}

/// Sorted by name.
pub(crate) fn all() -> Vec<GoldenScene> {
    let mut scenes = [solids::all(), surfaces::all(), lights::all(), places::all()].concat();
    scenes.sort_unstable_by_key(|(name, ..)| *name);
    scenes.into_iter().map(|(name, scene, subject)| GoldenScene { name, scene, subject }).collect()
}
