//! A domain that offers the observation `history` keeps to the room that its client has for it.

use super::{Verdict, ensure, opened, refused};
use crate::Sample;
use rl_protocol::{Body, Code, Domain, DomainError, Episode, ObserveOptions};

const NAME: &str = "history";
const BYTES_PER_TOKEN: usize = 4;

pub(crate) async fn it_fits_and_knows_its_revisions(domain: &dyn Domain, sample: &Sample) -> Verdict {
    let mut episode = opened(domain, sample).await?;
    if told(episode.as_mut(), ObserveOptions::default()).await.is_err() {
        return Ok(());
    }
    for call in &sample.calls {
        episode.step(vec![call.clone()]).await.map_err(|error| format!("{}: {error}", call.name))?;
        for max_tokens in [1, 64, 256, 1024] {
            match told(episode.as_mut(), ObserveOptions { max_tokens, ..ObserveOptions::default() }).await {
                Ok(text) => {
                    let most = max_tokens as usize * BYTES_PER_TOKEN;
                    ensure(text.len() <= most, || format!("{} bytes; at most {most} were asked for", text.len()))?;
                }
                Err(error) => {
                    let is_typed = error.code == Code::InvalidArgument && error.field == "max_tokens";
                    ensure(is_typed && max_tokens < 1024, || format!("{max_tokens} tokens: {error}"))?;
                }
            }
        }
    }
    let unknown = ObserveOptions { since_revision: Some(u64::MAX), ..ObserveOptions::default() };
    let error =
        refused("a revision that was not reached", told(episode.as_mut(), unknown).await, &[Code::InvalidArgument])?;
    ensure(error.field == "since_revision", || format!("the field is {:?}, not since_revision", error.field))
}

async fn told(episode: &mut dyn Episode, options: ObserveOptions) -> Result<String, DomainError> {
    let contents = episode.observe(&[NAME.to_owned()], options).await?;
    match contents.into_iter().next().map(|content| content.body) {
        Some(Body::Text(text)) => Ok(text),
        _ => Err(DomainError::new(Code::Internal, "INVALID_REPLY", "history is no text")),
    }
}
