//! The graphics adapter that a command draws with.

use crate::studio::GpuStudio;
use renderer::{AdapterChoice, AdapterInfo, RenderError};
use std::sync::Arc;

#[derive(clap::Args)]
pub(crate) struct AdapterArg {
    /// Graphics adapter: a part of its name, or auto for a real GPU where there is one (see `maquette doctor`)
    #[arg(long, env = "MAQUETTE_ADAPTER", value_name = "NAME", default_value = "auto")]
    pub(crate) adapter: AdapterChoice,
}

impl AdapterArg {
    /// The studio that draws on it, and what it is. Looks for the adapter and starts no renderer.
    ///
    /// # Errors
    /// There is no such adapter; the text says what there is and how to get one.
    pub(crate) async fn studio(&self) -> Result<(Arc<GpuStudio>, Arc<AdapterInfo>), RenderError> {
        let studio = GpuStudio::new(self.adapter.clone());
        let adapter = studio.adapter().await?;
        Ok((Arc::new(studio), adapter))
    }
}
