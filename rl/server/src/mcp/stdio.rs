//! One client, on standard input and output.

use super::lines::Lines;
use super::offer::Offer;
use super::session::Session;
use crate::interrupted::interrupted;
use anyhow::{Context, Result};
use rmcp::serve_server;
use rmcp::service::ServerInitializeError;
use rmcp::transport::{TransportAdapterIdentity, stdio_pipes};
use std::sync::Arc;

/// Until the client closes its end, or a signal.
pub(super) async fn serve(offer: Arc<Offer>) -> Result<()> {
    let interrupted = interrupted()?;
    let (input, output) = stdio_pipes();
    let (session, lines) = (Session::new(offer), Lines::new(input, output));
    let serving = async {
        match serve_server::<_, _, _, TransportAdapterIdentity>(session, lines).await {
            Ok(running) => running.waiting().await.map(drop).context("the session panicked"),
            // It has gone before it said a word.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    };
    tokio::select! {
        ended = serving => ended,
        // The runtime would wait for its read of a terminal, which cannot be taken back.
        () = interrupted => std::process::exit(0),
    }
}
