//! One client, on standard input and output.

use super::offer::Offer;
use super::session::Session;
use crate::interrupted::interrupted;
use anyhow::{Context, Result};
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use std::sync::Arc;

/// Until the client closes its end, or a signal.
pub(super) async fn serve(offer: Arc<Offer>) -> Result<()> {
    let serving = async {
        match Session::new(offer, None).serve(stdio_pipes()).await {
            Ok(running) => running.waiting().await.map(drop).context("the session panicked"),
            // It has gone before it said a word.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    };
    tokio::select! {
        ended = serving => ended,
        // The runtime would wait for its read of a terminal, which cannot be taken back.
        () = interrupted() => std::process::exit(0),
    }
}
