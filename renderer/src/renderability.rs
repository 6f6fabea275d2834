//! Whether a scene shows anything at all when it is rendered as a person would see it.

use crate::picture::Picture;
use crate::shot::{Pass, Shot};
use scene_document::Baked;
use serde::Serialize;
use std::sync::Arc;

const WIDTH: u32 = 128;
const HEIGHT: u32 = 96;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Renderability {
    Drawn,
    /// Every pixel has the same colour.
    Blank,
}

impl Renderability {
    /// The shot to judge: beauty, twice, through the scene's own camera or one that frames it.
    #[must_use]
    pub fn shot(scene: Arc<Baked>) -> Shot {
        let (view, _) = scene.view(WIDTH, HEIGHT);
        Shot { twice: true, ..Shot::new(scene, view, Pass::Beauty) }
    }

    #[must_use]
    pub fn of(picture: &Picture) -> Self {
        let rgb = picture.rgb();
        let blank = rgb.windows(2).all(|neighbours| neighbours[0] == neighbours[1]);
        if blank { Self::Blank } else { Self::Drawn }
    }
}
