//! Room for the scenes whose pictures wait: a queue is bounded by what it holds, not only by how many wait.

use scene_document::Scene;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Of all baked scenes that wait or are drawn, some 100 bytes each.
const THOUSANDS_OF_TRIANGLES: u32 = 4096;

/// A part of the room, until it is dropped.
pub(super) type Place = OwnedSemaphorePermit;

pub(super) struct Room(Arc<Semaphore>);

impl Room {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(THOUSANDS_OF_TRIANGLES as usize)))
    }

    /// Waits until the scene has room, in the order of the calls. A scene that is larger than the room takes all of it.
    pub(super) async fn place(&self, scene: &Scene) -> Option<Place> {
        let thousands = u32::try_from(scene.triangle_count() / 1000 + 1).unwrap_or(u32::MAX);
        Arc::clone(&self.0).acquire_many_owned(thousands.min(THOUSANDS_OF_TRIANGLES)).await.ok()
    }
}
