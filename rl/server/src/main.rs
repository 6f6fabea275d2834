//! `maquette`: see `maquette --help`.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    maquette::main().await
}
