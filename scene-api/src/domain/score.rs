//! Scores, with a renderer's word where the profile asks for it.

use crate::reward::Judged;
use crate::studio::{Rendered, Studio};
use rl_protocol::{Code, DomainError, Reward, compute_scoring};
use std::sync::Arc;

/// Judges on the pool and waits for the studio outside of it, and only where every other gate has passed. A studio that
/// fails makes the reward `Unscorable`.
pub(super) async fn scored(
    studio: Option<&dyn Studio>,
    judge: impl FnOnce() -> Judged + Send + 'static,
) -> Result<Reward, DomainError> {
    let judged = compute_scoring(judge).await?;
    let (rest, studio) = match (judged, studio) {
        (Judged::Unrendered(rest), Some(studio)) => (rest, studio),
        (judged, _) => return Ok(judged.with(None)),
    };
    Ok(match studio.rendered(Arc::clone(&rest.scene), rest.scene_hash).await {
        Ok((Rendered::Drawn, _)) => rest.drawn(),
        Ok((Rendered::Blank, by)) => rest.blank(&format!("the picture rendered by {by} is of one colour")),
        // The model's camera is at fault: no way out of a low reward.
        Err(error) if error.code == Code::FailedPrecondition => rest.blank(&error.message),
        Err(error) => rest.unscorable(&error.reason, error.message, true),
    })
}
