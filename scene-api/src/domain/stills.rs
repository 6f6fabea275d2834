//! The pictures that calls asked for, drawn when all calls of a step were played.

use super::play::Played;
use super::png;
use crate::studio::Studio;
use crate::tools::Wanted;
use rl_protocol::{Code, DomainError, compute};
use scene_document::{Baked, View};
use serde_json::json;
use std::sync::Arc;

const NAME: &str = "still.png";

/// Puts each picture into the result that lacks it, one after another, so that one step does not fill the renderer's
/// queue.
///
/// # Errors
/// The studio's, where it failed: then the step has played nothing.
pub(super) async fn draw(studio: &dyn Studio, played: &mut Played) -> Result<(), DomainError> {
    let mut last: Option<(u64, Arc<Baked>)> = None;
    for (place, wanted) in std::mem::take(&mut played.wanted) {
        let baked = match &last {
            Some((revision, baked)) if *revision == wanted.revision => Arc::clone(baked),
            _ => bake(&wanted).await?,
        };
        last = Some((wanted.revision, Arc::clone(&baked)));
        let view = view(&baked, &wanted)?;
        let still = studio.still(baked, view, wanted.pass).await?;
        let Some(result) = played.results.get_mut(place) else { continue };
        result.json["result"]["by"] = json!(still.by);
        result.json["result"]["notes"] = json!(still.notes);
        result.contents.push(png(NAME, still.png));
    }
    Ok(())
}

async fn bake(wanted: &Wanted) -> Result<Arc<Baked>, DomainError> {
    let scene = wanted.scene.clone();
    compute(move || Arc::new(scene.bake())).await
}

fn view(baked: &Baked, wanted: &Wanted) -> Result<View, DomainError> {
    let camera = baked.cameras.iter().find(|camera| camera.node == wanted.camera);
    camera.map(|camera| camera.view(wanted.width, wanted.height)).ok_or_else(|| {
        DomainError::new(Code::Internal, "CAMERA_LOST", format!("{} has no camera any more", wanted.camera))
    })
}
