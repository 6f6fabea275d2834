//! The pictures that calls asked for, drawn when all calls of a step were played.

use super::play::Played;
use super::png;
use crate::studio::Studio;
use crate::tools::Wanted;
use rl_protocol::DomainError;
use serde_json::json;

const NAME: &str = "still.png";

/// Puts each picture into the result that lacks it, one after another, so that one step does not fill the renderer's
/// queue.
///
/// # Errors
/// The studio's, where it failed: then the step has played nothing.
pub(super) async fn draw(studio: &dyn Studio, played: &mut Played) -> Result<(), DomainError> {
    for (place, wanted) in std::mem::take(&mut played.wanted) {
        let Wanted { scene, view, pass } = *wanted;
        let still = studio.still(scene, view, pass).await?;
        let Some(result) = played.results.get_mut(place) else { continue };
        result.json["result"]["by"] = json!(still.by);
        result.json["result"]["notes"] = json!(still.notes);
        result.contents.push(png(NAME, still.png));
    }
    Ok(())
}
