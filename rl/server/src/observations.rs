//! What an episode shows, as text and as files.

use crate::files;
use crate::visible::visible;
use anyhow::Result;
use rl_protocol::{Body, Content, Episode, ObserveOptions};
use std::path::Path;

/// The texts among the contents.
pub(crate) fn texts(contents: &[Content]) -> String {
    let text = |content: &Content| match &content.body {
        Body::Text(text) => Some(text.trim_end().to_owned()),
        Body::Data(_) => None,
    };
    contents.iter().filter_map(text).collect::<Vec<_>>().join("\n\n")
}

/// One file for each name; what cannot be made is told on standard error.
pub(crate) async fn save(episode: &mut dyn Episode, names: &[&str], folder: &Path) -> Result<()> {
    for name in names {
        match episode.observe(&[(*name).to_owned()], ObserveOptions::default()).await {
            Ok(contents) => contents.into_iter().try_for_each(|content| write(&folder.join(name), content.body))?,
            Err(error) => eprintln!("no {name}: {}", visible(&error.message)),
        }
    }
    Ok(())
}

pub(crate) fn write(path: &Path, body: Body) -> Result<()> {
    let bytes = match body {
        Body::Text(text) => text.into_bytes(),
        Body::Data(data) => data,
    };
    files::write(path, &bytes)?;
    eprintln!("wrote {}", visible(&path.display().to_string()));
    Ok(())
}
