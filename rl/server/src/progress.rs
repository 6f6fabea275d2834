//! How far a command is.

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};

/// Hidden for a single step and where nobody watches.
pub(crate) fn progress(steps: usize) -> Result<ProgressBar> {
    if steps < 2 {
        return Ok(ProgressBar::hidden());
    }
    Ok(ProgressBar::new(steps as u64).with_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?))
}
