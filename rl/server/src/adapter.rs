//! The graphics adapter that a command draws with.

use renderer::AdapterChoice;

#[derive(clap::Args)]
pub(crate) struct AdapterArg {
    /// Graphics adapter: a part of its name, or auto for a real GPU where there is one (see `maquette doctor`)
    #[arg(long, env = "MAQUETTE_ADAPTER", value_name = "NAME", default_value = "auto")]
    pub(crate) adapter: AdapterChoice,
}
