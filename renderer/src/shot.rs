//! What is asked for: a scene, where it is seen from, and what of it is shown.

use scene_document::{Baked, View};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// Lit, linear up to white and clipped there, in sRGB; four samples a pixel.
    Beauty,
    /// Lit, linear, one sample a pixel.
    Hdr,
    /// Base colour, its texture included.
    Albedo,
    /// Shading normal of the mesh, without normal maps, in world space, turned to the viewer.
    Normal,
    /// Along the view axis.
    Depth,
    /// Which mesh.
    Id,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no pass {given:?}; allowed: beauty, hdr, albedo, normal, depth, id")]
pub struct UnknownPass {
    pub given: String,
}

impl Pass {
    pub const ALL: [Self; 6] = [Self::Beauty, Self::Hdr, Self::Albedo, Self::Normal, Self::Depth, Self::Id];

    /// Whether it shows light; the others show one fact of each surface.
    pub(crate) const fn is_lit(self) -> bool {
        matches!(self, Self::Beauty | Self::Hdr)
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Beauty => "beauty",
            Self::Hdr => "hdr",
            Self::Albedo => "albedo",
            Self::Normal => "normal",
            Self::Depth => "depth",
            Self::Id => "id",
        })
    }
}

impl FromStr for Pass {
    type Err = UnknownPass;

    fn from_str(text: &str) -> Result<Self, UnknownPass> {
        let named = Self::ALL.into_iter().find(|pass| pass.to_string() == text);
        named.ok_or_else(|| UnknownPass { given: text.to_owned() })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LitBy {
    /// The scene's own lights and environment alone.
    Scene,
    /// Lights that are fixed to the camera; those of the scene are off.
    Studio,
}

/// What follows "lit".
impl fmt::Display for LitBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scene => "by the scene's own light",
            Self::Studio => "by studio lights",
        })
    }
}

#[derive(Debug, Clone)]
pub struct Shot {
    pub scene: Arc<Baked>,
    pub view: View,
    pub pass: Pass,
    /// `None`: by the scene where it has lights or an environment, else by the studio.
    pub lit_by: Option<LitBy>,
    /// Draw it twice; different frames are `RenderError::Unsteady`.
    pub twice: bool,
    #[doc(hidden)]
    pub fault: Option<Fault>,
}

/// What a test wants to go wrong while the shot is drawn, at every try.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Panic,
    LoseDevice,
}

/// Of the picture that shows whether there is anything to see.
const RENDERABILITY_PX: (u32, u32) = (128, 96);

impl Shot {
    #[must_use]
    pub fn new(scene: Arc<Baked>, view: View, pass: Pass) -> Self {
        Self { scene, view, pass, lit_by: None, twice: false, fault: None }
    }

    /// The shot that tells whether a scene shows anything as a person would see it: beauty, twice, through the scene's
    /// own camera or one that frames it. If its picture `is_blank`, it does not.
    #[must_use]
    pub fn renderability(scene: Arc<Baked>) -> Self {
        let (width, height) = RENDERABILITY_PX;
        let (view, _) = scene.view(width, height);
        Self { twice: true, ..Self::new(scene, view, Pass::Beauty) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_read_as_they_are_written() {
        for pass in Pass::ALL {
            assert_eq!(pass.to_string().parse(), Ok(pass));
        }
        let error = "beaty".parse::<Pass>().unwrap_err();
        assert!(Pass::ALL.iter().all(|pass| error.to_string().contains(&pass.to_string())), "{error}");
    }
}
