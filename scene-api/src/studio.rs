//! What a renderer does for the scene domain, without knowing which renderer it is.

use async_trait::async_trait;
use rl_protocol::DomainError;
use scene_document::{Scene, View};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a picture shows: the lit scene, its base colour, normals, depth, or which mesh is where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StillPass {
    // Without doc comments, by which a schema would become a list of schemas.
    Beauty,
    Albedo,
    Normal,
    Depth,
    Id,
}

impl StillPass {
    pub(crate) fn is_lit(self) -> bool {
        self == Self::Beauty
    }
}

/// A picture, who drew it, e.g. `Bevy 0.19.1 on llvmpipe`, and what could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Still {
    pub png: Vec<u8>,
    pub by: String,
    pub notes: Vec<String>,
}

/// Whether a picture of the scene shows anything: `Blank` is one colour throughout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renderability {
    Drawn,
    Blank,
}

/// A renderer. Methods may be called at any time and concurrently, and never block the thread. They take the document,
/// whose clone is O(1), and bake it when its turn has come: what waits takes no room.
///
/// Errors are `Unavailable` (`RENDERER_FAILED`), `ResourceExhausted` (`RENDER_QUEUE_FULL`, with `retry_after`) and
/// `DeadlineExceeded` (`RENDER_DEADLINE`), and say what is missing or was waited for. `Internal` would end the episode.
#[async_trait]
pub trait Studio: Send + Sync + 'static {
    /// A picture through `view`, which is of at most 512 × 512 pixels. A view that does not see is `FailedPrecondition`
    /// (`NO_PIXELS`, or `BEYOND_SINGLE_PRECISION` where it is too far away); no camera that the tools make is one.
    async fn still(&self, scene: Scene, view: View, pass: StillPass) -> Result<Still, DomainError>;
    /// Whether the scene shows anything through its own camera, and who drew it. A camera that cannot see is `Blank`:
    /// that is the scene's fault. Equal hashes are equal scenes and get equal answers, so these may be kept.
    async fn renderability(&self, scene: Scene, scene_hash: [u8; 32]) -> Result<(Renderability, String), DomainError>;
}
