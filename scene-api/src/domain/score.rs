//! Scores, with a renderer's word where the profile asks for it.

use crate::reward::Judged;
use crate::studio::Studio;
use rl_protocol::{DomainError, Reward, compute_scoring};

/// Judges on the pool that scores, and waits for the studio outside of it.
pub(super) async fn scored(
    studio: Option<&dyn Studio>,
    judge: impl FnOnce() -> Judged + Send + 'static,
) -> Result<Reward, DomainError> {
    Ok(compute_scoring(judge).await?.settled(studio).await)
}
